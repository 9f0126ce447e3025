"""A session that works all the time pauses if others are active, and never if it is alone."""

from __future__ import annotations

import sys

import pytest

from uiap.fair_share import (
    ACTIVE_S,
    CREDIT_S,
    FIRST_SHARE,
    MAX_PAUSE_S,
    SHARE,
    SWITCH_INTERVAL,
    ActiveSessions,
    FairShare,
    give_way,
    working_for,
)


class HandClock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def test_a_session_alone_in_its_process_never_pauses(clock: HandClock) -> None:
    share = FairShare(ActiveSessions(clock), clock)
    share.mark()
    share.spend(60)
    assert share.pause_s() == 0


def test_a_session_beside_others_pauses_once_its_credit_is_used(clock: HandClock) -> None:
    sessions = ActiveSessions(clock)
    busy, other = FairShare(sessions, clock), FairShare(sessions, clock)
    busy.mark()
    other.mark()
    busy.spend(CREDIT_S)
    assert busy.pause_s() == 0, "the credit is free"
    busy.spend(0.1)
    assert busy.pause_s() == pytest.approx(0.1 / SHARE)
    assert other.pause_s() == 0
    clock.now_s += 0.1 / SHARE
    other.mark()
    assert busy.pause_s() == pytest.approx(0, abs=1e-9)
    busy.spend(60)
    assert busy.pause_s() == MAX_PAUSE_S, "no question waits for ever"


def test_a_session_that_is_not_used_any_more_slows_nobody(clock: HandClock) -> None:
    sessions = ActiveSessions(clock)
    busy, closed = FairShare(sessions, clock), FairShare(sessions, clock)
    closed.mark()
    busy.spend(CREDIT_S + 1)
    assert busy.pause_s() > 0
    closed.close()
    assert busy.pause_s() == 0
    closed.mark()
    clock.now_s += ACTIVE_S + 0.1
    assert busy.pause_s() == 0


def test_a_share_without_sessions_is_kept_always(clock: HandClock) -> None:
    share = FairShare(None, clock)
    share.mark()
    share.spend(CREDIT_S + 0.2)
    assert share.pause_s() == pytest.approx(0.2 / SHARE)
    share.close()


def test_threads_give_way_sooner_only_while_work_runs() -> None:
    before = sys.getswitchinterval()
    with SWITCH_INTERVAL.shortened():
        within = sys.getswitchinterval()
        with SWITCH_INTERVAL.shortened():
            pass
        assert sys.getswitchinterval() == within < before
    assert sys.getswitchinterval() == before


def test_work_beside_others_rests_most_of_the_time_and_longer_without_credit(clock: HandClock) -> None:
    sessions = ActiveSessions(clock)
    busy, other = FairShare(sessions, clock), FairShare(sessions, clock)
    busy.mark()
    assert busy.rest_s(0.01) == 0, "it is alone"
    other.mark()
    assert busy.rest_s(0.01) == pytest.approx(0.01 * (1 / FIRST_SHARE - 1))
    assert busy.rest_s(0.01) >= 0.02, "two thirds at least are for the others"
    busy.spend(CREDIT_S + 1)
    assert busy.rest_s(0.01) == pytest.approx(0.01 * (1 / SHARE - 1))


def test_only_work_of_a_session_gives_way(monkeypatch: pytest.MonkeyPatch, clock: HandClock) -> None:
    rests: list[float] = []
    monkeypatch.setattr("uiap.fair_share._NEVER.wait", rests.append)
    monkeypatch.setattr("uiap.fair_share.time.monotonic", clock)
    sessions = ActiveSessions(clock)
    busy, other = FairShare(sessions, clock), FairShare(sessions, clock)
    other.mark()
    give_way()
    with working_for(busy):
        give_way()
        assert rests == [], "the slice has only begun"
        clock.now_s += 0.002
        give_way()
    clock.now_s += 1
    give_way()
    assert rests == [pytest.approx(0.002 * (1 / FIRST_SHARE - 1))]
