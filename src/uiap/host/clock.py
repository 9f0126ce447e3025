"""Monotonic clock, wall clock and timer behind one protocol, so that tests can control time.

Timeouts use the monotonic clock. The wall clock only labels records, so that a jump of it delays nothing.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from uiap.instant import Instant, timestamp


class Alarm(Protocol):
    """A scheduled callback."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """The time now, and callbacks at a later time."""

    def now(self) -> Instant: ...

    def call_at(self, mono: float, callback: Callable[[], None]) -> Alarm: ...


class SystemClock:
    """The system's clocks, with timers on the running event loop."""

    def __init__(self) -> None:
        self._second, self._prefix = -1, ""

    def now(self) -> Instant:
        """Return the current instant. The part that changes once a second is cached, as every message asks for it."""
        milliseconds = time.time_ns() // 1_000_000
        second, rest = divmod(milliseconds, 1000)
        if second != self._second:
            self._second = second
            self._prefix = timestamp(datetime.fromtimestamp(second, UTC))[:20]
        return Instant(time.monotonic(), f"{self._prefix}{rest:03d}Z")

    def call_at(self, mono: float, callback: Callable[[], None]) -> Alarm:
        return asyncio.get_running_loop().call_later(max(0.0, mono - time.monotonic()), callback)


class _FakeAlarm:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class FakeClock:
    """A clock that tests move. `jump_wall` moves the wall clock alone, as a person or NTP would."""

    def __init__(self, wall: str = "2026-03-26T14:00:00.000Z") -> None:
        self._mono = 1000.0
        self._wall = datetime.fromisoformat(wall)
        self._alarms: list[tuple[float, int, _FakeAlarm]] = []
        self._order = itertools.count()

    def now(self) -> Instant:
        return Instant(self._mono, timestamp(self._wall))

    def call_at(self, mono: float, callback: Callable[[], None]) -> Alarm:
        alarm = _FakeAlarm(callback)
        heapq.heappush(self._alarms, (mono, next(self._order), alarm))
        return alarm

    def advance(self, seconds: float) -> None:
        """Move both clocks forward, and run each alarm that falls due at its own time."""
        end = self._mono + seconds
        while self._alarms and self._alarms[0][0] <= end:
            mono, _, alarm = heapq.heappop(self._alarms)
            self._move_to(max(mono, self._mono))
            if alarm.callback is not None:
                alarm.callback()
        self._move_to(end)

    def jump_wall(self, seconds: float) -> None:
        self._wall += timedelta(seconds=seconds)

    def _move_to(self, mono: float) -> None:
        self._wall += timedelta(seconds=mono - self._mono)
        self._mono = mono
