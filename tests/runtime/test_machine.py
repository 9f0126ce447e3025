"""One action as a conversation: the events it gets and the commands it returns."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.support.playbook import (
    ALREADY,
    CAUSED,
    UNMET,
    Playbook,
    action,
    answered,
    button,
    cancelled,
    denied,
    dispatched,
    found,
    granted,
    lane_taken,
    lost,
    not_recorded,
    observed,
    page_changed,
    page_lost,
    press,
    probed,
    read,
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
from uiap.runtime.modes import Abilities
from uiap.spec.action import ActionTarget, VerificationSpec
from uiap.spec.capability import InstanceIdRef, NetworkResponse, RiskDescriptor, ToastContains
from uiap.spec.web import WebElementState

TOAST = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),))
RISKY = RiskDescriptor(level="confirm")


@pytest.mark.requirement("ACT-3.1", "ACT-5.2", "ACT-5.8", "ACT-12.2")
def test_a_press_with_an_observed_effect_succeeds() -> None:
    play = Playbook(press())
    play >> started << "Find"
    play >> found(button()) << "progress checking_preconditions, Probe el_1"
    play >> probed() << "progress executing, TakeLane"
    play >> lane_taken << "OpenWatch"
    play >> watching() << "RecordIntent"
    play >> recorded << "Perform click"
    play >> dispatched() << "progress verifying, Observe"
    play.at(0.01) >> observed("status text", complete=True) << ""
    play.at(0.06) >> woke << "Observe"
    play >> observed("status text", complete=True) << "result succeeded applied"
    assert play.metadata["evidence"] == "status text"
    assert play.result.chosen_execution_mode == "externalDriver"
    assert play.result.state_revision == "rev_2"
    assert play.result.verification.passed


@pytest.mark.requirement("ACT-3.4")
def test_success_waits_until_the_page_was_read_and_reported_nothing_more() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("status text", quick=True) << "Observe"
    play.at(0.03) >> observed("status text", complete=True) << ""
    play.at(0.09) >> observed("status text") << "Observe"
    play >> observed("status text", quick=True) << "result succeeded applied"


def test_a_quick_read_alone_is_never_enough() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.5) >> observed("status text", quick=True) << "Observe"
    play.at(0.7) >> observed("status text") << ""  # one look at a time
    play.at(0.8) >> observed("status text", complete=True) << "result succeeded applied"


@pytest.mark.requirement("ACT-3.4")
def test_a_change_that_only_coincides_is_no_success() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed("toast", attribution="coincident", complete=True) << ""
    play.at(5.01) >> woke << "result failed unknown verification_failed"
    assert "did not cause" in play.message


def test_without_attribution_by_the_driver_a_new_change_counts() -> None:
    by_time = Abilities(modes=("externalDriver",), attribution="time")
    play = until_verifying(Playbook(action(abilities=by_time)))
    play >> observed("toast", attribution="coincident", complete=True) << ""
    play.at(0.06) >> observed("toast", attribution="coincident", complete=True) << "result succeeded applied"


@pytest.mark.requirement("ACT-3.4")
def test_success_waits_for_the_requests_the_action_sent() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.2) >> observed("status text", requests_open=1, complete=True) << ""
    play.at(0.9) >> observed("status text", idle_since=1000.88, complete=True) << ""
    play.at(0.95) >> observed("status text", idle_since=1000.88, complete=True) << "result succeeded applied"


@pytest.mark.requirement("ACT-3.4", "ACT-SEC.3")
def test_a_request_that_is_never_answered_is_no_success() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.2) >> observed("status text", requests_open=1, complete=True) << ""
    play.at(5.01) >> woke << "result failed unknown verification_failed"


@pytest.mark.requirement("ACT-3.4")
def test_a_failed_request_is_a_backend_failure_whatever_the_page_says() -> None:
    play = until_verifying(Playbook(press(verification=TOAST)), None, UNMET)
    play >> observed("toast", CAUSED, request_failed="POST /save was answered with 500")
    play << "result failed unknown verification_failed"
    assert play.metadata["outcome"] == play.detail["outcome"] == "backend_failure"


def test_an_expected_error_is_no_failure() -> None:
    wanted = VerificationSpec(policy="all", signals=(NetworkResponse(status=422),))
    play = until_verifying(Playbook(press(verification=wanted)), None, UNMET)
    play >> observed("text", CAUSED, request_failed="POST /save was answered with 422", complete=True) << ""
    (
        play.at(0.06)
        >> observed("text", CAUSED, request_failed="422", complete=True)
        << "result succeeded applied"
    )


@pytest.mark.requirement("ACT-3.4")
def test_a_change_that_is_taken_back_is_no_success() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("button pressed", complete=True) << ""
    play.at(0.04) >> observed(None, complete=True) << ""
    play.at(0.07) >> woke << "Observe"
    play >> observed(None, complete=True) << ""
    play.at(5.01) >> woke << "result failed unknown verification_failed"


@pytest.mark.requirement("ACT-3.4")
def test_an_effect_that_is_not_complete_is_no_success() -> None:
    play = until_verifying(Playbook(press()))
    play >> observed("text", busy="progressbar", complete=True) << ""
    play.at(5.01) >> woke << "result failed unknown verification_failed"


@pytest.mark.requirement("ACT-12.4")
def test_a_required_revision_is_waited_for() -> None:
    spec = VerificationSpec(policy="none", require_revision_advance=True)
    play = until_verifying(Playbook(press(verification=spec)))
    play >> observed(None, advanced=False) << ""
    play >> observed(None, advanced=True) << "result succeeded applied"


@pytest.mark.requirement("ACT-12.3")
def test_verification_none_requires_no_effect() -> None:
    play = until_verifying(Playbook(press(verification=VerificationSpec(policy="none"))))
    play >> observed(None) << "result succeeded applied"


# -- Every ending has its code ---------------------------------------------------------------------------


@pytest.mark.requirement("ACT-9.1")
def test_policy_denial_after_resolution_is_action_unsupported() -> None:
    blocked = button(risk=RiskDescriptor(level="blocked"))
    play = until_checked(Playbook(press()), blocked)
    play >> probed() << "result failed none action_unsupported"
    assert play.detail["reason"] == "policy_denied"
    assert play.detail["decision"]["effect"] == "deny"


@pytest.mark.requirement("ACT-15")
def test_a_missing_target_is_target_required() -> None:
    Playbook(press(target=UNSET)) >> started << "result failed none target_required"


@pytest.mark.requirement("ACT-SEC.1")
def test_wrong_arguments_are_refused_before_anything_happens() -> None:
    play = Playbook(action(request("ui.enterText", args={"txt": "x"})))
    play >> started << "result failed none action_unsupported"
    assert play.detail["faults"] == ["`txt` is not an argument of ui.enterText", "`text` is missing"]


def asking() -> Playbook:
    return until_checked(Playbook(action(rules="standard")), button(risk=RISKY)) >> probed()


@pytest.mark.requirement("ACT-5.3")
@pytest.mark.requirement("ACT-13.2")
def test_risk_confirm_asks_and_pauses() -> None:
    play = asking() << "progress awaiting_confirmation, AskPerson"
    assert play.alarm == 120.0
    play >> lane_taken << ""
    play >> recorded << ""


@pytest.mark.requirement("ACT-5.4")
def test_after_a_grant_the_target_is_probed_again_before_the_gesture() -> None:
    play = asking() >> granted << "progress checking_preconditions, Probe el_1"
    play >> probed() << "progress executing, TakeLane"


@pytest.mark.requirement("ACT-5.5")
def test_a_denial_cancels() -> None:
    asking() >> denied << "result cancelled none confirmation_denied"


def test_an_unanswered_confirmation_is_a_denial_by_timeout() -> None:
    play = asking().at(119.9) >> woke << ""
    play.at(120.0) >> woke << "result cancelled none confirmation_denied"
    assert play.detail["reason"] == "timeout"


def test_time_spent_on_a_confirmation_does_not_count() -> None:
    play = asking()
    play.at(60) >> granted >> probed() << "progress executing, TakeLane"
    play.at(74.9) >> woke << ""
    play.at(75.01) >> woke << "result failed none internal_runtime_error"


@pytest.mark.requirement("ACT-13.2", "ACT-5.4")
def test_a_grant_is_not_valid_for_another_element() -> None:
    play = asking() >> granted >> probed(attached=False)
    play << "progress recovering, Find"
    play >> found(button(id="el_9", risk=RISKY)) >> probed()
    play << "progress awaiting_confirmation, AskPerson"


def test_a_deadline_while_resolving_is_target_not_found() -> None:
    play = Playbook(press(timeout_ms=500)) >> started
    play.at(0.5) >> woke << "result failed none target_not_found"
    assert play.detail["reason"] == "timeout"


def test_a_target_that_never_appears_is_target_not_found() -> None:
    play = Playbook(press()) >> started >> found() << "progress recovering"
    play.at(1.0) >> page_changed << "Find"
    play >> found() << "progress recovering"
    play.at(2.0) >> woke << "Find"
    play >> found() << "result failed none target_not_found"


def test_a_deadline_while_checking_is_target_not_interactable() -> None:
    play = until_checked(Playbook(press(timeout_ms=500)))
    play.at(0.5) >> woke << "result failed none target_not_interactable"
    assert play.detail["reason"] == "timeout"


def test_a_deadline_while_executing_is_internal_and_unknown() -> None:
    play = until_acting(Playbook(press(timeout_ms=500)))
    play.at(0.5) >> woke << "result failed unknown internal_runtime_error"
    assert play.detail["reason"] == "timeout"


def test_a_deadline_before_dispatch_has_no_side_effect() -> None:
    play = until_checked(Playbook(press(timeout_ms=500))) >> probed()
    play.at(0.5) >> woke << "result failed none internal_runtime_error"


@pytest.mark.requirement("ACT-15")
def test_no_effect_in_time_is_verification_failed() -> None:
    play = until_verifying(Playbook(press(verification=VerificationSpec(timeout_ms=800))))
    assert play.alarm == 0.8
    play.at(0.8) >> woke << "result failed unknown verification_failed"
    assert play.metadata["failureClass"] == "verification_timeout"


@pytest.mark.requirement("ACT-14", "ACT-10.2c")
def test_a_dialog_of_the_page_waits_for_a_person_and_then_fails_cleanly() -> None:
    play = until_acting(Playbook(press())) >> dispatched("dialog", "confirm `Really?`")
    play << "progress waiting_for_user"
    play.at(0.5) >> woke << ""
    play.at(1.0) >> woke << "result failed unknown user_activation_required"
    assert "Really?" in play.message


@pytest.mark.requirement("ACT-14")
def test_an_answered_dialog_lets_the_action_go_on_to_verification() -> None:
    play = until_acting(Playbook(press())) >> dispatched("dialog", "alert `Hello`")
    play.at(0.3) >> answered(True) << "progress verifying, Observe"
    play >> observed("text", complete=True) << ""
    play.at(0.36) >> observed("text", complete=True) << "result succeeded applied"


@pytest.mark.requirement("ACT-15")
def test_no_permitted_mode_is_execution_mode_unavailable() -> None:
    play = until_checked(Playbook(press(preferred_execution_modes=("visionAssist",))))
    play >> probed() << "result failed none execution_mode_unavailable"


@pytest.mark.requirement("ACT-3.2", "ACT-13.2")
def test_a_driver_that_cannot_tell_whether_it_dispatched_leaves_an_unknown_outcome() -> None:
    play = until_acting(Playbook(press())) >> lost("crash") << "result failed unknown internal_runtime_error"
    assert play.detail["cause"] == "crash"


@pytest.mark.requirement("ACT-3.2", "ACT-13.2")
def test_an_intent_that_cannot_be_stored_is_not_carried_out() -> None:
    play = until_checked(Playbook(press())) >> probed() >> lane_taken >> watching() << "RecordIntent"
    play >> not_recorded() << "result failed none internal_runtime_error"
    play >> recorded << ""


# -- resolution ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-8.2b")
def test_two_equal_targets_are_refused_not_guessed() -> None:
    play = Playbook(press()) >> started >> found(button(id="a"), button(id="b"))
    play << "result failed none target_ambiguous"
    shown = play.detail["candidates"]
    assert [c["instanceId"] for c in shown] == ["a", "b"]
    assert shown[0]["score"] == shown[1]["score"] > 0


@pytest.mark.requirement("ACT-8.3")
def test_a_stale_target_is_resolved_again_once_and_then_acted_on() -> None:
    play = until_checked(Playbook(press())) >> probed(attached=False)
    play << "progress recovering, Find"
    play >> found(button(id="el_2")) << "progress checking_preconditions, Probe el_2"
    play >> probed() << "progress executing, TakeLane"


@pytest.mark.requirement("ACT-8.3")
def test_a_target_that_is_stale_twice_is_stale_target() -> None:
    play = until_checked(Playbook(press())) >> probed(attached=False) >> found(button(id="el_2"))
    play >> probed(name="Delete") << "result failed none stale_target"


@pytest.mark.requirement("ACT-8.3")
def test_a_row_that_became_another_record_is_stale() -> None:
    row = button(record="user-0")
    play = until_checked(Playbook(press()), row) >> probed(record="user-50")
    play << "progress recovering, Find"
    play >> found(row) >> probed(record="user-50") << "result failed none stale_target"


@pytest.mark.requirement("ACT-8.3")
def test_a_refusal_by_the_guard_counts_as_the_one_stale_target() -> None:
    play = until_acting(Playbook(press())) >> refused("changed", "record_changed")
    play << "Find"
    play >> found(button(id="el_2")) >> probed() >> lane_taken >> watching() >> recorded << "Perform click"
    play >> refused("gone") << "result failed none stale_target"


def test_a_reference_to_a_removed_element_is_stale_at_once() -> None:
    target = ActionTarget(ref=InstanceIdRef(value="el_7"))
    Playbook(press(target=target)) >> started >> found() << "result failed none stale_target"


@pytest.mark.requirement("ACT-9.5")
def test_a_press_that_would_hit_something_else_is_checked_again_and_never_sent_twice() -> None:
    play = until_acting(Playbook(press())) >> refused("obscured", "other_target")
    play << "Find"
    play >> found(button()) >> probed(obscured=True, covering="div") << "ScrollTo el_1"
    play >> probed(obscured=True, covering="div") << "progress recovering"
    play.at(2.0) >> woke >> probed(obscured=True, covering="div")
    play << "result failed none target_not_interactable"


@pytest.mark.requirement("ACT-15", "ACT-13.2", "ACT-9.1")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("cross_origin_frame", "cross_origin_unavailable"),
        ("closed_shadow", "closed_shadow_unavailable"),
    ],
)
def test_a_target_in_an_opaque_region_is_refused_with_its_own_code(kind: str, code: str) -> None:
    Playbook(press()) >> started >> found(opaque=kind) << f"result failed none {code}"
    host = button(affordances=("read",))
    Playbook(press()) >> started >> found(host, opaque=kind) << f"result failed none {code}"


@pytest.mark.requirement("ACT-9.2")
@pytest.mark.parametrize(
    "facts",
    [{"visible": False}, {"enabled": False}, {"blocked": True}, {"stable": False}],
    ids=["hidden", "disabled", "blocked", "moving"],
)
def test_a_target_that_is_not_ready_is_waited_for_and_then_refused(facts: dict[str, bool]) -> None:
    play = until_checked(Playbook(press())) >> probed(**facts) << "progress recovering"
    play.at(1.0) >> page_changed << "progress checking_preconditions, Probe el_1"
    play >> probed(**facts) << "progress recovering"
    play.at(2.0) >> woke >> probed(**facts) << "result failed none target_not_interactable"


@pytest.mark.requirement("ACT-9.2", "ACT-13.1")
def test_a_target_out_of_view_is_scrolled_to_once() -> None:
    play = until_checked(Playbook(press())) >> probed(in_viewport=False) << "ScrollTo el_1"
    play >> probed() << "progress executing, TakeLane"
    play >> lane_taken >> watching() >> recorded >> dispatched() >> observed("x", complete=True)
    play.at(0.06) >> observed("x", complete=True) << "result succeeded applied"
    assert play.metadata["recovery"] == ["scrolled"]


@pytest.mark.requirement("ACT-9.3")
@pytest.mark.parametrize("facts", [{"readonly": True}, {"editable": False}])
def test_text_is_not_entered_into_an_element_that_is_not_editable(facts: dict[str, bool]) -> None:
    play = until_checked(
        Playbook(action(request("ui.enterText", args={"text": "x"}))), button(role="textbox")
    )
    play >> probed(role="textbox", **facts) << "result failed none target_not_interactable"


# -- idempotent actions -------------------------------------------------------------------------------------


def test_an_end_state_that_is_already_reached_is_a_no_op() -> None:
    play = Playbook(action(request("ui.enterText", args={"text": "x"})))
    until_checked(play, button(role="textbox")) >> probed(role="textbox", editable=True) >> lane_taken
    play >> watching(ALREADY) << "result succeeded none"
    assert play.metadata["outcome"] == "no_op"
    assert play.metadata["alreadyTrue"] == ["value.equals"]


def test_reading_needs_no_gesture() -> None:
    play = (
        until_checked(Playbook(action(request("ui.read", args={"what": "text"})))) >> probed() >> lane_taken
    )
    play << "ReadElement"
    play >> read(text="Hello") << "result succeeded none"
    assert play.result.return_value == {"text": "Hello"}


def test_navigation_succeeds_once_the_page_is_idle() -> None:
    play = Playbook(action(request("nav.navigate", None, args={"url": "/videos"}))) >> started
    play << "progress checking_preconditions, progress executing, TakeLane"
    play >> lane_taken >> watching() << "Navigate /videos"
    play >> dispatched() >> observed(None, navigated=True, revision="rev_3", complete=True) << ""
    play.at(0.04) >> observed(None, navigated=True, revision="rev_4", complete=True) << ""
    play.at(0.08) >> observed(None, navigated=True, revision="rev_4", complete=True) << ""
    (
        play.at(0.1)
        >> observed(None, navigated=True, revision="rev_4", complete=True)
        << "result succeeded applied"
    )


@pytest.mark.parametrize(("quiet_ahead", "loading", "verified"), [
    (0.049, False, True), (0.049, True, False), (0.02, False, False),
])  # fmt: skip
def test_navigation_succeeds_at_once_if_the_page_has_nothing_scheduled(
    quiet_ahead: float, loading: bool, verified: bool
) -> None:
    play = Playbook(action(request("nav.navigate", None, args={"url": "/videos"}))) >> started
    play >> lane_taken >> watching() >> dispatched()
    play >> observed(None, navigated=True, complete=True, quiet_ahead=quiet_ahead, loading=loading)
    assert bool(play.results) is verified


def test_navigation_waits_for_content_that_comes_over_a_socket() -> None:
    play = Playbook(action(request("nav.navigate", None, args={"url": "/app"}))) >> started
    play >> lane_taken >> watching() >> dispatched()
    coming = observed(None, navigated=True, complete=True, quiet_ahead=0.049, content_coming=True)
    play >> coming << ""
    play.at(0.3) >> coming << ""
    play.at(0.4) >> observed(None, navigated=True, complete=True, quiet_ahead=0.049)
    play << "result succeeded applied"


def test_navigation_to_a_page_that_is_never_idle_succeeds_at_the_timeout() -> None:
    play = (
        Playbook(action(request("nav.navigate", None, args={"url": "/feed"})))
        >> started
        >> lane_taken
        >> watching()
    )
    play >> dispatched()
    for number in range(10):
        play.at(number / 10) >> observed(None, navigated=True, revision=f"rev_{number}", complete=True) << ""
    (
        play.at(1.0)
        >> observed(None, navigated=True, revision="rev_12", complete=True)
        << "result succeeded applied"
    )


# -- cancelling (ACT-5.6) -----------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-5.6")
@pytest.mark.parametrize(
    ("state", "play", "effect"),
    [
        ("RECEIVED", lambda: Playbook(press()), "none"),
        ("RESOLVING_TARGET", lambda: Playbook(press()) >> started, "none"),
        ("RECOVERING", lambda: Playbook(press()) >> started >> found(), "none"),
        ("CHECKING_PRECONDITIONS", lambda: until_checked(Playbook(press())), "none"),
        ("AWAITING_CONFIRMATION", asking, "none"),
        (
            "EXECUTING",
            lambda: until_checked(Playbook(press())) >> probed() >> lane_taken >> watching(),
            "none",
        ),
        ("EXECUTING", lambda: until_acting(Playbook(press())), "unknown"),
        ("WAITING_FOR_USER", lambda: until_acting(Playbook(press())) >> dispatched("dialog"), "unknown"),
        ("VERIFYING", lambda: until_verifying(Playbook(press())), "unknown"),
        ("VERIFYING", lambda: until_verifying(Playbook(press())) >> observed("text"), "applied"),
    ],
)
def test_cancelling_reports_the_true_side_effect(state: str, play: object, effect: str) -> None:
    conversation: Playbook = play()  # type: ignore[operator]
    assert conversation.action.state == state
    conversation >> cancelled << f"action.cancelled, result cancelled {effect} cancelled"
    conversation >> cancelled << ""
    conversation >> woke << ""


@pytest.mark.parametrize(
    ("play", "words"),
    [
        (lambda: until_checked(Playbook(press())), "result failed none stale_target"),
        (lambda: until_acting(Playbook(press())), "result failed unknown internal_runtime_error"),
        (lambda: until_verifying(Playbook(press())), "result failed unknown internal_runtime_error"),
    ],
)
def test_a_lost_page_reports_the_true_side_effect(play: object, words: str) -> None:
    conversation: Playbook = play()  # type: ignore[operator]
    conversation >> page_lost << words


def test_a_page_that_closes_itself_on_the_press_is_its_effect() -> None:
    play = until_acting(Playbook(press())) >> dispatched("closed") << "progress verifying, Observe"
    play >> page_lost << "result succeeded applied"


def test_a_mismatch_in_a_playbook_shows_both_sides() -> None:
    with pytest.raises(AssertionError, match=r"-Probe el_1\n\+Find"):
        Playbook(press()) >> started << "Probe el_1"


def test_a_toggle_button_is_verified_by_its_pressed_state() -> None:
    pressed = button(state=WebElementState(visible=True, pressed=False))
    play = until_verifying(Playbook(action(request("ui.toggle"))), pressed, UNMET)
    signal = play.inside.expectation.own[0]
    assert signal.kind == "element.state" and signal.state.pressed is True  # type: ignore[union-attr]
