"""What a hand needs of a device: fingers, keys, and a word on whether anything was sent. Every wire has its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from uiap.drivers.driver import RefusalReason
from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.hierarchy import Node

Point = tuple[int, int]
SWIPE_MS, DRAG_MS, PINCH_MS = 300, 600, 400


class InputNotSent(DriverError):
    """Nothing was sent, and why."""

    def __init__(self, message: str, reason: RefusalReason = "invalid") -> None:
        super().__init__(message)
        self.reason = reason


class InputUncertain(DriverError):
    """The device complained after it had begun."""


class TouchInput(Protocol):
    sent: bool
    """Something may have reached the screen since this was last set to False."""
    last: float
    """When the last input had gone out, on the host's monotonic clock."""

    async def tap(self, point: Point, count: int = 1) -> None: ...

    async def hold(self, point: Point, ms: float) -> None: ...

    async def swipe(self, start: Point, end: Point) -> None: ...

    async def drag(self, start: Point, end: Point) -> None: ...

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        """Two fingers, each from its first point to its second."""
        ...

    async def press(self, key: str, held: Sequence[str] = ()) -> None:
        """A key by its UI Events name."""
        ...

    async def back(self) -> None:
        """As a person leaves what lies in front."""
        ...

    async def untypeable(self, text: str) -> str:
        """Why this text cannot be typed here; empty where it can."""
        ...

    async def write(self, field: Node, at: Point | None, text: str, *, anew: bool) -> None:
        """Into a field, instead of what it holds or after it; `at`: where it is touched first to have the focus."""
        ...
