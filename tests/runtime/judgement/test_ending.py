"""The third question: an effect counts once the work of the input has ended."""

from __future__ import annotations

import pytest

from tests.support.playbook import Playbook, observed, press, until_verifying
from uiap.signals.work import PendingWork

TIMER = PendingWork("timer", 1000.0, 400)


def test_an_effect_is_verified_at_once_if_all_work_has_ended() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=())
    assert play.result.status == "succeeded"


def test_a_pending_timer_is_waited_for_and_may_take_the_effect_back() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.01) >> observed("text", complete=True, work=(TIMER,))
    assert not play.results and play.alarm == pytest.approx(0.45)
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
