"""One snapshot of a touch screen."""

from __future__ import annotations

from dataclasses import dataclass

from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.graph import ForegroundApp
from uiap.drivers.touchscreen.hierarchy import Hierarchy


class ScreenUnreadable(DriverError):
    """The screen could not be read, so its current state is unknown."""


@dataclass(frozen=True, slots=True)
class ScreenSnapshot:
    """The hierarchy and the foreground application, with the start and end time of the reading."""

    hierarchy: Hierarchy
    foreground: ForegroundApp
    started_at: float
    ended_at: float
    keyboard_shown: bool = False
    """The soft keyboard is shown. It is not part of the hierarchy, and covers it."""
    toast: str = ""
    """The last toast, if the hierarchy contains none and another program on the device recorded it."""
