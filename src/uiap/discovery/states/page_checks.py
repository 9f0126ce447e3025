"""Questions about the page as last observed: is a link, a step or the element of a task there, and may it be used?

Nothing here changes the run.
"""

from __future__ import annotations

from uiap.discovery import commands
from uiap.discovery.knowledge.candidates import ActionCandidate, ReplayStep, find_element, link_url
from uiap.discovery.knowledge.states import State
from uiap.discovery.run_state import RunState
from uiap.discovery.safety.safety import decide, judge
from uiap.discovery.tasks import Recapture, TryAction
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode


def link_to(run: RunState, url: str) -> ActionCandidate | None:
    """Return a visible link to this address that may be activated now."""
    state, store = run.worker.current_state, run.worker.store
    if state is None or store is None or state.modal or not run.links_trusted:
        return None
    for candidate in state.candidates:
        if candidate.url is None or candidate.is_file or candidate.url.rstrip("/") != url.rstrip("/"):
            continue
        element = find_element(store, candidate.step)
        if element is not None and _is_allowed(run, store, element, candidate.step):
            return candidate
    return None


def link_step_to(run: RunState, target: State) -> tuple[ReplayStep, ...] | None:
    """Return the step that follows a visible link to the target; None if its address alone does not lead there."""
    entry = target.entries[0] if target.entries else None
    link = link_to(run, entry.url) if entry is not None and not entry.steps else None
    return (link.step,) if link is not None else None


def shows_element_of(run: RunState, task: TryAction | Recapture) -> bool:
    """Whether the page shows the element of the task. A merged state may be shown without it."""
    if isinstance(task, Recapture) or run.worker.store is None:
        return True
    return find_element(run.worker.store, task.candidate.step) is not None


def is_equivalent(run: RunState, target: State) -> bool:
    """Whether the task can be done here although the fingerprint differs: same route, dialogs and element."""
    task, state, store = run.worker.task, run.worker.current_state, run.worker.store
    if not isinstance(task, TryAction) or state is None or store is None:
        return False
    return (
        state.route == target.route
        and state.modal == target.modal
        and find_element(store, task.candidate.step) is not None
    )


def replay_command(run: RunState, step: ReplayStep) -> commands.Act | None:
    """Return the command that repeats a step on the current page; None if its element is not there."""
    assert run.worker.store is not None
    element = find_element(run.worker.store, step)
    if element is None:
        return None
    return commands.Act(
        action=step.action,
        node=element.instance_id,
        role=element.role,
        args=dict(step.args),
        why="a step on the way to a known address or state",
        leads_to=link_url(run.worker.store, element),
    )


def _is_allowed(run: RunState, store: GraphStore, element: ElementNode, step: ReplayStep) -> bool:
    judgement = judge(store, element, step.action, run.plan.allowed_origins)
    return decide(judgement, run.plan.safety).effect == "allow"
