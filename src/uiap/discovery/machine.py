"""One discovery run without input or output: events in, commands out. `lifecycle` explains how it works."""

from __future__ import annotations

from itertools import pairwise

from uiap.discovery import commands, events
from uiap.discovery.lifecycle import EVENTS, MOVES, PHASES
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import count_time
from uiap.discovery.states.exploring import start_idle_workers
from uiap.spec.discovery import DiscoveryRunStatus


class Run:
    """`handle(event) -> [command]`. `status` and `plan` are all that others may read of it."""

    def __init__(self, terms: RunTerms) -> None:
        self._state = RunState.of(terms)

    @property
    def status(self) -> DiscoveryRunStatus:
        return self._state.status

    @property
    def plan(self) -> RunPlan:
        """The terms of the run, read once; it never changes."""
        return self._state.plan

    def handle(self, event: events.Event) -> list[commands.Command]:
        """Return the commands that follow from the event; none if it does not matter in this status."""
        run = self._state
        row = EVENTS.get((run.status, type(event)))
        if row is None:
            return []
        count_time(run, event)
        first = len(run.history) - 1
        run.worker = run.workers[event.worker]
        issued = row.handle(run, event)
        issued += start_idle_workers(run)
        while (phase := PHASES.get(run.status)) is not None:
            issued += phase.handle(run)
        allowed = row.leads_to
        for status, following in pairwise(run.history[first:]):
            assert following in allowed, f"{status} is not followed by {following}"
            allowed = MOVES.get(following, frozenset())
        return issued
