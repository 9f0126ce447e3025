"""The ending: an effect counts once the work of the input has ended."""

from __future__ import annotations

import pytest

from tests.support.playbook import Playbook, observed, press, until_verifying, woke
from uiap.actions.primitive import ValueProof
from uiap.instant import Instant
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation
from uiap.runtime.judgement.verification import NotYet, Verification
from uiap.signals.effect_report import EffectReport
from uiap.signals.work import DRAFT_ANSWER_S, FOLLOWED_S, PendingWork

TYPED = ValueProof(description="a text", test=lambda _now, _report: True)
TIMER = PendingWork("timer", 1000.0, 400)


def test_an_effect_is_verified_at_once_if_all_work_has_ended() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=())
    assert play.result.status == "succeeded"


def test_a_page_is_read_again_if_work_ended_while_it_was_read() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.02) >> observed("text", complete=True, work=(TIMER,), read_at=1000.01)
    play.at(0.42) >> observed("text", quick=True, work=(), read_at=1000.40, work_ended_at=1000.41)
    assert not play.results, "the changes of the work may not have arrived"
    play.at(0.43) >> observed(None, quick=True, work=(), read_at=1000.42, work_ended_at=1000.41)
    assert not play.results
    play.at(0.44) >> observed("text", complete=True, work=(), read_at=1000.43, work_ended_at=1000.41)
    assert play.result.status == "succeeded"


def test_a_page_whose_work_ends_at_every_reading_is_answered_in_the_end() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=(), work_ended_at=1000.01)
    assert not play.results
    play.at(FOLLOWED_S + 0.02) >> observed("text", quick=True, work=(), work_ended_at=1003.52)
    assert play.result.status == "succeeded"


def test_a_pending_timer_is_waited_for_and_may_take_the_effect_back() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=(TIMER,))
    assert not play.results and play.alarm == pytest.approx(3.51)
    play.at(0.41) >> observed(None, complete=True, work=(), work_changed_at=1000.41)
    assert not play.results
    play.at(1.0) >> observed(None, complete=True, work=(), work_changed_at=1000.41)
    assert play.result.status == "failed"


def test_work_that_is_not_waited_for_is_reported_as_unsettled() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=(PendingWork("timer", 1000.0, 4000),))
    assert play.result.status == "succeeded"
    assert play.metadata["settled"] is False and play.metadata["pending"] == ["a timer of 4000 ms"]


def test_a_press_without_an_effect_fails_once_its_work_has_ended() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed(None, complete=True, work=(), work_changed_at=1000.1)
    assert not play.results and play.alarm == pytest.approx(0.6)
    play.at(0.61) >> observed(None, complete=True, work=(), work_changed_at=1000.1)
    assert play.result.status == "failed"


def test_an_open_request_or_a_busy_element_is_waited_for() -> None:
    play = until_verifying(Playbook(press()))
    play.at(2.0) >> observed(None, complete=True, work=(), work_changed_at=1000.1, requests_open=1)
    play.at(3.0) >> observed(None, complete=True, work=(), work_changed_at=1000.1, busy="list")
    assert not play.results


def test_content_that_the_page_takes_back_is_no_success() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("row added", complete=True, work=(TIMER,), content=True)
    play.at(0.41) >> observed("toast", complete=True, work=(), work_changed_at=1000.41)
    assert not play.results
    play.at(1.0) >> observed("toast", complete=True, work=(), work_changed_at=1000.41)
    assert play.result.status == "failed" and "took its change back" in play.message


def test_an_endless_chain_of_timers_is_followed_for_a_bounded_time() -> None:
    play = until_verifying(Playbook(press()))
    for tenth in range(1, 36):
        at = tenth / 10
        play.at(at) >> observed("text", complete=True, work=(PendingWork("timer", 1000.0 + at, 400),))
        assert not play.results, at
    play.at(3.7) >> observed("text", complete=True, work=(PendingWork("timer", 1003.7, 400),))
    assert play.result.status == "succeeded" and play.metadata["settled"] is False


def test_the_result_carries_the_three_answers_with_their_evidence() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=())
    assert play.metadata["judgement"] == {
        "ownState": {"holds": True, "evidence": "the input reached its element"},
        "cause": {"holds": True, "evidence": "text"},
        "ending": {"holds": True, "evidence": "all work that it set going has ended"},
    }


def test_a_failed_result_says_which_question_was_answered_with_no() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=(), contradiction="Payment declined")
    answers = play.metadata["judgement"]
    assert [name for name, answer in answers.items() if not answer["holds"]] == ["ending"]
    assert "Payment declined" in answers["ending"]["evidence"]


def test_a_page_that_the_action_led_to_is_judged_when_it_has_loaded() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed("route is now /saved", complete=True, navigated=True, loading=True)
    assert not play.results
    play.at(0.3) >> observed("route is now /saved", complete=True, navigated=True)
    assert play.result.status == "succeeded"


def test_a_page_that_never_finishes_loading_has_arrived_at_the_timeout() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed("route is now /saved", complete=True, navigated=True, loading=True)
    play.at(5.1) >> woke
    assert play.result.status == "succeeded"


def test_a_page_that_loads_with_an_error_is_a_failure() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed("route is now /save", complete=True, navigated=True, loading=True)
    play.at(0.3) >> observed(
        "route is now /save", complete=True, navigated=True, contradiction="Please correct the errors below"
    )
    assert play.result.status == "failed"


@pytest.mark.parametrize(("typed", "until_s"), [(None, FOLLOWED_S), (TYPED, DRAFT_ANSWER_S)])
def test_only_a_typed_text_is_a_draft_that_a_far_end_may_ignore(
    typed: ValueProof | None, until_s: float
) -> None:
    """A switch or a slider sets a field too, and its page may refuse it later over a channel."""
    wanted = Expectation(policy="all", field="el_1", equivalent=typed)
    report = EffectReport(work=(PendingWork("events", 10.0),))
    finding = Verification(wanted).observed(Observed(at=Instant(10.01, ""), report=report, complete=True))
    assert isinstance(finding, NotYet) and finding.observe_at == pytest.approx(10.0 + until_s, abs=0.02)
