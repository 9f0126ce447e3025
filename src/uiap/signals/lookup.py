"""The elements that the target of a signal names in the current graph."""

from __future__ import annotations

from uiap.graph.query import by_role_name
from uiap.graph.scope_names import derived_scope_id
from uiap.graph.store import GraphStore
from uiap.spec.capability import InstanceIdRef, ScopeRef, SemanticRef, StableIdRef, WebTargetRef
from uiap.spec.web import ElementNode, ScopeNode


def target_elements(store: GraphStore, target: WebTargetRef) -> tuple[ElementNode, ...]:
    """Return all elements that fit the reference. With more than one, no verdict is possible."""
    match target:
        case InstanceIdRef():
            found = store.current(target.value)
            return () if found is None else (found,)
        case StableIdRef():
            return store.elements_called(target.value) or _host_of(store, target.value)
        case ScopeRef():
            return _host_of(store, target.value)
        case SemanticRef():
            name = target.name if isinstance(target.name, str) else None
            scope = target.scope if isinstance(target.scope, str) else None
            return _best(by_role_name(store, target.role, name, scope=scope))
    return ()


def _best(found: list[tuple[ElementNode, float]]) -> tuple[ElementNode, ...]:
    top = max((level for _, level in found), default=0.0)
    return tuple(element for element, level in found if level == top)


def single_target(store: GraphStore, target: WebTargetRef) -> ElementNode | None:
    """Return the element if exactly one fits the reference, else None."""
    found = target_elements(store, target)
    return found[0] if len(found) == 1 else None


def visible_target_ids(store: GraphStore, target: WebTargetRef) -> tuple[str, ...]:
    """Return the ids of the visible elements that fit. A published element is visible unless it says otherwise."""
    return tuple(e.instance_id for e in target_elements(store, target) if e.state.visible is not False)


def target_scopes(store: GraphStore, target: WebTargetRef) -> tuple[ScopeNode, ...]:
    """Return the scopes that a reference names: by id, or by the derived id of a page without annotations."""
    value = getattr(target, "value", None)
    return () if value is None else _scopes_with(store, value)


def _scopes_with(store: GraphStore, id: str) -> tuple[ScopeNode, ...]:
    named = tuple(store.scopes[one] for one in store.scopes_called(id))
    return named or tuple(one for one in store.scopes.values() if derived_scope_id(store, one) == id)


def _host_of(store: GraphStore, id: str) -> tuple[ElementNode, ...]:
    scopes = _scopes_with(store, id)
    hosts = [store.element(s.host_instance_id) for s in scopes if isinstance(s.host_instance_id, str)]
    return tuple(host for host in hosts if host is not None)
