"""Target patterns of actions: how an action names its elements, and which elements of a page a pattern selects."""

from __future__ import annotations

from msgspec import UNSET

from uiap.discovery.knowledge.meaning import meaning_of
from uiap.discovery.knowledge.naming import scope_of
from uiap.discovery.package.scopes import RECORD
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, visible_elements
from uiap.spec.discovery import ActionTargetPattern
from uiap.spec.web import ElementNode


def pattern_of(element: ElementNode, scope: str | None) -> ActionTargetPattern:
    """Return the pattern of one element: its stable id, else its role, meaning and scope."""
    if element.stable_id is not UNSET:
        return ActionTargetPattern(role=element.role, stable_id=element.stable_id)
    return ActionTargetPattern(
        role=element.role, meaning=meaning_of(element) or UNSET, scope_id=scope or UNSET
    )


def selected(store: GraphStore, pattern: ActionTargetPattern) -> list[ElementNode]:
    """Return the elements of a page that the pattern means, in document order."""
    return [one for one in visible_elements(store) if is_actionable(one) and _fits(store, pattern, one)]


def _fits(store: GraphStore, pattern: ActionTargetPattern, element: ElementNode) -> bool:
    if pattern.role is not UNSET and element.role != pattern.role:
        return False
    if pattern.stable_id is not UNSET and element.stable_id != pattern.stable_id:
        return False
    if pattern.meaning is not UNSET and meaning_of(element) != pattern.meaning:
        return False
    return pattern.scope_id is UNSET or _is_in(store, element, pattern.scope_id)


def _is_in(store: GraphStore, element: ElementNode, scope: str) -> bool:
    """Return whether the element is in this scope. A scope named after its record has another name on each page."""
    own = scope_of(store, element) or ""
    if not scope.endswith(RECORD):
        return own == scope
    return own.rpartition("/")[2].startswith(scope.removesuffix(RECORD).rpartition("/")[2])
