"""How often a repeated test repeats: a little in the suite, as often as asked when soaking."""

from __future__ import annotations

import os

SOAK_N = int(os.environ.get("UIAP_SOAK_N", "0"))


def times(usual: int) -> int:
    """`usual` examples, or UIAP_SOAK_N where it is set."""
    return SOAK_N or usual
