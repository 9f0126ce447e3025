"""The input that a gesture needs of a device: touches, keys, and whether anything was sent.

The packages `android` and `appium` implement it, each for its own connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from uiap.drivers.driver import RefusalReason
from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.hierarchy import Node

Point = tuple[int, int]
SWIPE_MS, DRAG_MS, PINCH_MS = 300, 600, 400


class InputNotSent(DriverError):
    """Nothing was sent; `reason` says why."""

    def __init__(self, message: str, reason: RefusalReason = "invalid") -> None:
        super().__init__(message)
        self.reason = reason


class InputUncertain(DriverError):
    """The device reported an error after it had started the input."""


class TouchInput(Protocol):
    """Touches and keys of one device."""

    sent: bool
    """Whether any input may have reached the screen since this was last set to False."""
    last_sent_at: float
    """When the last input was sent, on the host's monotonic clock."""

    async def tap(self, point: Point, count: int = 1) -> None: ...

    async def hold(self, point: Point, ms: float) -> None: ...

    async def swipe(self, start: Point, end: Point) -> None: ...

    async def drag(self, start: Point, end: Point) -> None: ...

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        """Move two fingers, each from its first point to its second."""
        ...

    async def press(self, key: str, modifiers: Sequence[str] = ()) -> None:
        """Press a key by its UI Events name."""
        ...

    async def back(self) -> None:
        """Leave the front window, as the Back button does."""
        ...

    async def why_untypeable(self, text: str) -> str:
        """Return why this text cannot be typed here; empty if it can."""
        ...

    async def write(self, field: Node, at: Point | None, text: str, *, replace: bool) -> None:
        """Write into a field: replace its text, or append to it.

        A field without the focus is first touched at `at`.
        """
        ...
