"""Work that never changes anything is learned, and one change is enough to wait for it again."""

from __future__ import annotations

from uiap.signals.work import PendingWork
from uiap.signals.work_history import HARMLESS_AFTER, WorkHistory, ended_work

HIDES = PendingWork("timer", 10.0, 900)
SOCKET = PendingWork("socket", 10.0)


def quiet_end(history: WorkHistory, times: int, touched_at: tuple[float, ...] = ()) -> None:
    for _ in range(times):
        history.learn([(HIDES.key, 10.9)], (), touched_at, 11.0)


def test_work_is_harmless_after_it_ended_quietly_several_times() -> None:
    history = WorkHistory()
    quiet_end(history, HARMLESS_AFTER - 1)
    assert not history.marked([HIDES])[0].harmless
    quiet_end(history, 1)
    assert history.marked([HIDES])[0].harmless


def test_one_change_makes_it_count_again_for_good() -> None:
    history = WorkHistory()
    quiet_end(history, HARMLESS_AFTER)
    quiet_end(history, 1, touched_at=(10.95,))
    quiet_end(history, HARMLESS_AFTER)
    assert not history.is_harmless(HIDES.key)


def test_a_change_at_another_time_is_not_of_this_work() -> None:
    history = WorkHistory()
    quiet_end(history, HARMLESS_AFTER, touched_at=(10.0,))
    assert history.is_harmless(HIDES.key)


def test_a_channel_that_never_answers_is_harmless_only_after_it_was_followed() -> None:
    history = WorkHistory()
    for _ in range(HARMLESS_AFTER):
        history.learn((), [SOCKET], (), 11.0)
    assert not history.is_harmless(SOCKET.key)
    for _ in range(HARMLESS_AFTER):
        history.learn((), [SOCKET], (), 20.0)
    assert history.is_harmless(SOCKET.key)


def test_only_work_of_learned_kinds_counts_as_ended() -> None:
    request = PendingWork("request", 10.0, "/save")
    assert ended_work([HIDES, HIDES, request], [HIDES]) == [HIDES.key]


def test_the_memory_is_bounded() -> None:
    history = WorkHistory()
    for number in range(2_000):
        history.record(f"timer {number}", changed=False)
    history.record("timer 0", changed=False)
    assert not history.is_harmless("timer 0")
