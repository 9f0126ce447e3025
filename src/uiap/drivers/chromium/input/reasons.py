"""The publisher's reasons in the driver's words."""

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
# The page's own handlers ran before it came to this, so it is not nothing.
RAN: frozenset[str] = frozenset({"prevented", "rejected"})


WORDS: Mapping[str, str] = {
    "invalid_form": "a field of the form is not valid; fill it first",
    "no_such_value": "the control cannot hold such a value",
}


def refusal_of(answer: Mapping[str, Any]) -> PerformRefused:
    reason = str(answer.get("reason", ""))
    return PerformRefused(REASONS.get(reason, "unsupported"), WORDS.get(reason, reason))


def outcome_of(answer: Mapping[str, Any], done: PerformDispatched) -> PerformOutcome:
    """What a setter's answer means."""
    if answer.get("ok"):
        detail = answer.get("detail")
        return replace(done, detail=detail) if detail else done
    if answer.get("reason") in RAN:
        return PerformUnknown("interrupted", f"the page took it back: {answer['reason']}")
    return refusal_of(answer)
