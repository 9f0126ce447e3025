"""Translate the answers of the page script to outcomes of the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from uiap.drivers.chromium.page.messages import GuardVerdict
from uiap.drivers.driver import (
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    RefusalReason,
)

REASONS: Mapping[str, RefusalReason] = {
    "detached": "gone",
    "hidden": "hidden",
    "disabled": "disabled",
    "readonly": "disabled",
    "blocked": "obscured",
    "other_target": "obscured",
    "role_changed": "changed",
    "name_changed": "changed",
    "record_changed": "changed",
    "not_booted": "unavailable",
    "differs": "invalid",
    "no_such_option": "invalid",
    "option_disabled": "invalid",
    "one_option_expected": "invalid",
    "radio_stays_checked": "invalid",
    "no_such_value": "invalid",
    "too_long": "invalid",
    "out_of_range": "invalid",
    "invalid_form": "invalid",
}
AFTER_HANDLERS: Mapping[str, str] = {
    "prevented": "the page refused the input",
    "rejected": "the page did not accept the text",
    "focus_moved": "the page moved the focus away at once",
    "readonly_on_focus": "the field became read-only when it got the focus",
}
"""Reasons that were found after handlers of the page had run, so there may be an effect."""


MESSAGES: Mapping[str, str] = {
    "invalid_form": "a field of the form is not valid; fill it in first",
    "no_such_value": "the control cannot have this value",
    "out_of_range": "the control takes only values between its min and max, in its steps",
    "too_long": "the field takes fewer characters than the text has",
}


def refusal_from_answer(answer: Mapping[str, Any]) -> PerformRefused:
    reason = str(answer.get("reason", ""))
    return PerformRefused(REASONS.get(reason, "unsupported"), MESSAGES.get(reason, reason))


def outcome_from_answer(answer: Mapping[str, Any], done: PerformDispatched) -> PerformOutcome:
    """Return the outcome for the answer of a setter."""
    if answer.get("ok"):
        detail = answer.get("detail")
        return replace(done, detail=detail) if detail else done
    if (why := AFTER_HANDLERS.get(str(answer.get("reason")))) is not None:
        return replace(done, detail={"held": False, "final": True, "why": why})
    return refusal_from_answer(answer)


STOPS: Mapping[str, str] = {
    "detached": "the page removed or replaced it",
    "hidden": "the page hid it",
    "disabled": "the page disabled it",
    "blocked": "something covered it",
    "focus_moved": "the page moved the focus away",
    "other_target": "the input would have reached another element",
}


def stop_words(verdict: GuardVerdict) -> str:
    """Return why the guard stopped a gesture that had begun."""
    return f"{STOPS.get(verdict.reason or '', 'it changed')} during the gesture, so the rest was stopped"
