"""A serving process collects less often and takes turns more often; and nothing of it is lost on the way."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from uiap.host.loop.interpreter import SWITCH_S, YOUNG, tune_for_serving


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


def test_what_lives_as_long_as_the_process_is_not_looked_at_again() -> None:
    tune_for_serving()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] == YOUNG


def test_the_loop_gets_the_interpreter_back_from_the_writer_soon() -> None:
    tune_for_serving()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
