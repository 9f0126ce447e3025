"""Why a run is on its way: to look at a seed, to try an action, to look again."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from uiap.discovery.knowledge.candidates import Candidate, Step
from uiap.discovery.knowledge.states import Entry
from uiap.discovery.plan.seeds import Goal

Then: TypeAlias = Literal["go", "walk", "press"]
"""How it goes on once the evidence of a new state is taken."""


@dataclass(frozen=True, slots=True)
class Visit:
    goal: Goal


@dataclass(frozen=True, slots=True)
class Explore:
    state: str
    candidate: Candidate
    goal: Goal | None = None
    """The seed it is to lead to; if it does not, that is visited by its address."""


@dataclass(frozen=True, slots=True)
class Look:
    """Capture a state whose evidence was interrupted, then go on with what came after it."""

    state: str
    purpose: Purpose | None
    then: Then


Purpose: TypeAlias = Visit | Explore | Look


@dataclass(slots=True)
class Trip:
    """On the way back to a known state."""

    state: str
    entries: deque[Entry]
    entry: Entry | None = None
    steps: deque[Step] = field(default_factory=deque)
