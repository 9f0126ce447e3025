"""Document order as linked siblings: placing, moving and removing one node cost the same at any page size.

Knows ids only. A parent counts once it is placed itself, so a hostile graph cannot make a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

Root: TypeAlias = tuple[str]
"""Holds the elements of one document that have no published parent."""
ParentSlot: TypeAlias = str | Root


class DocumentTree:
    def __init__(self) -> None:
        self._parent: dict[str, ParentSlot] = {}
        self._first: dict[ParentSlot, str] = {}
        self._last: dict[ParentSlot, str] = {}
        self._next: dict[str, str] = {}
        self._previous: dict[str, str] = {}
        self._roots: dict[Root, None] = {}

    def __contains__(self, node: object) -> bool:
        return node in self._parent

    def append(self, node: str, parent: str | None, document: str) -> None:
        """As the last child of its parent; without a placed parent, at the end of its document."""
        self._link(node, self._place(node, parent, document))

    def put_after(self, node: str, sibling: str | None) -> None:
        """Move a placed node behind a sibling of the same parent, or to the front."""
        place = self._parent[node]
        if sibling == node or (sibling is not None and self._parent.get(sibling) != place):
            return
        self._unlink(node)
        behind = self._first.get(place) if sibling is None else self._next.get(sibling)
        self._parent[node] = place
        self._join(place, sibling, node)
        self._join(place, node, behind)

    def move(self, node: str, parent: str | None, document: str) -> None:
        """To the end of its parent, with everything below it; never under itself."""
        place = self._place(node, parent, document)
        self._unlink(node)
        self._link(node, place)

    def remove(self, node: str) -> None:
        self._unlink(node)
        self._first.pop(node, None)
        self._last.pop(node, None)

    def parent(self, node: str) -> str | None:
        place = self._parent.get(node)
        return place if isinstance(place, str) else None

    def ancestors(self, node: str) -> Iterator[str]:
        """Nearest first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def children(self, node: str) -> Iterator[str]:
        return self._siblings(node)

    def walk(self, start: str | None = None) -> Iterator[str]:
        """Document order: the whole page, or what is below `start`."""
        places: list[ParentSlot] = list(self._roots) if start is None else [start]
        for place in places:
            yield from self._below(place)

    def _below(self, place: ParentSlot) -> Iterator[str]:
        node = self._first.get(place)
        while node is not None:
            yield node
            below = self._first.get(node)
            node = below if below is not None else self._onward(node, place)

    def _onward(self, node: str, limit: ParentSlot) -> str | None:
        """The next node that is not below this one, staying inside `limit`."""
        while True:
            behind = self._next.get(node)
            if behind is not None:
                return behind
            above = self._parent[node]
            if above == limit or not isinstance(above, str):
                return None
            node = above

    def _siblings(self, place: ParentSlot) -> Iterator[str]:
        node = self._first.get(place)
        while node is not None:
            yield node
            node = self._next.get(node)

    def _place(self, node: str, parent: str | None, document: str) -> ParentSlot:
        if parent is not None and parent != node and parent in self._parent and not self._holds(node, parent):
            return parent
        root = (document,)
        self._roots.setdefault(root, None)
        return root

    def _holds(self, node: str, inner: str) -> bool:
        return node in self._first and node in self.ancestors(inner)

    def _link(self, node: str, place: ParentSlot) -> None:
        last = self._last.get(place)
        self._parent[node] = place
        self._last[place] = node
        if last is None:
            self._first[place] = node
        else:
            self._next[last] = node
            self._previous[node] = last

    def _join(self, place: ParentSlot, left: str | None, right: str | None) -> None:
        if left is None:
            self._set(self._first, place, right)
        else:
            self._set(self._next, left, right)
        if right is None:
            self._set(self._last, place, left)
        else:
            self._set(self._previous, right, left)

    def _unlink(self, node: str) -> None:
        place = self._parent.pop(node)
        self._join(place, self._previous.pop(node, None), self._next.pop(node, None))

    @staticmethod
    def _set(links: dict[ParentSlot, str] | dict[str, str], key: ParentSlot, value: str | None) -> None:
        if value is None:
            links.pop(key, None)  # type: ignore[arg-type]
        else:
            links[key] = value  # type: ignore[index]
