"""How much a line, a request or a signal has to do with an action, so that its trace is not the page's whole noise.

MDM-R7: classified (caused, coincident, background), scored, told apart into what the app and what something else said.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from uiap.spec.tools import Cause

Kind: TypeAlias = Literal["request", "asset", "console", "error", "signal", "murmur", "dialog", "navigation"]
WORTH: Mapping[Kind, float] = MappingProxyType(
    {
        "request": 0.5,
        "asset": 0.2,
        "console": 0.3,
        "error": 0.8,
        "signal": 0.6,
        "murmur": 0.2,  # a focus that moved, a toast that went: true, and rarely why anybody looks
        "dialog": 0.9,
        "navigation": 0.7,
    }
)
LOUD: Mapping[str, float] = MappingProxyType({"error": 0.8, "assert": 0.8, "warning": 0.5, "warn": 0.5})
"""What a line of the console is worth by its level, where that is more."""
SHOWN = 0.25
"""Below this it is counted as noise and not listed."""


class TraceFact(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one thing that happened while an action was under way."""

    kind: Kind
    after: bool
    """After the input went out; what came before cannot be its effect."""
    ours: bool = False
    """It carries our token, or the traffic leads back to us."""
    habit: bool = False
    """The page does this by itself, too."""
    failed: bool = False
    level: str = ""
    app: bool = True
    """The application itself, not an extension, the browser or another origin."""


def cause(what: TraceFact) -> Cause:
    if what.ours and what.after:
        return "caused"
    return "background" if what.habit or not what.after else "coincident"


def relevance(what: TraceFact) -> float:
    """0 to 1. What we caused is always listed; what the page does anyway never is, unless it fails."""
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
