"""Time in the hand of a test, and real time behind the same face."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from uiap.host.clock import FakeClock, SystemClock
from uiap.instant import timestamp


def test_alarms_ring_in_order_at_their_own_moments():
    clock = FakeClock()
    rung: list[tuple[str, float]] = []
    start = clock.now().mono
    for name, after in (("late", 9.0), ("early", 3.0), ("also early", 3.0)):
        clock.call_at(start + after, lambda name=name: rung.append((name, clock.now().mono - start)))
    clock.advance(2.9)
    assert rung == []
    clock.advance(7)
    assert rung == [("early", 3.0), ("also early", 3.0), ("late", 9.0)]
    assert clock.now().mono == start + 9.9


def test_an_alarm_set_by_an_alarm_rings_in_the_same_advance():
    clock = FakeClock()
    rung: list[float] = []
    start = clock.now().mono

    def again() -> None:
        rung.append(clock.now().mono - start)
        if len(rung) < 4:
            clock.call_at(clock.now().mono + 1, again)

    clock.call_at(start + 1, again)
    clock.advance(10)
    assert rung == [1, 2, 3, 4]


def test_a_cancelled_alarm_stays_silent():
    clock = FakeClock()
    rung: list[str] = []
    clock.call_at(clock.now().mono + 1, lambda: rung.append("no")).cancel()
    clock.call_at(clock.now().mono - 5, lambda: rung.append("overdue"))
    clock.advance(0)
    assert rung == ["overdue"]
    clock.advance(5)
    assert rung == ["overdue"]


def test_the_wall_clock_jumps_alone():
    clock = FakeClock("2026-03-29T00:59:59.900Z")
    before = clock.now()
    clock.jump_wall(-3600)
    assert clock.now().mono == before.mono
    assert clock.now().wall == "2026-03-28T23:59:59.900Z"
    clock.advance(0.2)
    assert clock.now().wall == "2026-03-29T00:00:00.100Z"
    assert clock.now().mono == before.mono + 0.2


async def test_the_system_clock_rings_after_the_time_asked_for_and_not_before():
    clock = SystemClock()
    rung = asyncio.Event()
    due = time.monotonic() + 0.02
    clock.call_at(due, rung.set)
    await asyncio.wait_for(rung.wait(), 10)
    assert clock.now().mono >= due - 0.001
    late = asyncio.Event()
    clock.call_at(time.monotonic() - 1, late.set)
    await asyncio.wait_for(late.wait(), 10)


def test_the_system_clock_writes_the_wall_time_to_the_millisecond():
    clock = SystemClock()
    before = timestamp(datetime.now(UTC))
    said = [clock.now() for _ in range(2000)]
    after = timestamp(datetime.now(UTC))
    assert before <= said[0].wall <= said[-1].wall <= after
    assert sorted(one.wall for one in said) == [one.wall for one in said]
    assert all(len(one.wall) == 24 and one.wall.endswith("Z") for one in said)
