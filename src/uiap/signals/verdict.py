"""The verdict on one expected signal."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Attribution: TypeAlias = Literal["caused", "coincident", "background"]
"""Caused by our input, after our input without a proven cause, or a change that the page makes by itself."""

_STRENGTH: dict[Attribution | None, int] = {"caused": 3, "coincident": 2, "background": 1, None: 0}


class Verdict(msgspec.Struct, frozen=True):
    """Whether the signal holds. `already`: it held before dispatch, so it proves no effect."""

    holds: bool
    already: bool = False
    attribution: Attribution | None = None

    @property
    def evidence(self) -> bool:
        """Whether the signal proves an effect."""
        return self.holds and not self.already and self.attribution != "background"


NOT_MET = Verdict(False)


def strongest(found: list[Attribution]) -> Attribution | None:
    """Return the strongest of several attributions: caused, coincident, background."""
    return max(found, key=lambda a: _STRENGTH[a], default=None)
