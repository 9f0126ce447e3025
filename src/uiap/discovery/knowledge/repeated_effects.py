"""Controls that do the same on every page: after the same effect on several routes, the rest is not tried.

The toggle of a sidebar or a breadcrumb bar is on every page, next to different content. The effect is the set of
controls that appear and disappear, by scope and role; their texts belong to the page. A control that shows an input is
tried on every route.
"""

from __future__ import annotations

from uiap.discovery.knowledge.naming import scope_path_key
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, scopes_of, visible_elements

ROUTES_TO_SETTLE = 3
INPUT_ROLES = ("textbox", "textarea", "searchbox", "combobox", "spinbutton", "fileinput")
_INPUT_ENDINGS = tuple(f"|{role}" for role in INPUT_ROLES)

Effect = tuple[frozenset[str], frozenset[str]]
"""The controls that appeared, and those that disappeared."""


class RepeatedEffects:
    def __init__(self) -> None:
        self._effects: dict[str, dict[str, Effect]] = {}
        self._settled: set[str] = set()

    def learn(self, control: str, route: str, before: GraphStore, after: GraphStore) -> None:
        """Record the effect of a control on a route; the first effect on each route counts."""
        effects = self._effects.setdefault(control, {})
        appeared, _ = effects.setdefault(route, _effect(before, after))
        shows_input = any(one.endswith(_INPUT_ENDINGS) for one in appeared)
        if not shows_input and len(effects) >= ROUTES_TO_SETTLE and len(set(effects.values())) == 1:
            self._settled.add(control)
        else:
            self._settled.discard(control)

    def is_settled(self, control: str | None) -> bool:
        """Whether the control had the same effect on enough routes."""
        return control in self._settled


def _effect(before: GraphStore, after: GraphStore) -> Effect:
    old, new = _controls(before), _controls(after)
    return new - old, old - new


def _controls(store: GraphStore) -> frozenset[str]:
    return frozenset(
        f"{scope_path_key(scopes_of(store, one))}|{one.role}"
        for one in visible_elements(store)
        if is_actionable(one)
    )
