"""Answers of the page script as outcomes: refused before anything happened, or done without the wanted effect."""

from __future__ import annotations

import pytest

from uiap.drivers.chromium.input.reasons import outcome_from_answer, refusal_from_answer, stop_words
from uiap.drivers.chromium.page.messages import GuardVerdict
from uiap.drivers.driver import PerformDispatched, PerformRefused

DONE = PerformDispatched(1, 0.0, token="t")


@pytest.mark.parametrize("reason", ["prevented", "rejected", "focus_moved", "readonly_on_focus"])
def test_a_refusal_of_the_page_s_own_handlers_is_not_reported_as_untouched(reason: str) -> None:
    outcome = outcome_from_answer({"ok": False, "reason": reason}, DONE)
    assert isinstance(outcome, PerformDispatched)
    assert outcome.detail["held"] is False and outcome.detail["why"]


@pytest.mark.parametrize(
    ("reason", "refusal"), [("detached", "gone"), ("too_long", "invalid"), ("no_caret", "unsupported")]
)
def test_a_refusal_before_any_handler_reached_nothing(reason: str, refusal: str) -> None:
    assert refusal_from_answer({"reason": reason}).reason == refusal
    assert isinstance(outcome_from_answer({"ok": False, "reason": reason}, DONE), PerformRefused)


def test_a_stopped_gesture_says_what_the_page_did() -> None:
    removed = GuardVerdict(seq=1, ok=False, reason="detached", event="mouseup")
    assert stop_words(removed).startswith("the page removed or replaced it during the gesture")
    assert stop_words(GuardVerdict(seq=1, ok=False, reason="odd")).startswith("it changed")
