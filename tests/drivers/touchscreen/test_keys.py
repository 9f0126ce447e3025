"""Typing steps and characters that cannot be typed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uiap.drivers.touchscreen.keys import typing_steps, untypeable_characters

# no deadline: the machine of the tests may be busy
RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_typing_steps_type_exactly_the_text(text: str):
    typed = "".join("\n" if step.codes else step.text.replace("%s", " ") for step in typing_steps(text))
    assert typed == text and not untypeable_characters(text)


@pytest.mark.parametrize(
    ("text", "missing"), [("naïve", "ï"), ("日本語", "日本語"), ("a\nb\tc", ""), ("🙂🙂", "🙂")]
)
def test_untypeable_characters_are_found_before_typing(text: str, missing: str):
    assert untypeable_characters(text) == missing
