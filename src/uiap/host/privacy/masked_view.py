"""A graph store as one reader may see it. Nodes are masked when they are read, and each node only once.

Everything that reads the store sees the masked nodes: outlines, searches, expectations and the search for a target. A
reader can therefore not ask for anything that it may not see.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET

from uiap.fair_share import give_way
from uiap.graph.changes import Changes
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.host.privacy.echoes import squeeze
from uiap.host.privacy.text_masking import MASK, TextMask
from uiap.spec.web import ElementNode

N = TypeVar("N")
MAX_CACHED = 100_000
READS_PER_CHECK = 0x1F
"""The mask of the counter of reads: long work gives way to other sessions at every 32nd node."""
MAX_JOINED = 5_000
"""A value that is split over several elements is searched for on pages of up to this many elements."""
MAX_PART = 1_000
"""A longer text is not a part of a split value."""
CHOICES = frozenset({"option", "radio", "menuitemradio", "treeitem", "tab"})
"""Roles whose state shows which value another element has."""


class MaskCache(Generic[N]):
    """The masked form of each node, until the node changes."""

    def __init__(self, mask: Callable[[N], N]) -> None:
        self._mask = mask
        self._reads = 0
        self._known: dict[str, tuple[N, N]] = {}

    def masked(self, key: str, node: N) -> N:
        self._reads += 1
        if self._reads & READS_PER_CHECK == 0:
            give_way()
        known = self._known.get(key)
        if known is not None and known[0] is node:
            return known[1]
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        made = self._mask(node)
        self._known[key] = node, made
        return made


class MaskedNodes(Mapping[str, N]):
    """The nodes of a store, masked when they are read."""

    def __init__(self, nodes: Mapping[str, N], cache: MaskCache[N]) -> None:
        self._nodes, self._cache = nodes, cache

    def __getitem__(self, key: str) -> N:
        return self._cache.masked(key, self._nodes[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class MaskedElements(MaskedNodes[ElementNode]):
    """Elements, with two facts that depend on other elements: choices of a private field, and split values."""

    def __init__(
        self,
        store: GraphStore,
        cache: MaskCache[ElementNode],
        is_private: Callable[[ElementNode], bool],
        split: frozenset[str],
    ) -> None:
        super().__init__(store.elements, cache)
        self._is_private, self._split = is_private, split

    def __getitem__(self, key: str) -> ElementNode:
        return self.finish(super().__getitem__(key))

    def finish(self, element: ElementNode) -> ElementNode:
        """Return a masked element without the facts that other elements make private."""
        if element.instance_id in self._split:
            return without_texts(element)
        if element.role in CHOICES and shows_choice(element) and self._belongs_to_private(element):
            return without_choice(element)
        return element

    def _belongs_to_private(self, element: ElementNode) -> bool:
        return any(map(self._is_private, owners(self._nodes, element)))


def owners(elements: Mapping[str, ElementNode], element: ElementNode) -> Iterator[ElementNode]:
    """Yield the nearest ancestors of a choice: the list, and the field it belongs to."""
    parent = element.parent_instance_id
    for _ in range(3):
        found = elements.get(parent) if isinstance(parent, str) else None
        if found is None:
            return
        yield found
        parent = found.parent_instance_id


def shows_choice(element: ElementNode) -> bool:
    state = element.state
    return state.selected is not UNSET or state.checked is not UNSET


def without_choice(element: ElementNode) -> ElementNode:
    state = msgspec.structs.replace(element.state, selected=UNSET, checked=UNSET)
    return msgspec.structs.replace(element, state=state)


def without_texts(element: ElementNode) -> ElementNode:
    changed = {name: MASK for name in ("name", "text", "description") if getattr(element, name) is not UNSET}
    if element.state.text_value is not UNSET:
        changed_state = msgspec.structs.replace(element.state, text_value=MASK)
        return msgspec.structs.replace(element, state=changed_state, **changed)
    return msgspec.structs.replace(element, **changed)


class SplitSearch:
    """Finds the elements whose texts spell a private value only together."""

    def __init__(self, mask: TextMask) -> None:
        self._mask = mask
        self._squeezed: dict[str, tuple[ElementNode, str]] = {}
        self._found: tuple[GraphStore, int, frozenset[str]] | None = None

    def elements(self, store: GraphStore) -> frozenset[str]:
        """Return the ids of these elements on the current page."""
        if not self._mask or len(store.elements) > MAX_JOINED:
            return frozenset()
        found = self._found
        if found is None or found[0] is not store or found[1] != store.seq:
            found = self._found = store, store.seq, self.search(store)
        return found[2]

    def search(self, elements: Iterable[ElementNode]) -> frozenset[str]:
        """Return the ids of these elements among elements in document order."""
        leaves = [one for one in elements if one.text or one.name]
        self._squeezed = {one.instance_id: (one, self._squeeze(one)) for one in leaves}
        found = self._mask.split_over([text for _, text in self._squeezed.values()])
        return frozenset(leaves[number].instance_id for number in found)

    def _squeeze(self, element: ElementNode) -> str:
        known = self._squeezed.get(element.instance_id)
        if known is not None and known[0] is element:
            return known[1]
        text = str(element.text or element.name)
        return squeeze(text) if len(text) <= MAX_PART else ""


def view_of(
    store: GraphStore,
    elements: Mapping[str, ElementNode],
    scopes: Mapping[str, Any],
    documents: Mapping[str, Any],
    mask: TextMask,
    mask_old: Callable[[ElementNode], ElementNode],
) -> GraphStore:
    """Return a copy of the store with these nodes. Nothing of the store itself is copied."""
    view = copy.copy(store)
    view.elements, view.scopes, view.documents = elements, scopes, documents
    view._facts = replace(view._facts, route=mask.mask_payload(view._facts.route))
    view.since = lambda revision: _masked_changes(store.since(revision), mask_old)  # type: ignore[method-assign]
    view.names = lambda role: _names(view, role)  # type: ignore[method-assign]
    return view


def _names(view: GraphStore, role: str) -> Mapping[str, str]:
    """Return the names as the reader sees them. The names in the index of the store are the real ones."""
    return {one.instance_id: normalised(one.name or "") for one in view.by_role(role)}


def _masked_changes(changes: Changes | None, mask: Callable[[ElementNode], ElementNode]) -> Changes | None:
    if changes is None:
        return None
    nodes = changes.elements
    updated = tuple(replace(one, before=mask(one.before), after=mask(one.after)) for one in nodes.updated)
    added, removed = tuple(map(mask, nodes.added)), tuple(map(mask, nodes.removed))
    return replace(changes, elements=replace(nodes, added=added, removed=removed, updated=updated))
