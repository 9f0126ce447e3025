"""Number of repetitions: few in the test suite, more in a soak."""

from __future__ import annotations

import os

SOAK_N = int(os.environ.get("UIAP_SOAK_N", "0"))


def times(usual: int) -> int:
    """Return `usual`, or UIAP_SOAK_N if it is set."""
    return SOAK_N or usual
