"""Names for routes, scopes and elements in a package: the application's own, else made from their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import UNSET

from uiap.graph.fingerprint import stable_text
from uiap.graph.identity import route_key, scope_label
from uiap.graph.scope_names import derived_scope_id, is_generated
from uiap.graph.scope_names import slug as slug
from uiap.graph.store import GraphStore
from uiap.graph.view import scopes_of
from uiap.spec.capability import SemanticRef, StableIdRef, TargetRef
from uiap.spec.web import ElementNode, ScopeNode

_NUMBER = re.compile(r"\d[\d.,]*")


def route_id(store: GraphStore) -> str:
    """Return the declared id of the route, else the pattern of its path."""
    return route_key(store.route)


def scope_id(store: GraphStore, scope: ScopeNode) -> str:
    """Return the annotated id of a scope, else the kinds and names along its path."""
    return derived_scope_id(store, scope)


def scope_of(store: GraphStore, element: ElementNode) -> str | None:
    """Return the id of the innermost scope of an element."""
    scopes = scopes_of(store, element)
    return scope_id(store, scopes[-1]) if scopes else None


def target_of(store: GraphStore, element: ElementNode) -> TargetRef:
    """Return a reference by stable id, else by role, name and scope (DISC-11.5c)."""
    if element.stable_id is not UNSET:
        return StableIdRef(value=element.stable_id)
    return SemanticRef(role=element.role, name=element.name or UNSET, scope=scope_of(store, element) or UNSET)


def modal_names(store: GraphStore) -> tuple[str, ...]:
    return tuple(scope_id(store, store.scopes[one]) for one in store.modal_stack)


def scope_key(scope: ScopeNode) -> str:
    """Return the key of a scope: its annotated id, else its kind and name without numbers."""
    if not is_generated(scope.scope_id):
        return scope.scope_id
    return _without_numbers(scope_label(scope))


@lru_cache(4096)
def _without_numbers(label: str) -> str:
    """Return the label without numbers. Cached, because every element of every state asks for a few labels."""
    return _NUMBER.sub("#", stable_text(label))


def scope_path_key(scopes: Iterable[ScopeNode]) -> str:
    """Return the keys of the scopes, outermost first.

    A page that was read while it loaded can have its application twice, one in the other. They count as one.
    """
    keys: list[str] = []
    for scope in scopes:
        key = scope_key(scope)
        if not (scope.kind == "app" and keys[-1:] == [key]):
            keys.append(key)
    return ">".join(keys)
