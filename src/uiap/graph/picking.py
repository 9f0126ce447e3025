"""When the best of several matches counts as the element that was meant. Standard library alone: the CLI imports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MIN_LEAD: Final = 0.1
"""The confidence by which the best match must exceed the second."""


def is_clear_best(confidences: Sequence[float]) -> bool:
    """Return whether the first of these matches, best first, may be acted on without asking which one is meant."""
    if len(confidences) < 2:
        return bool(confidences)
    return confidences[0] - confidences[1] >= MIN_LEAD
