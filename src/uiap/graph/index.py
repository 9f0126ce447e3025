"""Indices of elements and scopes by their properties. The store updates them one node at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from msgspec import UNSET

from uiap.graph.identity import published_record_key
from uiap.graph.names import normalised
from uiap.spec.web import ElementNode, ScopeNode

Key = TypeVar("Key", bound=Hashable)
MAX_WAITING = 1_500
"""The number of elements of a snapshot that are indexed when the index is first used."""


FORM_AFFORDANCES = frozenset({"edit", "choose", "toggle", "upload", "submit"})
FORM_FACTS = frozenset({"sends", "method", "owner"})
"""Facts of controls that send a form in their own way, or belong to a form elsewhere."""


class Groups(Generic[Key]):
    """Node ids by one property, in the order in which they were added."""

    def __init__(self) -> None:
        self._ids: dict[Key, dict[str, None]] = {}

    def add(self, key: Key, node: str) -> None:
        try:
            self._ids[key][node] = None
        except KeyError:
            self._ids[key] = {node: None}

    def discard(self, key: Key, node: str) -> None:
        ids = self._ids.get(key)
        if ids is not None:
            ids.pop(node, None)
            if not ids:
                del self._ids[key]

    def __getitem__(self, key: Key) -> Iterable[str]:
        return self._ids.get(key, {}).keys()

    def __contains__(self, key: object) -> bool:
        return key in self._ids

    def __iter__(self) -> Iterator[Key]:
        return iter(self._ids)


class ElementIndex:
    """Element ids by scope, stable id, record key and role, and those of the parts of forms.

    The elements of a small first graph are indexed when the index is first used, because their reader waits for them.
    """

    def __init__(self) -> None:
        self._by_scope: Groups[str] = Groups()
        self._by_stable_id: Groups[str] = Groups()
        self._by_record: Groups[str] = Groups()
        self._by_role: Groups[str] = Groups()
        self._form_parts: Groups[bool] = Groups()
        self._replaced_by: dict[str, str] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._waiting: list[ElementNode] = []

    @property
    def by_scope(self) -> Groups[str]:
        self._index_waiting()
        return self._by_scope

    @property
    def by_stable_id(self) -> Groups[str]:
        self._index_waiting()
        return self._by_stable_id

    @property
    def by_record(self) -> Groups[str]:
        self._index_waiting()
        return self._by_record

    @property
    def by_role(self) -> Groups[str]:
        self._index_waiting()
        return self._by_role

    @property
    def form_parts(self) -> Iterable[str]:
        """Fields, buttons that submit, and controls that say where they send: the rest of a page sends nothing."""
        self._index_waiting()
        return self._form_parts[True]

    @property
    def replaced_by(self) -> Mapping[str, str]:
        """The element that replaced a removed one, as the page reported it."""
        self._index_waiting()
        return self._replaced_by

    def load(self, elements: list[ElementNode]) -> None:
        """Add all elements of a snapshot. A large one is loaded in a thread, so it is indexed there, at once."""
        self._waiting = elements
        if len(elements) > MAX_WAITING:
            self._index_waiting()

    def _index_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for element in waiting:
            self.add(element)

    def names(self, role: str, elements: Mapping[str, ElementNode]) -> Mapping[str, str]:
        """Return the normalised names of one role by id. They are built on first use and updated from then on."""
        try:
            return self._names[role]
        except KeyError:
            found = {node: normalised(elements[node].name or "") for node in self.by_role[role]}
            self._names[role] = found
            return found

    def add(self, element: ElementNode) -> None:
        self._index_waiting()
        node = element.instance_id
        self._update_name(element)
        self._by_role.add(element.role, node)
        if is_form_part(element):
            self._form_parts.add(True, node)
        if element.scope_id is not UNSET:
            self._by_scope.add(element.scope_id, node)
        if element.stable_id is not UNSET:
            self._by_stable_id.add(element.stable_id, node)
        if element.metadata is not UNSET:
            if "was" in element.metadata:
                self._record_replacement(element.metadata["was"], node)
            key = published_record_key(element)
            if key is not None:
                self._by_record.add(key, node)

    def discard(self, element: ElementNode) -> None:
        self._index_waiting()
        self._names.get(element.role, {}).pop(element.instance_id, None)
        for groups, key in self._keys(element):
            groups.discard(key, element.instance_id)

    def replace(self, old: ElementNode, new: ElementNode) -> None:
        """Replace an element. It keeps its position in every group that it stays in."""
        self._index_waiting()
        if old.role != new.role:
            self._names.get(old.role, {}).pop(old.instance_id, None)
        self._update_name(new)
        before, after = dict(self._keys(old)), dict(self._keys(new))
        for groups, key in before.items():
            if after.get(groups) != key:
                groups.discard(key, old.instance_id)
        for groups, key in after.items():
            if before.get(groups) != key:
                groups.add(key, new.instance_id)

    def _record_replacement(self, removed: str, node: str) -> None:
        """Record a replacement. Of two elements that replace the same one, neither counts."""
        if self._replaced_by.setdefault(removed, node) != node:
            self._replaced_by[removed] = ""

    def _update_name(self, element: ElementNode) -> None:
        names = self._names.get(element.role)
        if names is not None:
            names[element.instance_id] = normalised(element.name or "")

    def _keys(self, element: ElementNode) -> Iterator[tuple[Groups[Any], Hashable]]:
        yield self.by_role, element.role
        if is_form_part(element):
            yield self._form_parts, True
        if element.scope_id is not UNSET:
            yield self.by_scope, element.scope_id
        if element.stable_id is not UNSET:
            yield self.by_stable_id, element.stable_id
        key = published_record_key(element)
        if key is not None:
            yield self.by_record, key


def is_form_part(element: ElementNode) -> bool:
    """Return whether the element is a field, submits a form, or says where it sends."""
    if not FORM_AFFORDANCES.isdisjoint(element.affordances):
        return True
    return element.metadata is not UNSET and not FORM_FACTS.isdisjoint(element.metadata)


class ScopeIndex:
    """Scope ids by parent, stable id and host element."""

    def __init__(self) -> None:
        self.by_parent: Groups[str | None] = Groups()
        self.by_stable_id: Groups[str] = Groups()
        self.by_host: Groups[str] = Groups()

    def add(self, scope: ScopeNode) -> None:
        self.by_parent.add(scope.parent_scope_id or None, scope.scope_id)
        if scope.stable_id is not UNSET:
            self.by_stable_id.add(scope.stable_id, scope.scope_id)
        if scope.host_instance_id is not UNSET:
            self.by_host.add(scope.host_instance_id, scope.scope_id)

    def discard(self, scope: ScopeNode) -> None:
        self.by_parent.discard(scope.parent_scope_id or None, scope.scope_id)
        if scope.stable_id is not UNSET:
            self.by_stable_id.discard(scope.stable_id, scope.scope_id)
        if scope.host_instance_id is not UNSET:
            self.by_host.discard(scope.host_instance_id, scope.scope_id)
