"""What controls of one name do wherever they stand: seen to do the same on several routes, it is not tried on the rest.

The toggle of a sidebar or the bar of breadcrumbs stands on every page, beside other things on each. Only what appears
and vanishes counts, by place and role: its words are the page's own. What shows something to fill in is looked at on
every page.
"""

from __future__ import annotations

from uiap.discovery.knowledge.naming import scope_path_key
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, scopes_of, visible_elements

ROUTES_TO_SETTLE = 3
"""On so many routes it did the same."""

INPUT_ROLES = ("textbox", "textarea", "searchbox", "combobox", "spinbutton", "fileinput")

Effect = tuple[frozenset[str], frozenset[str]]


class RepeatedEffects:
    def __init__(self) -> None:
        self._seen: dict[str, dict[str, Effect]] = {}
        self._settled: set[str] = set()

    def learn(self, control: str, route: str, before: GraphStore, after: GraphStore) -> None:
        effects = self._seen.setdefault(control, {})
        shown, _ = effects.setdefault(route, _effect(before, after))
        plain = not any(one.endswith(tuple(f"|{role}" for role in INPUT_ROLES)) for one in shown)
        if plain and len(effects) >= ROUTES_TO_SETTLE and len(set(effects.values())) == 1:
            self._settled.add(control)
        else:
            self._settled.discard(control)

    def settled(self, control: str | None) -> bool:
        return control in self._settled


def _effect(before: GraphStore, after: GraphStore) -> Effect:
    was, is_now = _controls(before), _controls(after)
    return is_now - was, was - is_now


def _controls(store: GraphStore) -> frozenset[str]:
    return frozenset(
        f"{scope_path_key(scopes_of(store, one))}|{one.role}"
        for one in visible_elements(store)
        if is_actionable(one)
    )
