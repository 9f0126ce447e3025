"""One moment on two clocks, and how a moment is written. Reading a clock is left to the host."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Instant(msgspec.Struct, frozen=True, array_like=True):
    """A moment: monotonic seconds for waiting, and the wall clock's UTC time for records."""

    mono: float
    wall: str


def timestamp(wall: datetime) -> str:
    """Return a UTC time in ISO 8601 with milliseconds, as in `2026-03-01T10:00:00.000Z`."""
    return wall.strftime("%Y-%m-%dT%H:%M:%S.") + f"{wall.microsecond // 1000:03d}Z"
