"""Controls that do the same on every page: after the same effect on several routes or states, the rest is not tried.

The toggle of a sidebar or a breadcrumb bar is on every page, next to different content. The effect is the set of
controls that appear and disappear, by scope and role; their texts belong to the page. A control that shows an input is
tried on every route. Among the states of one route, controls that appear count by name.
"""

from __future__ import annotations

from uiap.discovery.knowledge.naming import scope_path_key
from uiap.discovery.knowledge.page_keys import panel_keys
from uiap.discovery.knowledge.states import State
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, scopes_of, visible_elements

ROUTES_TO_SETTLE = 3
STATES_TO_SETTLE = 2
INPUT_ROLES = ("textbox", "textarea", "searchbox", "combobox", "spinbutton", "fileinput")
_INPUT_ENDINGS = tuple(f"|{role}" for role in INPUT_ROLES)

Effect = tuple[frozenset[str], frozenset[str]]
"""The controls that appeared, and those that disappeared."""


class RepeatedEffects:
    def __init__(self) -> None:
        self._effects: dict[str, dict[str, Effect]] = {}
        self._effects_on_route: dict[tuple[str, str], dict[str, Effect]] = {}
        """Control and route to the effect in each state of the route."""
        self._settled: set[str] = set()

    def learn(self, control: str, state: State, before: GraphStore, after: GraphStore) -> None:
        """Record the effect of a control in a state; the first effect on each route counts for other routes."""
        on_route = self._effects_on_route.setdefault((control, state.route), {})
        old, new = panel_keys(before), panel_keys(after)
        on_route[state.id] = new - old, old - new
        effects = self._effects.setdefault(control, {})
        appeared, _ = effects.setdefault(state.route, _effect(before, after))
        shows_input = any(one.endswith(_INPUT_ENDINGS) for one in appeared)
        if not shows_input and len(effects) >= ROUTES_TO_SETTLE and len(set(effects.values())) == 1:
            self._settled.add(control)
        else:
            self._settled.discard(control)

    def reason_to_skip(self, control: str | None, route: str) -> str | None:
        """Return why a press would show nothing new: it had the same effect on enough routes, or states of one."""
        if control in self._settled:
            return "it did the same on several routes"
        on_route = self._effects_on_route.get((control or "", route), {})
        if len(on_route) >= STATES_TO_SETTLE and len(set(on_route.values())) == 1:
            return "it did the same in several states of the route"
        return None


def _effect(before: GraphStore, after: GraphStore) -> Effect:
    old, new = _controls(before), _controls(after)
    return new - old, old - new


def _controls(store: GraphStore) -> frozenset[str]:
    return frozenset(
        f"{scope_path_key(scopes_of(store, one))}|{one.role}"
        for one in visible_elements(store)
        if is_actionable(one)
    )
