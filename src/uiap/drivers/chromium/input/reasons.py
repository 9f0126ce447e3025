"""Translate the answers of the page script to outcomes of the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from uiap.drivers.driver import (
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    PerformUnknown,
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
    "invalid_form": "invalid",
}
# The page's own handlers ran before this result, so there may be an effect.
AFTER_HANDLERS: frozenset[str] = frozenset({"prevented", "rejected"})


MESSAGES: Mapping[str, str] = {
    "invalid_form": "a field of the form is not valid; fill it in first",
    "no_such_value": "the control cannot have this value",
}


def refusal_from_answer(answer: Mapping[str, Any]) -> PerformRefused:
    reason = str(answer.get("reason", ""))
    return PerformRefused(REASONS.get(reason, "unsupported"), MESSAGES.get(reason, reason))


def outcome_from_answer(answer: Mapping[str, Any], done: PerformDispatched) -> PerformOutcome:
    """Return the outcome for the answer of a setter."""
    if answer.get("ok"):
        detail = answer.get("detail")
        return replace(done, detail=detail) if detail else done
    if answer.get("reason") in AFTER_HANDLERS:
        return PerformUnknown("interrupted", f"the page reverted the change: {answer['reason']}")
    return refusal_from_answer(answer)
