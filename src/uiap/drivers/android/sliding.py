"""Where on a slider to touch, so that it comes to hold a value: by what it held at the points tried so far. Pure.

Sliders pad their tracks differently and tell no pixels; two touches that were read back give the line between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from uiap.drivers.android.hierarchy import Bounds

ATTEMPTS = 8
INSET = 0.06
UPRIGHT = 1.2
"""So much taller than wide a slider goes upwards."""


class Tried(NamedTuple):
    """Touched at this part of its length, it held this."""

    part: float
    value: float


def upright(box: Bounds) -> bool:
    return box.height > UPRIGHT * box.width


def point(box: Bounds, part: float) -> tuple[int, int]:
    """The point at this part of its length, from its low end."""
    x, y = box.middle
    if upright(box):
        return x, round(box.bottom - 1 - part * (box.height - 1))
    return round(box.left + part * (box.width - 1)), y


def next_part(wanted: float, tried: Sequence[Tried], low: float | None, high: float | None) -> float | None:
    """Where to touch next, from 0 to 1; None where every guess that is left was tried."""
    guess = _between(wanted, tried)
    if guess is None and low is not None and high is not None and high > low:
        guess = INSET + (wanted - low) / (high - low) * (1 - 2 * INSET)
        guess = _ends(wanted, low, high, guess)
    if guess is None:
        guess = 0.5 if not tried else 0.75 if len(tried) == 1 else None
    if guess is None:
        return None
    guess = min(1.0, max(0.0, guess))
    seen = {round(one.part, 4) for one in tried}
    return guess if round(guess, 4) not in seen else _beside(guess, wanted, tried)


def _ends(wanted: float, low: float, high: float, guess: float) -> float:
    return 0.0 if wanted <= low else 1.0 if wanted >= high else guess


def _between(wanted: float, tried: Sequence[Tried]) -> float | None:
    """On the line through the two nearest that differ."""
    near = sorted(tried, key=lambda one: abs(one.value - wanted))
    for index, first in enumerate(near):
        for second in near[index + 1 :]:
            if first.value != second.value and first.part != second.part:
                slope = (second.part - first.part) / (second.value - first.value)
                return first.part + (wanted - first.value) * slope
    return None


def _beside(guess: float, wanted: float, tried: Sequence[Tried]) -> float | None:
    """The guess was tried and is off: half way to the nearest point on the other side."""
    lower = max((one.part for one in tried if one.value < wanted), default=None)
    upper = min((one.part for one in tried if one.value > wanted), default=None)
    if lower is not None and upper is not None and abs(upper - lower) > 0.001:
        return (lower + upper) / 2
    step = 0.02 if not tried or tried[-1].value < wanted else -0.02
    return guess + step if 0 <= guess + step <= 1 else None
