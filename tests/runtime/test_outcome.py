"""The mapping of endings: complete, shown in the docs, and equal to the results of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.support.playbook import (
    UNMET,
    Playbook,
    action,
    button,
    found,
    lost,
    observed,
    press,
    probed,
    request,
    started,
    until_acting,
    until_checked,
    until_verifying,
    woke,
)
from uiap.actions.registry import ACTIONS
from uiap.runtime.lifecycle import MOVES, PHASES, phases_table
from uiap.runtime.outcome import ENDINGS, endings_table
from uiap.spec.action import RUNTIME_ERROR_CODES, VerificationSpec
from uiap.spec.capability import ToastContains
from uiap.spec.web import WebElementState

DOCS = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text("utf-8")
TOAST = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),))


@pytest.mark.requirement("ACT-6.4", "ACT-15")
def test_all_fifteen_codes_are_in_the_mapping_and_the_mapping_is_in_the_docs() -> None:
    assert {row.code for row in ENDINGS} - {None} == set(RUNTIME_ERROR_CODES)
    assert endings_table() in DOCS


@pytest.mark.requirement("MDM-11", "MDM-7")
def test_the_mapping_reaches_all_outcomes_and_all_failure_classes() -> None:
    assert {row.outcome for row in ENDINGS} - {None} == {
        "success", "no_op", "backend_failure", "ui_failure", "unknown"
    }  # fmt: skip
    assert {row.failure_class for row in ENDINGS} - {None} == {
        "target_resolution", "dispatch", "verification_timeout", "unexpected_state_delta", "no_state_change"
    }  # fmt: skip


@pytest.mark.requirement("MDM-11", "MDM-7", "MDM-10")
@pytest.mark.parametrize(
    ("play", "failure", "outcome"),
    [
        (
            lambda: Playbook(press()) >> started >> found(button(id="a"), button(id="b")),
            "target_resolution",
            "ui_failure",
        ),
        (lambda: until_checked(Playbook(press(timeout_ms=5))).at(1) >> woke, "dispatch", "ui_failure"),
        (lambda: until_acting(Playbook(press())) >> lost(), "dispatch", "unknown"),
        (lambda: until_verifying(Playbook(press())).at(9) >> woke, "verification_timeout", "unknown"),
        (
            lambda: (
                (
                    until_verifying(Playbook(press(verification=TOAST)), None, UNMET)
                    >> observed("dialog", UNMET)
                ).at(9)
                >> woke
            ),
            "unexpected_state_delta",
            "unknown",
        ),
        (
            lambda: (
                until_verifying(Playbook(press()))
                >> observed("text", request_failed="POST / was answered with 500")
            ),
            "unexpected_state_delta",
            "backend_failure",
        ),
    ],
)
def test_each_failure_has_its_class(play: Any, failure: str, outcome: str) -> None:
    failed = play()
    assert (failed.metadata["failureClass"], failed.metadata["outcome"]) == (failure, outcome)


@pytest.mark.requirement("MDM-11")
def test_a_draft_without_an_observed_effect_changed_no_state() -> None:
    box = button(role="textbox", state=WebElementState(visible=True, editable=True))
    play = Playbook(action(request("ui.enterText", args={"text": "x"})))
    until_checked(play, box) >> probed(role="textbox", editable=True)
    from tests.support.playbook import dispatched, lane_taken, watching

    play >> lane_taken >> watching(UNMET)
    while any(type(c).__name__ == "Perform" for c in play.commands):
        play >> dispatched()
    play >> observed(None, UNMET, complete=True)
    play.at(9) >> woke
    assert play.metadata["failureClass"] == "no_state_change"
    assert play.result.side_effect_state == "none"


@pytest.mark.requirement("MDM-4")
def test_every_state_has_its_phase_and_only_success_is_verified() -> None:
    assert set(PHASES) == set(MOVES)
    assert [state for state, phase in PHASES.items() if phase == "verified"] == ["SUCCEEDED"]
    assert PHASES["VERIFYING"] == "pending verification"
    assert phases_table() in DOCS


@pytest.mark.requirement("MDM-6")
def test_every_action_declares_target_effect_and_proof() -> None:
    element = button(state=WebElementState(visible=True, checked=False, expanded=False))
    for primitive in ACTIONS.values():
        descriptor = primitive.descriptor
        assert descriptor.title and descriptor.target_kinds
        assert primitive.effect(element, {}) is not None
        args = {"text": "x", "value": "1", "url": "/", "label": "x", "files": [], "key": "Enter", "scale": 2}
        assert primitive.proof(element, args) is not UNSET
