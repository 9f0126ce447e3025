"""Menus without a menu role: several controls of one kind in one scope whose labels name parts of the application.

Many applications build their navigation of plain links, buttons or boxes. A group in which many labels order something
is a toolbar and no menu.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from uiap.discovery.risk_words import named_side_effect
from uiap.discovery.safety.labels import judged_label
from uiap.discovery.safety.links import names_place
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, record_of, scopes_of
from uiap.spec.web import ElementNode

MIN_ENTRIES = 3
MAX_ORDERING_SHARE, MIN_PLACE_SHARE = 1 / 3, 1 / 2
_NO_MENUS = frozenset({"form", "dialog", "drawer"})
_CACHE: WeakKeyDictionary[GraphStore, dict[tuple[str, str], bool]] = WeakKeyDictionary()


def is_in_menu(store: GraphStore, element: ElementNode) -> bool:
    """Whether the element is an entry of a menu."""
    scopes = scopes_of(store, element)
    if not scopes or any(scope.kind in _NO_MENUS for scope in scopes):
        return False
    key = (scopes[-1].scope_id, element.role)
    known = _CACHE.setdefault(store, {})
    if key not in known:
        known[key] = _is_menu(store, *key)
    return known[key]


def _is_menu(store: GraphStore, scope_id: str, role: str) -> bool:
    labels = {
        judged_label(one.name or one.text or "")
        for one in store.by_scope(scope_id)
        if one.role == role and is_actionable(one) and record_of(store, one) is None
    }
    labels.discard("")
    ordering = sum(named_side_effect(label) is not None for label in labels)
    places = sum(names_place(label) for label in labels)
    if len(labels) < MIN_ENTRIES or ordering > len(labels) * MAX_ORDERING_SHARE:
        return False
    return role == "link" or places >= len(labels) * MIN_PLACE_SHARE
