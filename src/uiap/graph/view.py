"""Where an element stands: its scopes, its record, its collection, and whose text it carries.

Reads a store, changes nothing. The tree a reader walks (scopes with their elements in document order) is here;
how it is written down is `outline`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from uiap.graph.identity import RECORD_ROLES, published_record_key, record_key, semantic_key
from uiap.graph.store import GraphStore
from uiap.spec.web import CollectionNode, DocumentNode, ElementNode, ScopeNode

COLLECTION_ROLES = frozenset({"table", "grid", "list", "tree", "listbox", "menu"})
MAX_DEPTH, MAX_SCOPE_PATH = 40, 256  # a page may nest thousands deep: reading it stays bounded
PASSIVE = frozenset({"read", "focus", "scroll"})


def is_hidden(node: ElementNode | ScopeNode) -> bool:
    """CAP-5: only `visible: false` hides; an unpublished state does not."""
    return node.state is not UNSET and node.state.visible is False


def is_actionable(element: ElementNode) -> bool:
    """Can something be done with it beyond reading, focusing and scrolling? CAP-6: affordances say so."""
    return not PASSIVE.issuperset(element.affordances)


def scope_path(store: GraphStore, scope_id: str | None) -> tuple[ScopeNode, ...]:
    """The scope and those around it, from the outside in."""
    path: dict[str, ScopeNode] = {}
    scope = store.scope(scope_id) if scope_id else None
    while scope is not None and scope.scope_id not in path and len(path) < MAX_SCOPE_PATH:
        path[scope.scope_id] = scope
        scope = store.scope(scope.parent_scope_id) if scope.parent_scope_id else None
    return tuple(reversed(path.values()))


def scopes_of(store: GraphStore, element: ElementNode) -> tuple[ScopeNode, ...]:
    return scope_path(store, element.scope_id or None)


def is_inside_scope(store: GraphStore, element: ElementNode, scope_id: str) -> bool:
    """Directly or through scopes in between."""
    return any(scope.scope_id == scope_id for scope in scopes_of(store, element))


def semantic_key_of(store: GraphStore, element: ElementNode) -> str:
    """The semantic key (MDM-R2), which outlives the instance."""
    return semantic_key(store.route, scopes_of(store, element), element)


def record_of(store: GraphStore, element: ElementNode) -> ElementNode | None:
    """The row, item or card the element belongs to: the nearest one around it, or itself.

    Publishers give a record's key to its host and to the controls inside, not to the cells between. A control with
    a key of its own is part of a record, not one.
    """
    card: ElementNode | None = None
    for one in (element, *store.ancestors(element.instance_id)):
        if one is element and is_actionable(one) and one.role not in RECORD_ROLES:
            continue
        key = published_record_key(one)
        if card is not None and key not in (None, published_record_key(card)):
            return card
        if one.role in RECORD_ROLES:
            return one
        card = one if key is not None else card
    return card or (element if published_record_key(element) else None)


def record_key_of(store: GraphStore, element: ElementNode) -> str | None:
    """HOUSE §4: which record an action on this element would touch; None lowers confidence."""
    record = record_of(store, element)
    if record is None:
        return None
    return record_key(record, store.below(record.instance_id)) or published_record_key(element)


def document_of(store: GraphStore, element: ElementNode | ScopeNode) -> DocumentNode | None:
    return store.documents.get(element.document_id)


def foreign_origin(store: GraphStore, node: ElementNode | ScopeNode) -> str | None:
    """The origin of a document that is not the page's own."""
    document = document_of(store, node)
    if document is None or document.kind == "root" or not document.origin:
        return None
    own = next((one.origin for one in store.documents.values() if one.kind == "root"), UNSET)
    return None if document.origin == own else document.origin


def is_user_generated(element: ElementNode) -> bool:
    """Does its text come from the app's users and not from the app?"""
    return _text_facts(element).get("userGenerated") is True


def is_visually_hidden(element: ElementNode) -> bool:
    """H5: its words are published but not on the screen, as with a label for assistive technology alone."""
    return _text_facts(element).get("visible") is False


def _text_facts(element: ElementNode) -> Mapping[str, Any]:
    facts = element.metadata.get("text") if element.metadata is not UNSET else None
    return facts if isinstance(facts, Mapping) else {}


def host_element_of(store: GraphStore, scope: ScopeNode) -> ElementNode | None:
    """The element that opens the scope; text outside controls is kept with it."""
    return store.element(scope.host_instance_id) if scope.host_instance_id else None


def scope_text(store: GraphStore, scope: ScopeNode) -> str:
    host = host_element_of(store, scope)
    return host.text or "" if host is not None else ""


def visible_elements(store: GraphStore) -> Iterator[ElementNode]:
    return (element for element in store if not is_hidden(element))


def collections_by_owner(store: GraphStore) -> dict[str, CollectionNode]:
    return {one.owner_instance_id: one for one in store.collections.values()}


@dataclass(slots=True)
class OutlineNode:
    """A scope or an element with what stands inside it, in reading order."""

    scope: ScopeNode | None
    element: ElementNode | None
    """Of a scope: the element that hosts it."""
    above: OutlineNode | None = field(default=None, repr=False)
    depth: int = 0
    children: list[OutlineNode] = field(default_factory=list)

    def below(self) -> Iterator[OutlineNode]:
        for child in self.children:
            yield child
            yield from child.below()


def reading_tree(store: GraphStore) -> OutlineNode:
    """The page as nested scopes and elements; a scope stands where its host does, else where it begins."""
    return _TreeBuilder(store).tree()


class _TreeBuilder:
    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._top = OutlineNode(None, None)
        self._scopes: dict[str, OutlineNode] = {}
        self._elements: dict[str, OutlineNode] = {}

    def tree(self) -> OutlineNode:
        for element in visible_elements(self._store):
            self._plant(element)
        for scope in self._store.scopes.values():
            if not is_hidden(scope):
                self._scope(scope.scope_id)
        return self._top

    def _plant(self, element: ElementNode) -> None:
        hosted = next(iter(self._store.scope_index.by_host[element.instance_id]), None)
        place = self._place(element)
        branch = self._grow(place, self._store.scope(hosted) if hosted else None, element)
        self._elements[element.instance_id] = branch
        if hosted:
            self._scopes.setdefault(hosted, branch)

    def _place(self, element: ElementNode) -> OutlineNode:
        """Under its parent while both are in one scope, else in its scope."""
        scope = self._scope(element.scope_id or None)
        if scope is self._top:
            scope = self._base(element.document_id)
        parent = self._store.tree.parent(element.instance_id)
        around = self._elements.get(parent) if parent is not None else None
        if around is None or around.element is None:
            return scope
        same = around.element.scope_id == element.scope_id or around is scope
        return around if same else scope

    def _base(self, document_id: str) -> OutlineNode:
        """A frame's page stands inside the element that holds the frame."""
        document = self._store.documents.get(document_id)
        host = document.host_instance_id if document is not None else UNSET
        return self._elements.get(host, self._top) if host else self._top

    def _scope(self, scope_id: str | None) -> OutlineNode:
        if scope_id in self._scopes:
            return self._scopes[scope_id]
        for scope in scope_path(self._store, scope_id):
            if scope.scope_id not in self._scopes:
                above = self._scopes.get(scope.parent_scope_id or "") or self._base(scope.document_id)
                self._scopes[scope.scope_id] = self._grow(above, scope, host_element_of(self._store, scope))
        return self._scopes.get(scope_id or "", self._top)

    def _grow(self, above: OutlineNode, scope: ScopeNode | None, element: ElementNode | None) -> OutlineNode:
        # From the deepest level on, what is inside stands beside.
        holder = above.above if above.depth == MAX_DEPTH and above.above is not None else above
        branch = OutlineNode(scope, element, holder, holder.depth + 1)
        holder.children.append(branch)
        return branch
