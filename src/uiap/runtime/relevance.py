"""Relevance of log lines, requests and signals to an action, so that its trace leaves out noise (MDM-R7).

Each fact is classified (caused, coincident, background) and scored; the application's own facts count more than others.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from uiap.spec.tools import Cause

Kind: TypeAlias = Literal[
    "request", "asset", "console", "error", "signal", "minor_signal", "dialog", "navigation"
]
WORTH: Mapping[Kind, float] = MappingProxyType(
    {
        "request": 0.5,
        "asset": 0.2,
        "console": 0.3,
        "error": 0.8,
        "signal": 0.6,
        "minor_signal": 0.2,  # a moved focus, a hidden toast: rarely the reason to read a trace
        "dialog": 0.9,
        "navigation": 0.7,
    }
)
LOUD: Mapping[str, float] = MappingProxyType({"error": 0.8, "assert": 0.8, "warning": 0.5, "warn": 0.5})
"""The score of a console line by its level, if that is higher."""
SHOWN = 0.25
"""Facts below this score are counted as noise and not listed."""


class TraceFact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that was observed while an action was running."""

    kind: Kind
    after: bool
    """It happened after the input was dispatched."""
    ours: bool = False
    """It carries the token of the action, or its requests lead back to the action."""
    background: bool = False
    """The page does this without input, too."""
    failed: bool = False
    level: str = ""
    app: bool = True
    """It comes from the application, not from an extension, the browser or another origin."""


def cause(what: TraceFact) -> Cause:
    if what.ours and what.after:
        return "caused"
    return "background" if what.background or not what.after else "coincident"


def relevance(what: TraceFact) -> float:
    """Return the relevance, 0 to 1. Caused facts are always listed; background facts only if they failed."""
    worth = max(WORTH[what.kind], LOUD.get(what.level, 0.0))
    worth += 0.3 if what.failed else 0.0
    match cause(what):
        case "caused":
            worth = max(0.8, worth + 0.2)
        case "background":
            worth *= 0.2
        case "coincident":
            worth *= 1.0 if what.app else 0.5
    return round(min(1.0, worth), 2)
