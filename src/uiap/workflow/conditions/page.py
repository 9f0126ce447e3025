"""Conditions on the page: route, element, state, signal."""

from __future__ import annotations

from uiap.graph.store import GraphStore
from uiap.signals.element import read_state
from uiap.signals.lookup import target_elements
from uiap.signals.route import matches_pattern, route_paths
from uiap.signals.since import STATE_BASELINES, judge_since
from uiap.spec.capability import ElementState
from uiap.spec.workflow import ElementCondition, RouteCondition, SignalCondition, StateCondition
from uiap.workflow.conditions.facts import FALSE, ConditionFacts, ConditionVerdict, decided, undecided

_NO_PAGE = undecided("no page is open")
CURRENT_STATE = frozenset(STATE_BASELINES) | {"element.state", "value.equals", "collection.count"}
"""Signals that are a statement about the current page. The others are events, which no page shows afterwards."""


def route(condition: RouteCondition, facts: ConditionFacts) -> ConditionVerdict:
    if facts.page is None:
        return _NO_PAGE
    here = facts.page.route
    if isinstance(condition.route_id, str) and here.route_id != condition.route_id:
        return FALSE
    if isinstance(condition.pattern, str):
        return decided(matches_pattern(condition.pattern, route_paths(here)[0]))
    if not isinstance(condition.route_id, str):
        return undecided("a route condition needs `routeId` or `pattern`")
    return decided(True)


def element(condition: ElementCondition, facts: ConditionFacts) -> ConditionVerdict:
    if facts.page is None:
        return _NO_PAGE
    found = [one for one in target_elements(facts.page, condition.target) if one.state.visible is not False]
    if condition.exists is False:
        return decided(not found)
    if len(found) > 1:
        return _ambiguous(len(found))
    return decided(len(found) == 1)


def state(condition: StateCondition, facts: ConditionFacts) -> ConditionVerdict:
    if facts.page is None:
        return _NO_PAGE
    found = len(target_elements(facts.page, condition.target))
    if found > 1:
        return _ambiguous(found)
    reading = read_state(ElementState(target=condition.target, state=condition.state), facts.page)
    return decided(reading is not None and reading[1])


def signal(condition: SignalCondition, facts: ConditionFacts) -> ConditionVerdict:
    """A signal condition holds if the signal can be observed on the page as it is now."""
    if facts.page is None:
        return _NO_PAGE
    if condition.signal.kind not in CURRENT_STATE:
        return undecided(f"`{condition.signal.kind}` is an event; a page does not show it afterwards")
    return decided(holds_now(condition.signal, facts.page))


def holds_now(wanted: object, page: GraphStore) -> bool:
    """Return whether one signal holds on the current page."""
    return judge_since((wanted,), None, page, ())[0].holds  # type: ignore[arg-type]


def _ambiguous(count: int) -> ConditionVerdict:
    return undecided(f"{count} elements fit the target")
