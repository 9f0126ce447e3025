"""A step that a person does: nothing is sent, its effect is observed, and silence fails cleanly."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.support.playbook import (
    EventFactory,
    Playbook,
    action,
    answered,
    button,
    cancelled,
    lane_taken,
    observed,
    page_lost,
    probed,
    request,
    until_checked,
    watching,
    woke,
)
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.expectation import Expectation
from uiap.runtime.handoff import handoff
from uiap.spec.capability import RiskDescriptor, ToastContains
from uiap.spec.policy import POLICY_GRANTS, HandoffSpec, PolicyPrincipal
from uiap.spec.text import AuthoredMessage
from uiap.spec.web import WebElementState

AGENT = PolicyPrincipal(type="agent", id="agent", grants=POLICY_GRANTS)
BLOCKED = button(risk=RiskDescriptor(level="blocked"))


def handed_back(done: bool) -> EventFactory:
    return lambda at: when.HandedBack(at=at, by="ann", done=done)


def waiting() -> Playbook:
    """Risk `blocked` is never done by an agent; the standard rules leave it to a person."""
    play = until_checked(Playbook(action(rules="standard")), BLOCKED) >> probed()
    return play << "progress waiting_for_user, TakeLane"


@pytest.mark.requirement("ACT-14")
def test_the_person_gets_a_note_and_nothing_is_dispatched() -> None:
    play = waiting()
    progress = next(c for c in play.commands if isinstance(c, do.Emit))
    assert "please do this yourself: activate the button “Save”" in progress.payload.note  # type: ignore[union-attr]
    assert play.alarm == 600.0
    play >> lane_taken << "OpenWatch"
    play >> watching() << ""


@pytest.mark.requirement("ACT-14", "ACT-3.4")
def test_the_step_of_the_person_is_observed_and_verified() -> None:
    play = waiting() >> lane_taken >> watching()
    play.at(40) >> observed(None) << ""
    play.at(41) >> observed("status text", attribution="coincident") << "progress verifying, Observe"
    play.at(41.06) >> observed("status text", attribution="coincident", complete=True)
    play << "result succeeded applied"
    assert play.result.chosen_execution_mode is UNSET
    assert "please do this" in play.metadata["handoff"]


@pytest.mark.requirement("ACT-14")
def test_a_step_that_nobody_does_in_time_fails_without_a_claim() -> None:
    play = waiting() >> lane_taken >> watching()
    play.at(599.9) >> woke << ""
    play.at(600) >> woke << "result failed unknown user_activation_required"
    assert play.detail == {"reason": "timeout"}


@pytest.mark.requirement("ACT-14", "ACT-3.4")
def test_a_step_reported_as_done_still_needs_an_observed_effect() -> None:
    play = waiting() >> lane_taken >> watching()
    play.at(10) >> handed_back(True) << "progress verifying, Observe"
    play >> observed(None, complete=True) << ""
    play.at(15.01) >> woke << "result failed unknown user_activation_required"


SECRET = button("Password", role="textbox", state=WebElementState(visible=True, sensitive=True))


@pytest.mark.requirement("ACT-14", "ACT-3.4")
def test_a_password_that_a_person_types_counts_only_after_the_report_of_the_person() -> None:
    entry = request("ui.enterText", name="Password", args={"text": "hunter2"})
    play = until_checked(Playbook(action(entry, rules="standard", principal=AGENT)), SECRET)
    play >> probed(role="textbox", name="Password")
    play << "progress waiting_for_user, TakeLane"
    play >> lane_taken >> watching()
    play.at(4) >> observed("status text", attribution="coincident", complete=True) << ""
    play.at(9) >> handed_back(True) << "progress verifying, Observe"
    play >> observed(None, complete=True) << "result succeeded applied"
    assert play.metadata["evidence"] == "the person reported that it is done"


def test_a_change_elsewhere_does_not_prove_a_field_that_a_person_fills_in() -> None:
    field = Expectation(policy="all", any_change=True, field="el_1")
    assert handoff(None, "type it", field).needs_report
    assert not handoff(None, "press it", Expectation(policy="all", any_change=True)).needs_report
    resumed = HandoffSpec(reason="legal", resume_on=(ToastContains(text="Signed"),))
    assert not handoff(resumed, "sign it", field).needs_report


def test_a_person_who_declines_ends_it() -> None:
    play = waiting() >> lane_taken >> watching() >> handed_back(False)
    play << "result cancelled unknown confirmation_denied"


def test_a_dialog_during_a_handoff_is_left_to_the_person() -> None:
    play = waiting() >> lane_taken >> watching() >> answered(True) << ""
    assert play.action.state == "WAITING_FOR_USER"


def test_a_handed_off_step_can_be_cancelled_and_lost() -> None:
    waiting() >> cancelled << "action.cancelled, result cancelled unknown cancelled"
    waiting() >> page_lost << "result failed none stale_target"


def test_without_a_handoff_nobody_can_hand_back() -> None:
    play = until_checked(Playbook(action())) >> probed() >> handed_back(True) << ""
    assert play.action.state == "EXECUTING"


def test_the_policy_sets_the_expected_effect_and_the_timeout() -> None:
    spec = HandoffSpec(
        reason="payment",
        instructions=AuthoredMessage(default="Pay by card"),
        resume_on=(ToastContains(text="Paid"),),
        timeout_ms=5000,
    )
    asked = handoff(spec, "activate", Expectation(policy="capability-default", any_change=True))
    assert (asked.note, asked.timeout_s) == ("Pay by card", 5.0)
    assert asked.expectation.signals == (ToastContains(text="Paid"),)
    assert not asked.expectation.any_change and not asked.expectation.causal
    plain = handoff(HandoffSpec(reason="legal"), "sign it", Expectation(policy="all"))
    assert plain.note == "please do this yourself: sign it (legal)"
