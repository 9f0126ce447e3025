"""The context of an element: its scopes, its record, its collection and the source of its text.

Also builds the reading tree: scopes with their elements in document order. Writing it as text is left to `outline`.
Reads a store and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from uiap.graph.identity import RECORD_ROLES, published_record_key, record_key
from uiap.graph.store import GraphStore
from uiap.spec.web import CollectionNode, DocumentNode, ElementNode, ScopeNode

COLLECTION_ROLES = frozenset({"table", "grid", "list", "tree", "listbox", "menu"})
MAX_DEPTH, MAX_SCOPE_PATH = 40, 256  # bounds, because a page may nest thousands of levels
PASSIVE_AFFORDANCES = frozenset({"read", "focus", "scroll"})


def is_hidden(node: ElementNode | ScopeNode) -> bool:
    """Return whether the node says `visible: false` (CAP-5). An unpublished state does not hide it."""
    return node.state is not UNSET and node.state.visible is False


def is_actionable(element: ElementNode) -> bool:
    """Return whether the element has an affordance besides reading, focusing and scrolling (CAP-6)."""
    return not PASSIVE_AFFORDANCES.issuperset(element.affordances)


def scope_path(store: GraphStore, scope_id: str | None) -> tuple[ScopeNode, ...]:
    """Return the scope and the scopes around it, from the outside in."""
    path: dict[str, ScopeNode] = {}
    scope = store.scope(scope_id) if scope_id else None
    while scope is not None and scope.scope_id not in path and len(path) < MAX_SCOPE_PATH:
        path[scope.scope_id] = scope
        scope = store.scope(scope.parent_scope_id) if scope.parent_scope_id else None
    return tuple(reversed(path.values()))


def scopes_of(store: GraphStore, element: ElementNode) -> tuple[ScopeNode, ...]:
    """Return the scopes of an element, from the outside in."""
    return scope_path(store, element.scope_id or None)


def is_inside_scope(store: GraphStore, element: ElementNode, scope_id: str) -> bool:
    """Return whether the element is in the scope, directly or through scopes in between."""
    around = scopes_of(store, element)
    if any(scope.scope_id == scope_id for scope in around):
        return True
    called = store.scopes_called(scope_id)
    return any(scope.scope_id in called for scope in around)


def record_of(store: GraphStore, element: ElementNode) -> ElementNode | None:
    """Return the row, item or card of an element: the nearest one around it, or the element itself.

    Publishers set the key of a record on its host and on the controls inside, not on the cells in between. A control
    with a key is part of the record around it, and a record itself only if there is none.
    """
    card: ElementNode | None = None
    for ancestor in (element, *store.ancestors(element.instance_id)):
        if ancestor is element and is_actionable(ancestor) and ancestor.role not in RECORD_ROLES:
            continue
        key = published_record_key(ancestor)
        if card is not None and key not in (None, published_record_key(card)):
            return card
        if ancestor.role in RECORD_ROLES:
            return ancestor
        card = ancestor if key is not None else card
    return card or (element if published_record_key(element) else None)


def record_key_of(store: GraphStore, element: ElementNode) -> str | None:
    """Return the key of the record that an action on this element changes, or None if it is unknown."""
    record = record_of(store, element)
    if record is None:
        return None
    return record_key(record, store.below(record.instance_id)) or published_record_key(element)


def document_of(store: GraphStore, element: ElementNode | ScopeNode) -> DocumentNode | None:
    """Return the document of an element or scope, or None if it is unknown."""
    return store.documents.get(element.document_id)


def foreign_origin(store: GraphStore, node: ElementNode | ScopeNode) -> str | None:
    """Return the origin of the node's document if it differs from that of the page, else None."""
    document = document_of(store, node)
    if document is None or document.kind == "root" or not document.origin:
        return None
    own = next((other.origin for other in store.documents.values() if other.kind == "root"), UNSET)
    return None if document.origin == own else document.origin


def is_user_generated(element: ElementNode) -> bool:
    """Return whether the text comes from users of the app and not from the app itself."""
    return _text_facts(element).get("userGenerated") is True


def beside_text(element: ElementNode) -> str:
    """Return the text beside a field without a name, or beside one of several controls alike; "" if there is none."""
    found = (element.metadata or {}).get("beside")
    return found if isinstance(found, str) else ""


def icon_word(element: ElementNode) -> str:
    """Return the word of the icon in a control without a name, from its markup; "" if there is none."""
    found = (element.metadata or {}).get("icon")
    return found if isinstance(found, str) else ""


def is_visually_hidden(element: ElementNode) -> bool:
    """Return whether the text is published but not painted, such as a label for assistive technology alone."""
    return _text_facts(element).get("visible") is False


def _text_facts(element: ElementNode) -> Mapping[str, Any]:
    facts = element.metadata.get("text") if element.metadata is not UNSET else None
    return facts if isinstance(facts, Mapping) else {}


def host_element_of(store: GraphStore, scope: ScopeNode) -> ElementNode | None:
    """Return the element that opens the scope. It carries the text that belongs to no control."""
    return store.element(scope.host_instance_id) if scope.host_instance_id else None


def scope_text(store: GraphStore, scope: ScopeNode) -> str:
    """Return the text of the scope's host element, or an empty text."""
    host = host_element_of(store, scope)
    return host.text or "" if host is not None else ""


def visible_elements(store: GraphStore) -> Iterator[ElementNode]:
    """Yield the elements that are not hidden, in document order."""
    return (element for element in store if not is_hidden(element))


def collections_by_owner(store: GraphStore) -> dict[str, CollectionNode]:
    """Return the collections by the instance id of their owner."""
    return {collection.owner_instance_id: collection for collection in store.collections.values()}


@dataclass(slots=True)
class OutlineNode:
    """A scope or an element with its contents, in reading order."""

    scope: ScopeNode | None
    element: ElementNode | None
    """The element, or the host of the scope."""
    parent: OutlineNode | None = field(default=None, repr=False)
    depth: int = 0
    children: list[OutlineNode] = field(default_factory=list)

    def below(self) -> Iterator[OutlineNode]:
        """Yield all nodes inside this one, in reading order."""
        for child in self.children:
            yield child
            yield from child.below()


def reading_tree(store: GraphStore) -> OutlineNode:
    """Return the page as nested scopes and elements. A scope is at its host's position, or where it begins."""
    return _TreeBuilder(store).tree()


class _TreeBuilder:
    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._root = OutlineNode(None, None)
        self._scopes: dict[str, OutlineNode] = {}
        self._elements: dict[str, OutlineNode] = {}

    def tree(self) -> OutlineNode:
        for element in visible_elements(self._store):
            self._add_element(element)
        for scope in self._store.scopes.values():
            if not is_hidden(scope):
                self._scope_node(scope.scope_id)
        return self._root

    def _add_element(self, element: ElementNode) -> None:
        hosted = next(iter(self._store.scope_index.by_host[element.instance_id]), None)
        parent = self._parent_of(element)
        node = self._append(parent, self._store.scope(hosted) if hosted else None, element)
        self._elements[element.instance_id] = node
        if hosted:
            self._scopes.setdefault(hosted, node)

    def _parent_of(self, element: ElementNode) -> OutlineNode:
        """Return the parent element's node if both are in one scope, else the node of the scope."""
        scope = self._scope_node(element.scope_id or None)
        if scope is self._root:
            scope = self._document_node(element.document_id)
        parent = self._store.tree.parent(element.instance_id)
        around = self._elements.get(parent) if parent is not None else None
        if around is None or around.element is None:
            return scope
        same = around.element.scope_id == element.scope_id or around is scope
        return around if same else scope

    def _document_node(self, document_id: str) -> OutlineNode:
        """Return the node that holds a document: the frame's element, or the root."""
        document = self._store.documents.get(document_id)
        host = document.host_instance_id if document is not None else UNSET
        return self._elements.get(host, self._root) if host else self._root

    def _scope_node(self, scope_id: str | None) -> OutlineNode:
        if scope_id in self._scopes:
            return self._scopes[scope_id]
        for scope in scope_path(self._store, scope_id):
            if scope.scope_id not in self._scopes:
                parent = self._scopes.get(scope.parent_scope_id or "") or self._document_node(
                    scope.document_id
                )
                self._scopes[scope.scope_id] = self._append(
                    parent, scope, host_element_of(self._store, scope)
                )
        return self._scopes.get(scope_id or "", self._root)

    def _append(
        self, parent: OutlineNode, scope: ScopeNode | None, element: ElementNode | None
    ) -> OutlineNode:
        # below the maximum depth, nodes are appended to the parent of the deepest node
        target = parent.parent if parent.depth == MAX_DEPTH and parent.parent is not None else parent
        node = OutlineNode(scope, element, target, target.depth + 1)
        target.children.append(node)
        return node
