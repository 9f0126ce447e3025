"""The ending of an action as the ledger needs it."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.runtime.commands import Finish
from uiap.spec.action import ActionResultPayload, VerificationOutcome


def finish(status: Any, effect: Any, **terms: Any) -> Finish:
    result = ActionResultPayload(
        action_handle="act_1",
        action_id="x.uiap.press",
        status=status,
        verification=VerificationOutcome(passed=status == "succeeded", policy="all", observed=()),
        side_effect_state=effect,
    )
    return Finish(result, **terms)


def test_only_an_unknown_outcome_of_a_harmful_action_forbids_a_repetition() -> None:
    assert not finish("failed", "unknown").repeatable
    assert finish("failed", "unknown", idempotent=True).repeatable
    assert finish("failed", "none").repeatable


@pytest.mark.parametrize(
    ("status", "effect", "in_page", "entered"),
    [
        ("succeeded", "applied", True, True),
        ("succeeded", "none", True, False),
        ("failed", "unknown", True, False),
        ("succeeded", "applied", False, False),
    ],
)
def test_a_value_was_entered_if_a_draft_was_changed(
    status: str, effect: str, in_page: bool, entered: bool
) -> None:
    assert finish(status, effect, in_page=in_page).entered_value is entered
