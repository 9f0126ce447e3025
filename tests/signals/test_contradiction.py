"""A failure that the page reports because of the input contradicts every success."""

from __future__ import annotations

import pytest

from tests.support.playbook import CAUSED, Playbook, observed, press, until_verifying
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import ToastContains


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


def test_words_of_success_in_an_error_do_not_help() -> None:
    spec = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),))
    play = until_verifying(Playbook(press(verification=spec)), None, CAUSED)
    complaint = "Not saved: only 5 orders can be Saved at a time"
    play.at(0.1) >> observed("text", CAUSED, complete=True, work=(), contradiction=complaint)
    assert play.result.status == "failed"
