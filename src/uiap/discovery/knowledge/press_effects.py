"""The effect of a press, read from the page before and after it."""

from __future__ import annotations

from uiap.discovery.knowledge.candidates import ActionCandidate, ReplayStep, find_element
from uiap.discovery.knowledge.states import State, StateEntry
from uiap.discovery.plan.address import path_pattern, path_without_query
from uiap.graph.store import GraphStore
from uiap.spec.capability import UIState


def parameters_differ(before: str, after: str) -> bool:
    """Whether the two addresses differ in their parameters alone."""
    return before != after and path_without_query(before) == path_without_query(after)


def entry_after(
    source: State, candidate: ActionCandidate, before: GraphStore, after: GraphStore
) -> StateEntry | None:
    """Return how to reach the page again: by its new address, else by one more step from the source."""
    if after.route.url != before.route.url and not after.modal_stack:
        return StateEntry(after.route.url)
    if not source.entries:
        return None
    known = source.entries[0]
    return StateEntry(known.url, (*known.steps, candidate.step))


def opened_state(after: GraphStore, step: ReplayStep) -> UIState | None:
    """Return the state of the control itself if it is expanded, selected or open now."""
    element = find_element(after, step)
    if element is None:
        return None
    state = element.state
    if state.expanded is True:
        return UIState(expanded=True)
    if element.role == "tab" and state.selected is True:
        return UIState(selected=True)
    return UIState(open=True) if state.open is True else None


def contradiction_of(
    candidate: ActionCandidate, before: GraphStore, after: GraphStore, source: State, state: State | None
) -> str | None:
    """Return how the effect of the control differs from its label; None if it does not (DISC-16)."""
    path = path_pattern(after.route.url)
    if candidate.destination is not None and path != candidate.destination.partition("?")[0]:
        return f"`{candidate.label}` points to `{candidate.destination}` and leads to `{path}`"
    promises_to_open = candidate.step.action == "ui.expand" or candidate.judgement.opens
    if promises_to_open and state is source:
        return f"`{candidate.label}` says that it opens something, and nothing opened"
    left = path_pattern(before.route.url) != path
    return f"the tab `{candidate.label}` leads to another page" if candidate.role == "tab" and left else None
