"""Where on a slider to touch, so that it comes to hold a value: by what it held at the points tried so far. Pure.

Sliders pad their tracks differently and tell no pixels; two touches that were read back give the line between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from uiap.drivers.touchscreen.hierarchy import ScreenBounds

MAX_ATTEMPTS = 10
TRACK_PADDING = 0.06
MIN_INTERVAL = 0.002
VERTICAL_RATIO = 1.2
"""So much taller than wide a slider goes upwards."""


class SliderAttempt(NamedTuple):
    """Touched at this part of its length, it held this."""

    part: float
    value: float


def is_vertical(box: ScreenBounds) -> bool:
    return box.height > VERTICAL_RATIO * box.width


def point_at(box: ScreenBounds, part: float) -> tuple[int, int]:
    """The point at this part of its length, from its low end."""
    x, y = box.middle
    if is_vertical(box):
        return x, round(box.bottom - 1 - part * (box.height - 1))
    return round(box.left + part * (box.width - 1)), y


def next_fraction(
    wanted: float, tried: Sequence[SliderAttempt], low: float | None, high: float | None
) -> float | None:
    """Where to touch next, from 0 to 1; None where nothing is left between what is too low and what is too high.

    The ends of a track are padded, so touches near them say the same; every other guess halves what is left.
    """
    under = max((one for one in tried if one.value < wanted), default=None)
    over = min((one for one in tried if one.value > wanted), default=None)
    if not tried and low is not None and high is not None and high > low:
        if wanted in (low, high):
            return 0.0 if wanted == low else 1.0
        return TRACK_PADDING + (wanted - low) / (high - low) * (1 - 2 * TRACK_PADDING)
    first, last = (under.part if under else 0.0), (over.part if over else 1.0)
    if last - first < MIN_INTERVAL:
        return None
    bottom, top = (under.value if under else low), (over.value if over else high)
    if len(tried) % 2 == 0 or bottom is None or top is None or top <= bottom:
        return (first + last) / 2
    guess = first + (wanted - bottom) / (top - bottom) * (last - first)
    return min(last - MIN_INTERVAL / 4, max(first + MIN_INTERVAL / 4, guess))
