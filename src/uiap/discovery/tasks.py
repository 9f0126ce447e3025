"""The task a run works on, and the path to the state where the task can be done."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from uiap.discovery.knowledge.candidates import ActionCandidate, ReplayStep
from uiap.discovery.knowledge.states import StateEntry
from uiap.discovery.plan.seeds import SeedTarget

AfterCapture: TypeAlias = Literal["choose_task", "follow_path", "activate_label"]
"""The step that follows once the evidence of a new state is captured."""


@dataclass(frozen=True, slots=True)
class VisitSeed:
    """Load the address of a seed and record its initial state."""

    seed_target: SeedTarget


@dataclass(frozen=True, slots=True)
class TryAction:
    """Perform a candidate action in a known state and record where it leads."""

    state: str
    candidate: ActionCandidate
    seed_target: SeedTarget | None = None
    """The seed that this link should reach; if it does not, the address of the seed is loaded."""


@dataclass(frozen=True, slots=True)
class Recapture:
    """Capture the evidence of a state again after an interruption, then continue the interrupted task."""

    state: str
    task: Task | None
    after_capture: AfterCapture


Task: TypeAlias = VisitSeed | TryAction | Recapture


@dataclass(slots=True)
class PathToState:
    """The way back to a known state: the entries left to try, and the steps left of the current one."""

    state: str
    entries: deque[StateEntry]
    entry: StateEntry | None = None
    steps: deque[ReplayStep] = field(default_factory=deque)
    taken: ReplayStep | None = None
    """The step that was taken last."""
