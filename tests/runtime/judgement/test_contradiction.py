"""A failure that the page reports because of the input contradicts every success."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.support.playbook import (
    CAUSED,
    UNMET,
    EventFactory,
    Playbook,
    action,
    button,
    dispatched,
    found,
    lane_taken,
    observed,
    press,
    probed,
    request,
    started,
    until_verifying,
    watching,
    woke,
)
from uiap.instant import Instant
from uiap.runtime.expectation import Expectation
from uiap.runtime.judgement.contradiction import contradiction
from uiap.signals.effect_report import InvalidField
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import InstanceIdRef, ToastContains, ValueEquals
from uiap.spec.web import WebElementState


def verdict(**members: object) -> Playbook:
    play = until_verifying(Playbook(press()))
    return play.at(0.1) >> observed("text", complete=True, work=(), **members)


def test_a_reported_failure_ends_the_action_with_the_words_of_the_page() -> None:
    play = verdict(contradiction="Payment declined")
    assert play.result.status == "failed" and play.result.side_effect_state == "unknown"
    assert play.message == "the page reports a failure: Payment declined"
    assert verdict().result.status == "succeeded"


@pytest.mark.parametrize(("text", "status"), [("declined", "succeeded"), ("Saved", "failed")])
def test_a_failure_that_the_caller_waits_for_is_no_contradiction(text: str, status: str) -> None:
    spec = VerificationSpec(policy="all", signals=(ToastContains(text=text),))
    play = until_verifying(Playbook(press(verification=spec)), None, CAUSED)
    play.at(0.1) >> observed("text", CAUSED, complete=True, work=(), contradiction="Payment declined")
    assert play.result.status == status


@pytest.mark.parametrize(
    ("proved", "complaint", "status"),
    [
        (True, "No permission to edit it", "succeeded"),
        (True, "Not saved: no connection", "failed"),
        (False, "No permission to edit it", "failed"),
    ],
)
def test_a_message_that_a_recording_saw_beside_the_success_is_no_contradiction(
    proved: bool, complaint: str, status: str
) -> None:
    spec = VerificationSpec(policy="all", signals=(ToastContains(text="Created"),)) if proved else UNSET
    play = until_verifying(
        Playbook(press(verification=spec, metadata={"expectedMessages": ["No permission to edit"]})),
        None,
        *((CAUSED,) if proved else ()),
    )
    verdicts = (CAUSED,) if proved else ()
    play.at(0.1) >> observed("text", *verdicts, complete=True, work=(), contradiction=complaint)
    assert play.result.status == status


def test_a_text_behind_a_field_ends_a_press_unless_the_caller_expects_a_signal() -> None:
    play = verdict(beside_field="Someone else has this name")
    assert play.message == "the page reports a failure: Someone else has this name"
    spec = VerificationSpec(policy="all", signals=(ToastContains(text="Welcome"),))
    play = until_verifying(Playbook(press(verification=spec)), None, CAUSED)
    play.at(0.1) >> observed(
        "text", CAUSED, complete=True, work=(), beside_field="Someone else has this name"
    )
    assert play.result.status == "succeeded"


def test_words_of_success_in_an_error_do_not_help() -> None:
    spec = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),))
    play = until_verifying(Playbook(press(verification=spec)), None, CAUSED)
    complaint = "Not saved: only 5 orders can be Saved at a time"
    play.at(0.1) >> observed("text", CAUSED, complete=True, work=(), contradiction=complaint)
    assert play.result.status == "failed"


def filled(invalid: InvalidField) -> Playbook:
    """Return an action that typed into the field `el_1`, after the page reported an invalid field."""
    element = button(
        "Title", role="textbox", state=WebElementState(visible=True, editable=True, text_value="")
    )
    play = Playbook(action(request("ui.enterText", "Title", args={"text": "x"}), rules="trusted"))
    play >> started >> found(element) >> probed(role="textbox", name="Title", editable=True)
    play >> lane_taken >> watching(UNMET)
    play >> dispatched()
    return play.at(0.1) >> _seen(invalid)


def _seen(*invalid: InvalidField) -> EventFactory:
    return observed("text", CAUSED, complete=True, work=(), invalid_fields=invalid)


def test_a_press_that_makes_any_field_invalid_has_failed() -> None:
    play = verdict(invalid_fields=(InvalidField("el_9", 'textbox "Mail" is invalid: no @', empty=True),))
    assert play.message == 'the page reports a failure: textbox "Mail" is invalid: no @'


@pytest.mark.parametrize(
    ("field", "empty", "status"),
    [("el_1", False, "failed"), ("el_2", False, "succeeded"), ("el_1", True, "succeeded")],
)
def test_a_setter_is_judged_by_the_value_of_its_own_field(field: str, empty: bool, status: str) -> None:
    play = filled(invalid := InvalidField(field, "it is invalid", empty))
    if status == "failed":
        play.at(1.0) >> woke >> _seen(invalid)
    assert play.result.status == status


def test_a_field_that_was_invalid_while_it_was_typed_into_is_no_failure() -> None:
    play = filled(InvalidField("el_1", "it is too short", empty=False))
    play.at(0.3) >> woke >> _seen()
    assert play.result.status == "succeeded"


def test_a_message_that_limits_ends_a_press_once_everything_has_ended() -> None:
    play = verdict(limiting="We have only 3 of these")
    assert play.message == "the page reports a failure: We have only 3 of these"
    spec = VerificationSpec(policy="all", signals=(ToastContains(text="Welcome"),))
    play = until_verifying(Playbook(press(verification=spec)), None, CAUSED)
    play.at(0.1) >> observed("text", CAUSED, complete=True, work=(), limiting="We have only 3 of these")
    assert play.result.status == "succeeded", "the caller's own signal proves it"


@pytest.mark.parametrize(
    ("words", "reported"), [("Rain in May", False), ("Rain in May is not a title", True), ("Declined", True)]
)
def test_a_preview_of_the_entered_text_is_no_failure(words: str, reported: bool) -> None:
    entered = ValueEquals(target=InstanceIdRef(value="d1e1"), value="Rain in May")
    expectation = Expectation(policy="capability-default", own=(entered,), field="d1e1")
    event = observed("text", complete=True, work=(), contradiction=words)(Instant(1.0, ""))
    assert (contradiction(expectation, event) is not None) is reported
