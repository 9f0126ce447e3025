"""One reading of a touch screen."""

from __future__ import annotations

from dataclasses import dataclass

from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.graph import ForegroundApp
from uiap.drivers.touchscreen.hierarchy import Hierarchy


class ScreenUnreadable(DriverError):
    """The screen could not be read; nothing is known of how it is now."""


@dataclass(frozen=True, slots=True)
class ScreenSnapshot:
    """What was there, when it was begun to be read and when that was over."""

    hierarchy: Hierarchy
    front: ForegroundApp
    begun: float
    ended: float
    keyboard: bool = False
    """The soft keyboard is shown; it is no part of the hierarchy and lies over it."""
    toast: str = ""
    """The last one that was shown, where the hierarchy has none and somebody else on the device heard it."""
