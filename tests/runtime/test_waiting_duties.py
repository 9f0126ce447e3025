"""Duties of an action that waits, recovers or changes its mode: reports, answers of people, second attempts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from tests.support.playbook import (
    EventFactory,
    Playbook,
    action,
    button,
    cancelled,
    dispatched,
    found,
    granted,
    lane_taken,
    observed,
    page_changed,
    press,
    probed,
    recorded,
    refused,
    request,
    started,
    until_acting,
    until_checked,
    until_verifying,
    watching,
    woke,
)
from uiap.policy.builtin import Rules
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.spec.action import ActionProgressPayload
from uiap.spec.capability import ExecutionMode, RiskDescriptor
from uiap.spec.policy import (
    HandoffSpec,
    LimitExecutionModesObligation,
    PolicyDefaults,
    PolicyDocument,
    PolicyMatch,
    PolicyRule,
)

RISKY = button(risk=RiskDescriptor(level="confirm"))
BLOCKED = button(risk=RiskDescriptor(level="blocked"))


class Reported(Playbook):
    """Keeps the progress reports and the dispatched gestures."""

    def __init__(self, begun: Any) -> None:
        super().__init__(begun)
        self.reports: list[ActionProgressPayload] = []
        self.performed: list[str] = []

    def __rshift__(self, event: EventFactory) -> Playbook:
        super().__rshift__(event)
        for one in self.commands:
            if isinstance(one, do.Emit) and isinstance(one.payload, ActionProgressPayload):
                self.reports.append(one.payload)
            if isinstance(one, do.Perform):
                self.performed.append(one.op.kind)
        return self

    def detail(self, stage: str) -> dict[str, Any]:  # type: ignore[override]
        (one,) = [report for report in self.reports if report.stage == stage]
        return {} if one.detail is UNSET else one.detail


def asking(**terms: Any) -> Reported:
    """A press that waits for the confirmation of a person."""
    play = Reported(action(rules="standard", **terms))
    until_checked(play, RISKY) >> probed()
    return play


def handed_off() -> Reported:
    """A press that a person has to do."""
    play = Reported(action(rules="standard"))
    until_checked(play, BLOCKED) >> probed() >> lane_taken >> watching()
    return play


# -- reports ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-5.2c")
def test_the_report_of_the_resolution_names_the_target() -> None:
    play = Reported(press())
    play >> started
    assert play.reports == [], "the target is not known yet"
    play >> found(button())
    assert [report.stage for report in play.reports] == ["resolving_target", "checking_preconditions"]
    for report in play.reports:
        target = report.resolved_target
        assert target is not UNSET
        assert (target.by, target.instance_id, target.name) == ("semantic", "el_1", "Save")
    missing = Reported(press(timeout_ms=500))
    missing >> started >> found()
    assert missing.reports[0].stage == "resolving_target" and missing.reports[0].resolved_target is UNSET


@pytest.mark.requirement("ACT-5.2e")
def test_the_detail_of_a_report_says_what_the_stage_is_about() -> None:
    play = Reported(press())
    until_checked(play) >> probed(enabled=False)
    assert play.detail("recovering") == {"recovery": "wait_until_ready", "failedCheck": "it is disabled"}
    play.at(0.5) >> page_changed >> probed(attached=False)
    assert play.reports[-1].detail == {"recovery": "resolve_again", "failedCheck": "it left the page"}
    assert asking().detail("awaiting_confirmation") == {"waitsFor": "confirmation", "timeoutMs": 120_000}
    assert handed_off().detail("waiting_for_user")["waitsFor"] == "handoff"
    dialog = Reported(press())
    until_acting(dialog) >> dispatched("dialog", "alert `Hello`")
    assert dialog.detail("waiting_for_user") == {"waitsFor": "dialog", "timeoutMs": 1000}


# -- answers of people --------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-5.5b")
def test_the_reason_of_a_denial_is_in_the_result() -> None:
    play = asking() >> (lambda at: when.Denied(at=at, by="ada", reason="not before Monday"))
    assert (play.result.status, play.message) == ("cancelled", "not before Monday")


@pytest.mark.requirement("ACT-SEC.2b")
@pytest.mark.parametrize("change", [{"name": "Delete all"}, {"role": "link"}, {"attached": False}])
def test_a_target_that_changed_after_the_grant_is_asked_about_again(change: dict[str, Any]) -> None:
    play = asking()
    play >> granted >> probed(**change) >> found(button("Save", "el_9", risk=RISKY.risk))
    play >> probed() << "progress awaiting_confirmation, AskPerson"
    assert play.performed == []
    unchanged = asking()
    unchanged >> granted >> probed() << "progress executing, TakeLane"


@pytest.mark.requirement("ACT-14b")
def test_the_same_action_goes_on_after_the_step_of_the_person() -> None:
    play = handed_off()
    handle = play.reports[0].action_handle
    play.at(40) >> observed("status text", attribution="coincident") << "progress verifying, Observe"
    play.at(40.06) >> observed("status text", attribution="coincident", complete=True)
    assert play.result.status == "succeeded" and play.result.verification.passed
    assert play.result.action_handle == handle and play.performed == []


@pytest.mark.requirement("ACT-14c")
def test_a_step_that_nobody_does_ends_after_the_configured_time() -> None:
    rules = _rules("handoff", handoff=HandoffSpec(reason="legal", timeout_ms=5000))
    play = Reported(action(rules=rules))
    until_checked(play) >> probed() >> lane_taken >> watching()
    assert play.alarm == 5.0
    play.at(4.9) >> woke << ""
    play.at(5.0) >> woke << "result failed unknown user_activation_required"
    assert play.performed == []


@pytest.mark.requirement("ACT-14d")
def test_the_note_tells_the_person_what_to_do_and_where() -> None:
    note = next(report.note for report in handed_off().reports if report.stage == "waiting_for_user")
    assert note is not UNSET
    assert note.startswith("please do this yourself: activate the button “Save”")


@pytest.mark.requirement("ACT-14e")
def test_without_configuration_a_person_has_more_than_a_minute() -> None:
    play = handed_off()
    assert play.alarm is not None and play.alarm >= 60
    play.at(60) >> woke << ""
    assert play.action.state == "WAITING_FOR_USER" and play.results == []


# -- modes --------------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-7b")
def test_the_mode_that_worked_after_another_refused_is_in_the_result() -> None:
    play = Reported(press())
    until_acting(play) >> refused("unsupported", "not by pointer") << "Perform click"
    play >> dispatched()
    play.at(0.01) >> observed("text", complete=True, work=())
    assert (play.result.status, play.result.chosen_execution_mode) == ("succeeded", "semanticUi")
    assert play.metadata["recovery"] == ["externalDriver did not work: not by pointer"]


def _rules(effect: Any, **members: Any) -> Rules:
    rule = PolicyRule(id="r", match=PolicyMatch(action_ids=("ui.activate",)), effect=effect, **members)
    return (PolicyDocument(model_version="0.1", id="house", defaults=PolicyDefaults(), rules=(rule,)),)


@pytest.mark.requirement("ACT-7d")
@pytest.mark.parametrize("order", [("semanticUi", "externalDriver"), ("externalDriver", "semanticUi")])
def test_a_policy_sets_the_order_of_the_modes(order: tuple[ExecutionMode, ...]) -> None:
    rules = _rules("allow", obligations=(LimitExecutionModesObligation(modes=order),))
    play = until_checked(Playbook(action(rules=rules))) >> probed()
    assert play.inside.mode == order[0]


# -- recoveries ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-9.3b")
@pytest.mark.parametrize(
    ("id", "args"),
    [("ui.enterText", {"text": "a"}), ("ui.clearText", {}), ("ui.setValue", {"value": 3})],
)
def test_a_field_that_cannot_take_the_focus_is_refused(id: str, args: dict[str, Any]) -> None:
    field = button("Age", role="spinbutton")
    for focusable, stops in ((False, True), (True, False), (None, False)):
        play = Playbook(action(request(id, args=args))) >> started >> found(field)
        play >> probed(role="spinbutton", name="Age", focusable=focusable)
        assert bool(play.results) is stops
        if stops:
            assert play.result.error.code == "target_not_interactable" and "focus" in play.message


@pytest.mark.requirement("ACT-13.1", "ACT-13.1b")
def test_a_target_out_of_view_is_scrolled_to_and_acted_on_once() -> None:
    play = Reported(press())
    until_checked(play) >> probed(in_viewport=False) << "ScrollTo el_1"
    play >> probed() >> lane_taken >> watching() >> recorded >> dispatched()
    play.at(0.01) >> observed("text", complete=True, work=())
    assert play.result.status == "succeeded" and play.performed == ["click"]
    assert play.metadata["recovery"] == ["scrolled"]


@pytest.mark.requirement("ACT-13.1c")
def test_a_busy_target_is_waited_for_and_the_wait_is_bounded() -> None:
    play = Reported(press())
    until_checked(play) >> probed(busy=True) << "progress recovering"
    play.at(0.4) >> page_changed >> probed() << "progress executing, TakeLane"
    stuck = Reported(press())
    until_checked(stuck) >> probed(busy=True) << "progress recovering"
    stuck.at(2.0) >> woke >> probed(busy=True) << "progress executing, TakeLane"


@pytest.mark.requirement("ACT-13.1d")
def test_an_effect_that_comes_later_is_judged_then_without_a_second_input() -> None:
    play = Reported(press())
    until_verifying(play)
    for tenth in range(1, 9):
        play.at(tenth / 10) >> observed(None, complete=True, work=None)
        assert play.results == []
    play.at(0.9) >> observed("text", complete=True, work=())
    assert play.result.status == "succeeded" and play.performed == ["click"]


@pytest.mark.requirement("ACT-5.8e")
def test_a_failed_result_has_an_error_and_a_succeeded_one_has_none() -> None:
    good = until_verifying(Playbook(press()))
    good.at(0.01) >> observed("text", complete=True, work=())
    assert good.result.status == "succeeded" and good.result.error is UNSET
    bad = until_verifying(Playbook(press()))
    bad.at(9) >> woke
    gone = Playbook(press()) >> started >> cancelled
    for play in (bad, gone):
        assert play.result.error is not UNSET and play.result.error.code and play.message
