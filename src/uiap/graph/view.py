"""Where an element stands: its scopes, its record, its collection, and whose text it carries.

Reads a store, changes nothing. The tree a reader walks (scopes with their elements in document order) is here;
how it is written down is `outline`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import UNSET

from uiap.graph.identity import RECORD_ROLES, published_record_key, record_key, semantic_key
from uiap.graph.store import GraphStore
from uiap.spec.web import CollectionNode, DocumentNode, ElementNode, ScopeNode

COLLECTION_ROLES = frozenset({"table", "grid", "list", "tree", "listbox", "menu"})
PASSIVE = frozenset({"read", "focus", "scroll"})


def hidden(node: ElementNode | ScopeNode) -> bool:
    """CAP-5: only `visible: false` hides; an unpublished state does not."""
    return node.state is not UNSET and node.state.visible is False


def actionable(element: ElementNode) -> bool:
    """Can something be done with it beyond reading, focusing and scrolling? CAP-6: affordances say so."""
    return not PASSIVE.issuperset(element.affordances)


def scope_path(store: GraphStore, scope_id: str | None) -> tuple[ScopeNode, ...]:
    """The scope and those around it, from the outside in."""
    path: list[ScopeNode] = []
    scope = store.scope(scope_id) if scope_id else None
    while scope is not None and scope not in path:
        path.append(scope)
        scope = store.scope(scope.parent_scope_id) if scope.parent_scope_id else None
    return tuple(reversed(path))


def scopes_of(store: GraphStore, element: ElementNode) -> tuple[ScopeNode, ...]:
    return scope_path(store, element.scope_id or None)


def inside_scope(store: GraphStore, element: ElementNode, scope_id: str) -> bool:
    """Directly or through scopes in between."""
    return any(scope.scope_id == scope_id for scope in scopes_of(store, element))


def key_of(store: GraphStore, element: ElementNode) -> str:
    """The semantic key (MDM-R2), which outlives the instance."""
    return semantic_key(store.route, scopes_of(store, element), element)


def record_of(store: GraphStore, element: ElementNode) -> ElementNode | None:
    """The row, item or card the element belongs to: the nearest one around it, or itself."""
    around = (element, *store.ancestors(element.instance_id))
    for one in around:
        if one.role in RECORD_ROLES or (one is not element and published_record_key(one)):
            return one
    return None


def record_key_of(store: GraphStore, element: ElementNode) -> str | None:
    """HOUSE §4: which record an action on this element would touch; None lowers confidence."""
    own = published_record_key(element)
    if own is not None:
        return own
    record = record_of(store, element)
    return record_key(record, store.below(record.instance_id)) if record is not None else None


def document_of(store: GraphStore, element: ElementNode | ScopeNode) -> DocumentNode | None:
    return store.documents.get(element.document_id)


def foreign_origin(store: GraphStore, node: ElementNode | ScopeNode) -> str | None:
    """The origin of a document that is not the page's own."""
    document = document_of(store, node)
    if document is None or document.kind == "root" or not document.origin:
        return None
    own = next((one.origin for one in store.documents.values() if one.kind == "root"), UNSET)
    return None if document.origin == own else document.origin


def by_users(node: ElementNode | ScopeNode) -> bool:
    """Does its text come from the app's users and not from the app?"""
    return node.metadata is not UNSET and bool(node.metadata.get("userContent"))


def scope_text(scope: ScopeNode) -> str:
    """Text outside controls, which the publisher keeps with the nearest scope."""
    text = scope.metadata.get("text") if scope.metadata is not UNSET else None
    return text if isinstance(text, str) else ""


def visible_elements(store: GraphStore) -> Iterator[ElementNode]:
    return (element for element in store if not hidden(element))


def collections_by_owner(store: GraphStore) -> dict[str, CollectionNode]:
    return {one.owner_instance_id: one for one in store.collections.values()}


@dataclass(slots=True)
class Section:
    """A scope with what stands in it, in reading order; `scope` is None for what has no scope."""

    scope: ScopeNode | None
    items: list[ElementNode | Section] = field(default_factory=list)

    def elements(self) -> Iterator[ElementNode]:
        """Everything in here and deeper."""
        for item in self.items:
            if isinstance(item, Section):
                yield from item.elements()
            else:
                yield item


def sections(store: GraphStore) -> Section:
    """The page as nested scopes: each stands where its first element does, empty ones at the end."""
    top = Section(None)
    made: dict[str, Section] = {}

    def section(scope_id: str | None) -> Section:
        for scope in scope_path(store, scope_id):
            if scope.scope_id not in made:
                above = made.get(scope.parent_scope_id or "", top)
                made[scope.scope_id] = Section(scope)
                above.items.append(made[scope.scope_id])
        return made.get(scope_id or "", top)

    for element in visible_elements(store):
        section(element.scope_id or None).items.append(element)
    for scope in store.scopes.values():
        section(scope.scope_id)
    return top
