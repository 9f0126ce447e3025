"""Small operations that every handler uses: status, time, reports, budgets, and identifying the current state."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery import commands, events
from uiap.discovery.knowledge.states import State, StateEntry
from uiap.discovery.plan.address import address_pattern
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.run_state import RunState
from uiap.discovery.tasks import VisitSeed
from uiap.graph.store import GraphStore
from uiap.spec.discovery import DiscoveryProgressPayload, DiscoveryRunStatus, DocumentationSeed, UrlSeed


def enter_status(run: RunState, status: DiscoveryRunStatus) -> None:
    """Set the status. The machine checks afterwards that the table allows the move."""
    run.history.append(status)


def count_time(run: RunState, event: events.Event) -> None:
    """Add the time since the last event, unless the run was paused or its process was gone."""
    if run.last_event_at is not None and not run.paused and not isinstance(event, events.Interrupted):
        run.elapsed_ms += max(0.0, (event.at.mono - run.last_event_at.mono) * 1000)
    run.last_event_at = event.at


def request(run: RunState, command: commands.Command) -> commands.Command:
    """Return the command for the current worker and remember that its answer is awaited."""
    run.worker.pending = msgspec.structs.replace(command, worker=run.worker.number)
    return run.worker.pending


def report(run: RunState, note: str | None = None) -> commands.Command:
    """Return a progress report."""
    state = run.worker.current_state
    return commands.Report(
        payload=DiscoveryProgressPayload(
            run_id=run.plan.terms.run_id,
            status=run.status,
            current_seed=_current_seed(run),
            current_route_id=state.route if state is not None else UNSET,
            current_state_id=state.id if state is not None else UNSET,
            visited_states=len(run.knowledge.states),
            visited_transitions=len(run.knowledge.log.transitions),
            discovered_routes=len(run.knowledge.findings.routes),
            discovered_actions=run.knowledge.findings.action_count,
            discovered_workflow_candidates=run.knowledge.findings.workflow_count,
            note=note or ("paused" if run.paused else UNSET),
        )
    )


def _current_seed(run: RunState) -> Any:
    """Return the seed that is visited, else the one whose exploration led to the current state."""
    if isinstance(run.worker.task, VisitSeed):
        return run.worker.task.seed_target.seed
    found = run.worker.current_state.entry_seed if run.worker.current_state is not None else None
    return UNSET if found is None else found


def spent_budget(run: RunState) -> str | None:
    """Return the name of a budget that is used up, or None (DISC-2.1)."""
    bounds = run.plan.bounds
    if len(run.knowledge.states) >= bounds.states:
        return "states"
    if len(run.knowledge.log.transitions) >= bounds.transitions:
        return "transitions"
    return "runtime" if run.elapsed_ms >= bounds.runtime_ms else None


def identify_state(
    run: RunState,
    observed: events.ObservedGraph,
    store: GraphStore,
    entry: StateEntry | None,
    seed: int | None = None,
    *,
    before: GraphStore | None = None,
) -> tuple[State | None, bool]:
    """Make the observed page the current state; return it and whether it is new.

    `before` is the page before a step of a path.
    """
    state, is_new = run.knowledge.identify(observed, store, entry, seed, before=before)
    run.worker.current_state, run.worker.store = state, store
    return state, is_new


def record_seed_visit(run: RunState, seed_target: SeedTarget) -> int | None:
    """Count the seed as visited and return its index; None if the address is not one of the seeds."""
    if seed_target not in run.seed_targets:
        return None
    run.visited_seeds.add(seed_target)
    return run.seed_targets.index(seed_target)


def record_document(run: RunState, seed_target: SeedTarget, state: State | None) -> None:
    """Record that a document names the route of this state, if a documentation seed led here."""
    if isinstance(seed_target.seed, DocumentationSeed) and state is not None:
        run.knowledge.findings.routes[state.route].documents[seed_target.seed.ref] = None


def forget_page(run: RunState) -> None:
    """The page is unknown until it is observed again."""
    run.worker.current_state = run.worker.store = None


def queue_deferred_links(run: RunState) -> None:
    """Queue the addresses of links that are not pressed."""
    for candidate in run.knowledge.deferred_links.take():
        if candidate.url is not None and run.knowledge.is_worth_trying(candidate):
            _queue_address(run, candidate.url)


def _queue_address(run: RunState, url: str) -> None:
    """Queue an address to load, unless it was visited or is queued already."""
    key = f"-> {address_pattern(url)}"
    if not run.knowledge.frontier.is_covered(key):
        run.knowledge.frontier.cover(key)
        run.pending_targets.append(SeedTarget(UrlSeed(url=url), url, source="navigation"))
