"""The fake clock and the system clock."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from uiap.host.clock import FakeClock, SystemClock
from uiap.instant import timestamp


def test_alarms_run_in_order_at_their_own_time():
    clock = FakeClock()
    ran: list[tuple[str, float]] = []
    start = clock.now().mono
    for name, after in (("late", 9.0), ("early", 3.0), ("also early", 3.0)):
        clock.call_at(start + after, lambda name=name: ran.append((name, clock.now().mono - start)))
    clock.advance(2.9)
    assert ran == []
    clock.advance(7)
    assert ran == [("early", 3.0), ("also early", 3.0), ("late", 9.0)]
    assert clock.now().mono == start + 9.9


def test_an_alarm_set_by_an_alarm_runs_in_the_same_advance():
    clock = FakeClock()
    ran: list[float] = []
    start = clock.now().mono

    def again() -> None:
        ran.append(clock.now().mono - start)
        if len(ran) < 4:
            clock.call_at(clock.now().mono + 1, again)

    clock.call_at(start + 1, again)
    clock.advance(10)
    assert ran == [1, 2, 3, 4]


def test_a_cancelled_alarm_does_not_run():
    clock = FakeClock()
    ran: list[str] = []
    clock.call_at(clock.now().mono + 1, lambda: ran.append("no")).cancel()
    clock.call_at(clock.now().mono - 5, lambda: ran.append("overdue"))
    clock.advance(0)
    assert ran == ["overdue"]
    clock.advance(5)
    assert ran == ["overdue"]


def test_a_wall_clock_jump_leaves_monotonic_time_unchanged():
    clock = FakeClock("2026-03-29T00:59:59.900Z")
    before = clock.now()
    clock.jump_wall(-3600)
    assert clock.now().mono == before.mono
    assert clock.now().wall == "2026-03-28T23:59:59.900Z"
    clock.advance(0.2)
    assert clock.now().wall == "2026-03-29T00:00:00.100Z"
    assert clock.now().mono == before.mono + 0.2


async def test_the_system_clock_runs_an_alarm_after_its_time_and_not_before():
    clock = SystemClock()
    ran = asyncio.Event()
    due = time.monotonic() + 0.02
    clock.call_at(due, ran.set)
    await asyncio.wait_for(ran.wait(), 10)
    assert clock.now().mono >= due - 0.001
    late = asyncio.Event()
    clock.call_at(time.monotonic() - 1, late.set)
    await asyncio.wait_for(late.wait(), 10)


def test_the_system_clock_writes_the_wall_time_to_the_millisecond():
    clock = SystemClock()
    before = timestamp(datetime.now(UTC))
    instants = [clock.now() for _ in range(2000)]
    after = timestamp(datetime.now(UTC))
    assert before <= instants[0].wall <= instants[-1].wall <= after
    assert sorted(one.wall for one in instants) == [one.wall for one in instants]
    assert all(len(one.wall) == 24 and one.wall.endswith("Z") for one in instants)
