"""Choose where to touch a slider so that it reaches a value, from the values read after earlier touches. Pure.

Sliders pad their tracks differently and report no pixels. Two touches whose values were read give the line between
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from uiap.drivers.touchscreen.hierarchy import ScreenBounds

MAX_ATTEMPTS = 10
TRACK_PADDING = 0.06
MIN_INTERVAL = 0.002
VERTICAL_RATIO = 1.2
"""A slider that is this many times taller than wide is vertical, with its low end at the bottom."""


class SliderAttempt(NamedTuple):
    """A touch at a fraction of the slider's length, and the value read after it."""

    fraction: float
    value: float


def is_vertical(box: ScreenBounds) -> bool:
    return box.height > VERTICAL_RATIO * box.width


def point_at(box: ScreenBounds, fraction: float) -> tuple[int, int]:
    """Return the point at a fraction of the slider's length, from its low end."""
    x, y = box.center
    if is_vertical(box):
        return x, round(box.bottom - 1 - fraction * (box.height - 1))
    return round(box.left + fraction * (box.width - 1)), y


def next_fraction(
    wanted: float, attempts: Sequence[SliderAttempt], low: float | None, high: float | None
) -> float | None:
    """Return where to touch next, from 0 to 1, or None if nothing is left between too low and too high.

    The ends of a track are padded, so touches near them give the same value. Every other guess halves the interval.
    """
    under = max((one for one in attempts if one.value < wanted), default=None)
    over = min((one for one in attempts if one.value > wanted), default=None)
    if not attempts and low is not None and high is not None and high > low:
        if wanted in (low, high):
            return 0.0 if wanted == low else 1.0
        return TRACK_PADDING + (wanted - low) / (high - low) * (1 - 2 * TRACK_PADDING)
    first, last = (under.fraction if under else 0.0), (over.fraction if over else 1.0)
    if last - first < MIN_INTERVAL:
        return None
    bottom, top = (under.value if under else low), (over.value if over else high)
    if len(attempts) % 2 == 0 or bottom is None or top is None or top <= bottom:
        return (first + last) / 2
    guess = first + (wanted - bottom) / (top - bottom) * (last - first)
    return min(last - MIN_INTERVAL / 4, max(first + MIN_INTERVAL / 4, guess))
