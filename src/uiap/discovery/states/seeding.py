"""Seeds that pages have to meet, and workflows that are followed step by step (DISC-9)."""

from __future__ import annotations

from msgspec import UNSET

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.states import State
from uiap.discovery.package.patterns import selected
from uiap.discovery.plan.plan import KnownAction
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import record_seed_visit
from uiap.graph.store import GraphStore
from uiap.graph.view import visible_elements
from uiap.spec.capability import SemanticRef, StableIdRef
from uiap.spec.discovery import ActionSeed, RouteSeed, WorkflowStepSkeleton


def meet_waiting_seeds(run: RunState, state: State, store: GraphStore) -> None:
    """Count the waiting seeds that this state meets as visited: the route has the id, or the action is offered."""
    for target in list(run.waiting_targets):
        if meets(run, target, state, store):
            run.waiting_targets.remove(target)
            seed = record_seed_visit(run, target)
            state.seed = seed if state.seed is None else state.seed


def meets(run: RunState, target: SeedTarget, state: State, store: GraphStore) -> bool:
    """Return whether the page is what the seed asks for. Seeds with an address are met by any page."""
    if isinstance(target.seed, RouteSeed) and target.is_waiting:
        return state.route == target.seed.route_id
    return not isinstance(target.seed, ActionSeed) or _is_offered(run, target.seed.action_id, store)


def _is_offered(run: RunState, action: str, store: GraphStore) -> bool:
    """Return whether the page offers an action: registered, named by an element, or by a known pattern."""
    if action in run.knowledge.registered:
        return True
    if any(one.default_action == action for one in visible_elements(store)):
        return True
    known = run.plan.terms.actions.get(action, KnownAction())
    return any(selected(store, pattern) for pattern in known.patterns)


def record_unmet_seeds(run: RunState) -> None:
    """Record a gap for each seed that no page met."""
    for target in run.waiting_targets:
        seed = target.seed
        name = (
            seed.route_id
            if isinstance(seed, RouteSeed)
            else seed.action_id
            if isinstance(seed, ActionSeed)
            else ""
        )
        text = f"the {seed.kind} seed `{name}` is rejected: nobody declares it and no page shows it"
        run.knowledge.log.add_gap(f"seed {seed.kind} {name}", text)
        run.knowledge.log.add_note(text)


def next_workflow_step(run: RunState) -> tuple[State, ActionCandidate] | None:
    """Return the next step of the followed workflow as a permitted action; None at its end or where it is refused."""
    while run.worker.following:
        step = run.worker.following.popleft()
        if step.type != "action" or step.action_id == "nav.navigate":
            continue
        state = run.worker.current_state
        found = _candidate_of(state, step) if state is not None else None
        if state is not None and found is not None:
            return state, found
        text = f"a workflow was followed up to `{_name_of(step)}`, which is not permitted or not there"
        run.knowledge.log.add_gap(
            f"workflow step {_name_of(step)}", text, state.id if state is not None else ""
        )
        run.worker.following.clear()
    return None


def _candidate_of(state: State, step: WorkflowStepSkeleton) -> ActionCandidate | None:
    """Return the permitted action of the state that the step means."""
    target = step.target
    for one in state.candidates:
        if isinstance(target, StableIdRef) and one.stable_id == target.value:
            return one
        if isinstance(target, SemanticRef) and (one.role, one.label) == (target.role, target.name):
            return one
    return None


def _name_of(step: WorkflowStepSkeleton) -> str:
    if isinstance(step.target, StableIdRef):
        return step.target.value
    name = step.target.name if isinstance(step.target, SemanticRef) else UNSET
    return name or str(step.action_id)
