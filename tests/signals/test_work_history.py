"""Work that never changes anything is learned, and one change is enough to wait for it again."""

from __future__ import annotations

from uiap.signals.work import FOLLOWED_S, PendingWork
from uiap.signals.work_history import HARMLESS_AFTER, MAX_KEYS, WorkHistory

HIDES = PendingWork("timer", 10.0, 5000)
SOCKET = PendingWork("socket", 10.0)


def ends(
    history: WorkHistory, times: int, *, changes_after: float | None = None, work: PendingWork = HIDES
) -> None:
    """Let the work of several inputs begin and end, with a change `changes_after` seconds later."""
    for number in range(times):
        token = f"op{number}"
        history.reported(token, (work,), 10.0)
        history.reported(token, (), 15.0)
        if changes_after is not None:
            history.touched(token, 15.0 + changes_after)


def is_harmless(history: WorkHistory, work: PendingWork = HIDES, at: float = 100.0) -> bool:
    return history.marked([work], at)[0].harmless


def test_work_is_harmless_after_it_ended_quietly_several_times() -> None:
    history = WorkHistory()
    ends(history, HARMLESS_AFTER - 1)
    assert not is_harmless(history)
    ends(history, 1)
    assert is_harmless(history)


def test_work_that_was_seen_to_hide_a_message_is_harmless_at_once() -> None:
    history = WorkHistory()
    history.reported("op", (HIDES,), 10.0)
    history.reported("op", (), 15.0)
    history.hid_message("op", 15.0)
    assert is_harmless(history)
    other = PendingWork("timer", 10.0, 700)
    history.reported("op", (other,), 10.0)
    history.reported("op", (), 15.0)
    history.touched("op", 15.1)
    assert not is_harmless(history, other), "it changed something else as well"


def test_one_change_makes_it_count_again_for_good() -> None:
    history = WorkHistory()
    ends(history, HARMLESS_AFTER)
    assert is_harmless(history)
    ends(history, 1, changes_after=0.05)
    ends(history, HARMLESS_AFTER)
    assert not is_harmless(history)


def test_a_change_at_another_time_or_of_another_input_is_not_of_this_work() -> None:
    history = WorkHistory()
    ends(history, HARMLESS_AFTER, changes_after=2.0)
    history.touched("another input", 15.0)
    assert is_harmless(history)


def test_work_is_judged_only_when_its_changes_have_arrived() -> None:
    history = WorkHistory()
    ends(history, HARMLESS_AFTER)
    assert not is_harmless(history, at=15.1)
    assert is_harmless(history, at=15.5)


def test_a_channel_that_never_answers_is_harmless_only_after_it_was_followed() -> None:
    history = WorkHistory()
    for number in range(HARMLESS_AFTER):
        history.reported(f"op{number}", (SOCKET, HIDES), 10.0)
    assert not is_harmless(history, SOCKET, at=10.0 + FOLLOWED_S / 2)
    assert is_harmless(history, SOCKET, at=10.0 + FOLLOWED_S)
    assert not is_harmless(history, at=10.0 + FOLLOWED_S), "the timer is not due yet"


def test_an_answer_is_never_harmless_because_the_next_one_may_refuse() -> None:
    history = WorkHistory()
    ends(history, 2 * HARMLESS_AFTER, work=SOCKET)
    assert not is_harmless(history, SOCKET)


def test_a_timer_that_sends_something_is_never_harmless() -> None:
    history, request = WorkHistory(), PendingWork("request", 15.0, "/check")
    for number in range(2 * HARMLESS_AFTER):
        history.reported(f"op{number}", (HIDES,), 10.0)
        history.reported(f"op{number}", (request,), 15.0)
    assert not is_harmless(history)


def test_two_timers_alike_end_one_by_one() -> None:
    history = WorkHistory()
    history.reported("op", (HIDES, HIDES), 10.0)
    history.reported("op", (HIDES,), 15.0)
    history.hid_message("op", 15.0)
    assert is_harmless(history)


def test_the_memory_is_bounded() -> None:
    history = WorkHistory()
    for delay in range(2 * MAX_KEYS):
        ends(history, HARMLESS_AFTER, work=PendingWork("timer", 10.0, delay))
    assert is_harmless(history, PendingWork("timer", 10.0, 2 * MAX_KEYS - 1))
    assert not is_harmless(history, PendingWork("timer", 10.0, 0))
