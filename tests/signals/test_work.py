"""How long the work of an input is worth waiting for."""

from __future__ import annotations

import pytest

from uiap.signals.work import DRAFT_ANSWER_S, FOLLOWED_S, PendingWork, ReportedWork, wait_until


@pytest.mark.parametrize(
    ("work", "effect", "expected"),
    [
        (PendingWork("timer", 10.0, 400), True, 13.55),
        (PendingWork("timer", 10.0, 3000), True, 13.55),
        (PendingWork("timer", 10.0, 3000, harmless=True), True, 0.0),
        (PendingWork("timer", 10.0, 3000, harmless=True), False, 13.55),
        (PendingWork("timer", 10.0, 5000), True, 0.0),
        (PendingWork("frame", 10.0), True, 11.0),
        (PendingWork("animation", 10.0), True, 11.0),
        (PendingWork("request", 10.0, "/api"), True, 13.5),
        (PendingWork("socket", 10.0), True, 13.5),
        (PendingWork("socket", 10.0, harmless=True), True, 10.15),
        (PendingWork("database", 10.0), False, 10.5),
        (PendingWork("unheard of", 10.0), False, 0.0),
    ],
)
def test_each_kind_of_work_is_waited_for_its_own_time(
    work: PendingWork, effect: bool, expected: float
) -> None:
    assert wait_until([work], effect=effect) == pytest.approx(expected)


def test_the_latest_of_several_counts_and_no_work_is_not_waited_for() -> None:
    work = [PendingWork("timer", 10.0, 100), PendingWork("frame", 10.0)]
    assert wait_until(work, effect=True) == pytest.approx(13.55)
    assert wait_until(work[1:], effect=True) == pytest.approx(11.0)
    assert wait_until([], effect=True) == 0.0


def test_work_is_named_in_words() -> None:
    assert PendingWork("timer", 1.0, 250).words == "a timer of 250 ms"
    assert PendingWork("request", 1.0, "/api/save").words == "a request /api/save"


def test_a_far_end_has_a_second_to_answer_a_draft() -> None:
    asked = PendingWork("socket", 10.0)
    assert asked.wait_until(effect=True, draft=True) == 10.0 + DRAFT_ANSWER_S
    assert asked.wait_until(effect=True) == asked.wait_until(effect=False, draft=True) == 10.0 + FOLLOWED_S
    assert PendingWork("request", 10.0).wait_until(effect=True, draft=True) == 10.0 + FOLLOWED_S


def test_an_end_of_work_is_known_by_a_report_without_it() -> None:
    timer, request = PendingWork("timer", 10.0, 20), PendingWork("request", 10.0, "/api")
    reported = ReportedWork()
    reported.record("t1", (timer, request), 10.1)
    assert (reported.changed_at, reported.ended_at) == (10.1, 0.0)
    reported.record("t1", (request,), 10.2)
    reported.record("t1", (request, timer), 10.3)
    assert (reported.changed_at, reported.ended_at) == (10.3, 10.2)


def test_the_work_of_inputs_is_unknown_until_each_was_reported() -> None:
    reported = ReportedWork()
    assert reported.of_all({"t1"}) is None
    reported.record("t1", (), 10.0)
    assert reported.of_all({"t1"}) == () and reported.of_all({"t1", "t2"}) is None
    assert reported.of_all(set()) is None
    reported.record("t1", (PendingWork("timer", 10.0, 20),), 10.1)
    assert reported.of_all({"t1", "t2"}) == reported.of("t1")
    reported.end()
    assert reported.of_all({"t1"}) == ()
