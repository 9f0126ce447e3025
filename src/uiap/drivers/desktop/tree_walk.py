"""An application without a cache of its objects (Qt), walked level by level into the rows that a cache would give.

What never changes of an object is asked once; below what is not on the screen nothing is asked. Knows no graphs.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, TypeAlias

from uiap.drivers.desktop.bus import ROOT, Bus, BusCallRejected, ObjectRef
from uiap.drivers.desktop.vocabulary import APPLICATION, states

MAX_OBJECTS = 20_000
NULL_PATH = "/org/a11y/atspi/null"
Row: TypeAlias = tuple[Any, ...]
"""As in `Cache.GetItems`: object, application, parent, index, count, interfaces, name, role, description, states."""


class FixedProperties(NamedTuple):
    """What an object is as long as it lives."""

    role: int
    interfaces: list[str]
    description: str


class TreeWalk:
    def __init__(self, bus: Bus, app: str) -> None:
        self._bus, self._root = bus, ObjectRef(app, ROOT)
        self._fixed: dict[ObjectRef, FixedProperties] = {}

    async def rows(self) -> list[Row]:
        found: dict[ObjectRef, Row] = {}
        level = [(self._root, self._root, 0)]
        while level and len(found) < MAX_OBJECTS:
            met = await asyncio.gather(*(self._met(*one) for one in level))
            level = []
            for row, children in filter(None, met):
                if row[0] not in found:
                    found[row[0]] = row
                    level += [(child, row[0], index) for index, child in enumerate(children)]
        self._fixed = {ref: fixed for ref, fixed in self._fixed.items() if ref in found}
        return list(found.values())

    async def _met(self, ref: ObjectRef, parent: ObjectRef, index: int) -> tuple[Row, list[ObjectRef]] | None:
        """One object and those below it; None if it left meanwhile."""
        try:
            fixed, name, bits = await asyncio.gather(
                self._about(ref),
                self._bus.get(ref, "Accessible", "Name"),
                self._bus.call(ref, "Accessible", "GetState"),
            )
            children = []
            if fixed.role == APPLICATION or {"showing", "visible"} <= states(bits):
                children = await self._bus.call(ref, "Accessible", "GetChildren")
        except BusCallRejected:
            return None
        below = [ObjectRef(*child) for child in children if child[1] != NULL_PATH]
        row = (ref, self._root, parent, index, len(below), fixed.interfaces, name, fixed.role)
        return (*row, fixed.description, bits), below

    async def _about(self, ref: ObjectRef) -> FixedProperties:
        if ref not in self._fixed:
            self._fixed[ref] = FixedProperties(
                *await asyncio.gather(
                    self._bus.call(ref, "Accessible", "GetRole"),
                    self._bus.call(ref, "Accessible", "GetInterfaces"),
                    self._bus.get(ref, "Accessible", "Description"),
                )
            )
        return self._fixed[ref]
