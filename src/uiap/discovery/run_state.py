"""The data of one discovery run. The handlers in `states` read and change it; `machine` owns it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from uiap.discovery import commands
from uiap.discovery.knowledge.knowledge import Knowledge
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.tasks import AfterCapture, PathToState, Task
from uiap.graph.store import GraphStore
from uiap.instant import Instant
from uiap.spec.discovery import DiscoveryRunStatus, DiscoverySeed, WorkflowStepSkeleton


@dataclass(slots=True, kw_only=True)
class WorkerState:
    """One browser of the run: the page it shows and the task it works on."""

    number: int
    is_ready: bool = False
    """Its browser is prepared for the current principal."""
    is_gone: bool = False
    """Its browser could not be prepared; the others go on without it."""
    current_state: State | None = None
    store: GraphStore | None = None
    """The page as last observed; None while it is unknown."""
    task: Task | None = None
    path: PathToState | None = None
    pending: commands.Command | None = None
    """The command whose answer the worker waits for; there is at most one."""
    resuming: bool = False
    """The way back after an interruption is followed; its steps are no further observations."""
    after_capture: AfterCapture = "choose_task"
    following: deque[WorkflowStepSkeleton] = field(default_factory=deque)
    """The steps that are left of the workflow that is followed."""


@dataclass(slots=True, kw_only=True)
class RunState:
    plan: RunPlan
    knowledge: Knowledge

    # status and time
    history: list[DiscoveryRunStatus] = field(default_factory=lambda: ["planning"])
    """Every status the run has had; the last one is the current one."""
    paused: bool = False
    started_at: Instant | None = None
    last_event_at: Instant | None = None
    elapsed_ms: float = 0.0
    """Working time; time while paused or interrupted does not count."""

    # principals
    profiles: deque[str | None]
    """Principals that are still to be prepared."""
    profile: str | None = None
    anonymous: bool = False
    """The run looks at the application without signing in."""
    sign_in_count: int = 0
    """The number of times that the session of the current principal ended and was opened again."""
    available: dict[str, list[str]] = field(default_factory=dict)
    """DISC-11.1: profiles, extensions and actions at hand when the run began."""

    preparation: dict[str, Any] = field(default_factory=dict)
    """DISC-11.1: everything that was known before the first state was taken."""

    # seeds
    seed_targets: list[SeedTarget] = field(default_factory=list)
    pending_targets: deque[SeedTarget] = field(default_factory=deque)
    """Addresses still to visit: seeds first, then popups and links found on the way."""
    waiting_targets: list[SeedTarget] = field(default_factory=list)
    """Seeds whose address is not known: routes and actions that a page has to show."""
    visited_seeds: set[SeedTarget] = field(default_factory=set)
    last_seed: DiscoverySeed | None = None
    """The seed whose exploration found the newest state."""
    redirected_targets: list[SeedTarget] = field(default_factory=list)
    """Addresses that led a signed-in principal elsewhere; they are visited again without signing in."""
    links_trusted: bool = True
    """False once a link did not lead to its own address; from then on seeds are loaded by address."""

    # workers
    workers: list[WorkerState]
    """One for each browser that the run uses."""
    worker: WorkerState
    """The worker whose answer is handled."""
    tried: set[tuple[str, str]] = field(default_factory=set)
    """State and cover key of every action that was performed."""
    retried: set[tuple[str, str]] = field(default_factory=set)
    """State and cover key of every action that could not be performed at first and was tried again."""

    @classmethod
    def of(cls, terms: RunTerms) -> RunState:
        plan = RunPlan(terms)
        workers = [WorkerState(number=number) for number in range(max(1, terms.workers))]
        return cls(
            plan=plan,
            knowledge=Knowledge(plan),
            profiles=deque(plan.profiles),
            workers=workers,
            worker=workers[0],
        )

    @property
    def others(self) -> list[WorkerState]:
        """The workers besides the one whose answer is handled."""
        return [one for one in self.workers if one is not self.worker]

    @property
    def status(self) -> DiscoveryRunStatus:
        return self.history[-1]
