"""Walk an application without an object cache (Qt) level by level, into the rows that a cache would return.

Properties that never change are read once per object. Descendants of objects outside of the screen are not read.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, TypeAlias

from uiap.drivers.desktop.bus import ROOT, Bus, BusCallRejected, ObjectRef
from uiap.drivers.desktop.vocabulary import APPLICATION, states

MAX_OBJECTS = 20_000
NULL_PATH = "/org/a11y/atspi/null"
Row: TypeAlias = tuple[Any, ...]
"""A row of `Cache.GetItems`: object, application, parent, index, count, interfaces, name, role, description, states."""


class FixedProperties(NamedTuple):
    """The properties of an object that never change."""

    role: int
    interfaces: list[str]
    description: str


class TreeWalk:
    """Walks the tree of one application; it caches the fixed properties between walks."""

    def __init__(self, bus: Bus, app: str) -> None:
        self._bus, self._root = bus, ObjectRef(app, ROOT)
        self._fixed: dict[ObjectRef, FixedProperties] = {}

    async def rows(self) -> list[Row]:
        found: dict[ObjectRef, Row] = {}
        level = [(self._root, self._root, 0)]
        while level and len(found) < MAX_OBJECTS:
            visited = await asyncio.gather(*(self._visit(*one) for one in level))
            level = []
            for row, children in filter(None, visited):
                if row[0] not in found:
                    found[row[0]] = row
                    level += [(child, row[0], index) for index, child in enumerate(children)]
        self._fixed = {ref: fixed for ref, fixed in self._fixed.items() if ref in found}
        return list(found.values())

    async def _visit(
        self, ref: ObjectRef, parent: ObjectRef, index: int
    ) -> tuple[Row, list[ObjectRef]] | None:
        """Return the row and the children of one object, or None if it was removed meanwhile."""
        try:
            fixed, name, bits = await asyncio.gather(
                self._fixed_properties(ref),
                self._bus.get(ref, "Accessible", "Name"),
                self._bus.call(ref, "Accessible", "GetState"),
            )
            children = []
            if fixed.role == APPLICATION or {"showing", "visible"} <= states(bits):
                children = await self._bus.call(ref, "Accessible", "GetChildren")
        except BusCallRejected:
            return None
        child_refs = [ObjectRef(*child) for child in children if child[1] != NULL_PATH]
        row = (ref, self._root, parent, index, len(child_refs), fixed.interfaces, name, fixed.role)
        return (*row, fixed.description, bits), child_refs

    async def _fixed_properties(self, ref: ObjectRef) -> FixedProperties:
        if ref not in self._fixed:
            self._fixed[ref] = FixedProperties(
                *await asyncio.gather(
                    self._bus.call(ref, "Accessible", "GetRole"),
                    self._bus.call(ref, "Accessible", "GetInterfaces"),
                    self._bus.get(ref, "Accessible", "Description"),
                )
            )
        return self._fixed[ref]
