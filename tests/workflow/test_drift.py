"""A run whose target is not found any more: it asks a person, and nothing is done before the answer."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import AT, SimulatedHost, definition, terms
from uiap.spec.authoring import ElementBinding
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.repair import RepairProposal

SAVE: dict[str, Any] = {
    "id": "save",
    "type": "action",
    "actionId": "ui.activate",
    "target": {"by": "semantic", "role": "button", "name": "Save"},
}
DONE = {"id": "done", "type": "complete"}
LOST = when.ActionEnded(at=AT, status="failed", code="target_not_found", message="no button “Save”")
FOUND = RepairProposal(
    binding=ElementBinding(id="step.save", role="button", name="Save now", match=()),
    score=0.65,
    reasons=("its name is “Save now”, it was “Save”",),
)


def act(command: do.Act) -> when.Event:
    """The button is found by its repaired binding alone."""
    if command.repairs:
        return when.ActionEnded(at=AT, status="succeeded", side_effect="applied", handle="act_2")
    return LOST


def host(*, repairs: bool = True, proposal: RepairProposal | None = FOUND, **step: Any) -> SimulatedHost:
    given = msgspec.structs.replace(terms(definition({**SAVE, **step}, DONE)), repairs=repairs)
    return SimulatedHost(given, Act=act, ProposeRepair=when.RepairProposed(at=AT, proposal=proposal)).run()


@pytest.mark.requirement("WF-7")
def test_a_person_accepts_the_proposal_and_the_run_goes_on_from_there() -> None:
    run = host()
    assert (run.status, len(run.of(do.Act))) == ("waiting_for_user", 1)
    (question,) = run.of(do.AskRepair)
    assert "is it the button “Save now” now? score 0.65" in question.text
    run.send(when.RepairAccepted(at=AT, by="ada")).go_on()
    assert run.status == "succeeded"
    first, second = run.of(do.Act)
    assert first.repairs == () and second.repairs == (FOUND.binding,)
    assert second.request.target.ref.value == "step.save"
    assert run.machine.repairs == {"save": FOUND.binding}


@pytest.mark.requirement("WF-7")
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (when.HandedBack(at=AT, done=False, by="ada"), "failed"),
        (when.HandedBack(at=AT, done=True, by="ada"), "succeeded"),
        (when.Cancelled(at=AT), "cancelled"),
        (when.Woke(at=AT), "failed"),
    ],
)
def test_any_other_answer_does_nothing_on_the_page(answer: when.Event, status: str) -> None:
    run = host().send(answer).go_on()
    assert (run.status, len(run.of(do.Act)), run.machine.repairs) == (status, 1, {})


@pytest.mark.parametrize(
    ("members", "asked"),
    [
        ({"repairs": False}, False),
        ({"proposal": None}, True),
        ({"onFailure": {"goto": "done"}}, False),
    ],
)
def test_without_a_proposal_or_with_a_policy_the_step_fails_as_always(
    members: dict[str, Any], asked: bool
) -> None:
    run = host(**members)
    assert run.status in ("failed", "succeeded") and bool(run.of(do.ProposeRepair)) is asked
    assert not run.of(do.AskRepair) and len(run.of(do.Act)) == 1
