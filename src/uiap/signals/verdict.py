"""What observation says of one expected signal."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Attribution: TypeAlias = Literal["caused", "coincident", "background"]
"""In the same task as our input, after it, or part of what the page does anyway (HOUSE §4)."""

_STRENGTH: dict[Attribution | None, int] = {"caused": 3, "coincident": 2, "background": 1, None: 0}


class Verdict(msgspec.Struct, frozen=True):
    """`already`: it held before dispatch, so it may complete a set but proves nothing (companions §12.5)."""

    holds: bool
    already: bool = False
    attribution: Attribution | None = None

    @property
    def evidence(self) -> bool:
        return self.holds and not self.already and self.attribution != "background"


NOT_MET = Verdict(False)


def strongest(found: list[Attribution]) -> Attribution | None:
    return max(found, key=lambda a: _STRENGTH[a], default=None)
