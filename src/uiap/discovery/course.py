"""What one run holds, and what every step of it uses: time, status, reports, and the end (DISC-10).

Where it goes next is `travel`; what it makes of an event is `machine`.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from msgspec import UNSET

from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.knowledge.knowledge import Atlas
from uiap.discovery.knowledge.states import Entry, State
from uiap.discovery.lifecycle import follows
from uiap.discovery.package.package import Told, package
from uiap.discovery.plan.plan import Plan, Terms
from uiap.discovery.plan.seeds import Goal
from uiap.discovery.purpose import Purpose, Then, Trip, Visit
from uiap.graph.store import GraphStore
from uiap.protocol.events import Instant
from uiap.spec.discovery import DiscoveryProgressPayload, DiscoveryRunStatus


class Course:
    """At most one command that is answered is under way."""

    def __init__(self, terms: Terms) -> None:
        self.plan = Plan(terms)
        self.status: DiscoveryRunStatus = "planning"
        self.paused = False
        self.atlas = Atlas(self.plan)
        self.goals: deque[Goal] = deque()
        self.seeds: list[Goal] = []
        self._visited_seeds: set[Goal] = set()
        self._turned_away: list[Goal] = []
        self._nobody = False
        self.started: Instant | None = None
        self.elapsed_ms = 0.0
        self.package: Any = None
        self.available: dict[str, list[str]] = {}
        """DISC-11.1: what was at hand when the run began."""
        self._last: Instant | None = None
        self._profiles = deque(self.plan.profiles)
        self._profile: str | None = None
        self._here: State | None = None
        self._store: GraphStore | None = None
        self._purpose: Purpose | None = None
        self._trip: Trip | None = None
        self._doing: do.Command | None = None
        self._tried: set[tuple[str, str]] = set()
        self._links_lead = True
        """A link that did not lead to its own address ends the trust in the others."""
        self._sign_ins = 0
        self._recovering = False
        self._then: Then = "go"

    # -- time and status ---------------------------------------------------------------------------------------

    def _pass_time(self, event: when.Event) -> None:
        """Time while paused or dead does not count."""
        if self._last is not None and not self.paused and not isinstance(event, when.Interrupted):
            self.elapsed_ms += max(0.0, (event.at.mono - self._last.mono) * 1000)
        self._last = event.at

    def _move(self, status: DiscoveryRunStatus) -> None:
        assert follows(self.status, status), f"{self.status} is not followed by {status}"
        self.status = status

    def _report(self, note: str | None = None) -> do.Command:
        here = self._here
        seed = self._purpose.goal.seed if isinstance(self._purpose, Visit) else UNSET
        return do.Report(
            payload=DiscoveryProgressPayload(
                run_id=self.plan.terms.run_id,
                status=self.status,
                current_seed=seed,
                current_route_id=here.route if here is not None else UNSET,
                current_state_id=here.id if here is not None else UNSET,
                visited_states=len(self.atlas.book),
                visited_transitions=len(self.atlas.trail.transitions),
                discovered_routes=len(self.atlas.findings.routes),
                note=note or ("paused" if self.paused else UNSET),
            )
        )

    def _ask(self, command: do.Command) -> do.Command:
        self._doing = command
        return command

    def _spent(self) -> str | None:
        """DISC-2.1: which budget is used up."""
        bounds = self.plan.bounds
        if len(self.atlas.book) >= bounds.states:
            return "states"
        if len(self.atlas.trail.transitions) >= bounds.transitions:
            return "transitions"
        return "runtime" if self.elapsed_ms >= bounds.runtime_ms else None

    def _identify(
        self, sight: when.Sight, store: GraphStore, entry: Entry | None, seed: int | None = None
    ) -> tuple[State | None, bool]:
        state, fresh = self.atlas.identify(sight, store, entry, seed)
        self._here, self._store = state, store
        return state, fresh

    # -- the end -----------------------------------------------------------------------------------------------

    def _end(self, status: DiscoveryRunStatus) -> list[do.Command]:
        """Extract, synthesize, review: all from what was gathered, whatever ended the run (DISC-10)."""
        told: list[do.Command] = []
        if status == "completed":
            for step in ("seeding", "exploring") if self.status == "preparing" else ():
                self._move(step)
            for phase in ("extracting", "synthesizing", "reviewing"):
                self._move(phase)
                told.append(self._report())
        self.status = status
        self._doing = None
        self.package = package(self._told(status))
        return [*told, do.Finish(package=self.package)]

    def _told(self, status: DiscoveryRunStatus) -> Told:
        return Told(
            plan=self.plan,
            status=status,
            available={name: found for name, found in self.available.items() if found},
            started=self.started.wall if self.started else "",
            finished=self._last.wall if self._last else "",
            seeds=tuple(self.seeds),
            seeds_visited=len(self._visited_seeds),
            book=self.atlas.book,
            findings=self.atlas.findings,
            trail=self.atlas.trail,
        )
