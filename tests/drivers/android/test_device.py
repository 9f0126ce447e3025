"""Quoting of commands for the shell of a device."""

from __future__ import annotations

import shlex

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uiap.drivers.android.device import quote_command

# no deadline: the machine of the tests may be busy
RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_every_argument_is_one_word_for_the_shell(args: list[str]):
    assert shlex.split(quote_command(*args)) == args
