"""Document order as linked siblings: adding, moving and removing a node take the same time at any page size.

Works on ids alone. A parent counts only after it was added itself, so a hostile graph cannot make a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

Root: TypeAlias = tuple[str]
"""The document of the elements that have no published parent."""
ParentSlot: TypeAlias = str | Root


class DocumentTree:
    """Parents and siblings of all elements of a page."""

    def __init__(self) -> None:
        self._parent: dict[str, ParentSlot] = {}
        self._first: dict[ParentSlot, str] = {}
        self._last: dict[ParentSlot, str] = {}
        self._next: dict[str, str] = {}
        self._previous: dict[str, str] = {}
        self._roots: dict[Root, None] = {}
        self._hosts: dict[Root, str] = {}
        self._framed: dict[str, Root] = {}
        self._positions: dict[str, int] | None = None

    def __contains__(self, node: object) -> bool:
        return node in self._parent

    def append(self, node: str, parent: str | None, document: str) -> None:
        """Add a node as the last child of its parent, or at the end of its document if the parent is unknown."""
        self._link(node, self._slot(node, parent, document))

    def put_after(self, node: str, sibling: str | None) -> None:
        """Move a node behind a sibling with the same parent, or to the front."""
        slot = self._parent[node]
        if sibling == node or (sibling is not None and self._parent.get(sibling) != slot):
            return
        self._unlink(node)
        behind = self._first.get(slot) if sibling is None else self._next.get(sibling)
        self._parent[node] = slot
        self._connect(slot, sibling, node)
        self._connect(slot, node, behind)

    def move(self, node: str, parent: str | None, document: str) -> None:
        """Move a node and its descendants to the end of a parent, never below itself."""
        slot = self._slot(node, parent, document)
        self._unlink(node)
        self._link(node, slot)

    def remove(self, node: str) -> None:
        self._unlink(node)
        self._first.pop(node, None)
        self._last.pop(node, None)

    def in_order(self, nodes: Iterable[str]) -> list[str]:
        """Return nodes in document order. Positions are counted once after each insertion, move or removal."""
        found = list(nodes)
        if len(found) > 1:
            if self._positions is None:
                self._positions = {node: place for place, node in enumerate(self.walk())}
            found.sort(key=self._positions.__getitem__)
        return found

    def parent(self, node: str) -> str | None:
        slot = self._parent.get(node)
        return slot if isinstance(slot, str) else None

    def ancestors(self, node: str) -> Iterator[str]:
        """Yield the ancestors, nearest first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def only_inside(self, outer: str, nodes: Iterable[str]) -> list[str]:
        """Return the nodes that are inside an element, or inside a document in it."""
        known = {outer: True}
        return [node for node in nodes if node != outer and self._is_inside(node, known)]

    def _is_inside(self, node: str, known: dict[str, bool]) -> bool:
        """Climb until an element whose answer is known, and record the answer of all elements on the way."""
        climbed: list[str] = []
        at: str | None = node
        while at is not None and at not in known:
            climbed.append(at)
            known[at] = False  # ends a cycle of frames
            at = self._above(at)
        answer = at is not None and known[at]
        known.update(dict.fromkeys(climbed, answer))
        return answer

    def _above(self, node: str) -> str | None:
        """Return the parent, or the element that contains the document of a root."""
        slot = self._parent.get(node)
        return slot if slot is None or isinstance(slot, str) else self._hosts.get(slot)

    def children(self, node: str) -> Iterator[str]:
        return self._siblings(node)

    def walk(self, start: str | None = None) -> Iterator[str]:
        """Yield the nodes of the whole page, or those below `start`, in document order."""
        if start is not None:
            yield from self._below_with_frames(start, set())
            return
        passed: set[Root] = set()
        for root in [*(r for r in self._roots if self._hosts.get(r) not in self._parent), *self._roots]:
            if root not in passed:
                yield from self._below_with_frames(root, passed)

    def set_host(self, document: str, host: str | None) -> None:
        """Note the element that contains a document: its elements follow that element."""
        root = (document,)
        self._positions = None
        self._framed.pop(self._hosts.pop(root, ""), None)
        if host is not None:
            self._hosts[root], self._framed[host] = host, root

    def _below_with_frames(self, slot: ParentSlot, passed: set[Root]) -> Iterator[str]:
        """Yield the nodes below a slot, each frame element followed by the document in it."""
        stack = [self._below(slot)]
        if isinstance(slot, tuple):
            passed.add(slot)
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            yield node
            root = self._framed.get(node)
            if root is not None and root not in passed:
                passed.add(root)
                stack.append(self._below(root))

    def _below(self, slot: ParentSlot) -> Iterator[str]:
        node = self._first.get(slot)
        while node is not None:
            yield node
            below = self._first.get(node)
            node = below if below is not None else self._next_outside(node, slot)

    def _next_outside(self, node: str, limit: ParentSlot) -> str | None:
        """Return the next node that is not below this one, inside `limit`."""
        while True:
            behind = self._next.get(node)
            if behind is not None:
                return behind
            above = self._parent[node]
            if above == limit or not isinstance(above, str):
                return None
            node = above

    def _siblings(self, slot: ParentSlot) -> Iterator[str]:
        node = self._first.get(slot)
        while node is not None:
            yield node
            node = self._next.get(node)

    def _slot(self, node: str, parent: str | None, document: str) -> ParentSlot:
        if (
            parent is not None
            and parent != node
            and parent in self._parent
            and not self._contains(node, parent)
        ):
            return parent
        root = (document,)
        self._roots.setdefault(root, None)
        return root

    def _contains(self, node: str, inner: str) -> bool:
        return node in self._first and node in self.ancestors(inner)

    def _link(self, node: str, slot: ParentSlot) -> None:
        last = self._last.get(slot)
        self._positions = None
        self._parent[node] = slot
        self._last[slot] = node
        if last is None:
            self._first[slot] = node
        else:
            self._next[last] = node
            self._previous[node] = last

    def _connect(self, slot: ParentSlot, left: str | None, right: str | None) -> None:
        if left is None:
            self._set_or_remove(self._first, slot, right)
        else:
            self._set_or_remove(self._next, left, right)
        if right is None:
            self._set_or_remove(self._last, slot, left)
        else:
            self._set_or_remove(self._previous, right, left)

    def _unlink(self, node: str) -> None:
        slot = self._parent.pop(node)
        self._positions = None
        self._connect(slot, self._previous.pop(node, None), self._next.pop(node, None))

    @staticmethod
    def _set_or_remove(
        links: dict[ParentSlot, str] | dict[str, str], key: ParentSlot, value: str | None
    ) -> None:
        if value is None:
            links.pop(key, None)  # type: ignore[arg-type]
        else:
            links[key] = value  # type: ignore[index]
