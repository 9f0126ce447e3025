"""Read all accessible objects of one application through AT-SPI, in a few rounds of calls.

`Cache.GetItems` returns structure, names, roles and states at once if the toolkit keeps a cache (GTK). Otherwise the
tree is walked level by level (Qt). Boxes, texts and values are read concurrently. Graphs are built elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from uiap.drivers.desktop.bus import ATSPI, Bus, BusCallRejected, ObjectRef
from uiap.drivers.desktop.tree_walk import TreeWalk
from uiap.drivers.desktop.vocabulary import PASSWORD, RANGES, TEXTS, states

T = TypeVar("T")
MAX_TEXT_CHARS = 100_000
MAX_COORDINATE_PX = 100_000
"""Greater coordinates are invalid: GTK reports -2147483648 for objects outside of the screen."""


class ObjectBox(NamedTuple):
    """A rectangle in pixels of the screen."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def intersection(self, other: ObjectBox) -> ObjectBox | None:
        """Return the common part of both rectangles, or None."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return ObjectBox(left, top, right - left, bottom - top) if left < right and top < bottom else None


class ValueRange(NamedTuple):
    """The current value of a control, with its limits and step."""

    value: float
    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class AccessibleObject:
    """One accessible object."""

    ref: ObjectRef
    parent: ObjectRef
    index: int
    interfaces: frozenset[str]
    name: str
    role: int
    description: str
    states: frozenset[str]
    box: ObjectBox | None = None
    text: str | None = None
    range: ValueRange | None = None

    @property
    def showing(self) -> bool:
        return "showing" in self.states and "visible" in self.states


class ApplicationReader:
    """Reads one application."""

    def __init__(self, bus: Bus, app: str) -> None:
        self._bus, self._app = bus, app
        self._walk = TreeWalk(bus, app)

    async def read(self) -> tuple[AccessibleObject, ...]:
        """Return all current objects of the application."""
        (rows,) = await self._bus.call_method(
            self._app, "/org/a11y/atspi/cache", f"{ATSPI}.Cache", "GetItems"
        )
        items = [_item(row) for row in rows or await self._walk.rows()]
        present = (item for item in items if "defunct" not in item.states)
        return tuple(await asyncio.gather(*(_with_details(self._bus, item) for item in present)))


def _item(row: Any) -> AccessibleObject:
    ref, _app, parent, index, _count, interfaces, name, role, description, bits = row
    return AccessibleObject(
        ref=ObjectRef(*ref),
        parent=ObjectRef(*parent),
        index=index if isinstance(index, int) else -1,
        interfaces=frozenset(one.rpartition(".")[2] for one in interfaces),
        name=name.strip(),
        role=role,
        description=description.strip(),
        states=states(bits),
    )


async def _with_details(bus: Bus, item: AccessibleObject) -> AccessibleObject:
    """Return the object with its box, text and range; objects outside of the screen are not queried."""
    if not item.showing:
        return item
    interfaces = item.interfaces
    box, text, value_range = await asyncio.gather(
        _none_if_rejected(_box_of(bus, item.ref)) if "Component" in interfaces else _none(),
        _none_if_rejected(text_of(bus, item.ref))
        if item.role in TEXTS - {PASSWORD} and "Text" in interfaces
        else _none(),
        _none_if_rejected(range_of(bus, item.ref))
        if item.role in RANGES and "Value" in interfaces
        else _none(),
    )
    return replace(item, box=box, text=text, range=value_range)


async def _none() -> None:
    return None


async def _none_if_rejected(call: Awaitable[T]) -> T | None:
    """Return the result of a call, or None if the object was removed meanwhile."""
    try:
        return await call
    except BusCallRejected:
        return None


async def _box_of(bus: Bus, ref: ObjectRef) -> ObjectBox | None:
    box = ObjectBox(*await bus.call(ref, "Component", "GetExtents", 0, signature="u"))
    is_valid = (
        box.width > 0 and box.height > 0 and abs(box.x) < MAX_COORDINATE_PX and abs(box.y) < MAX_COORDINATE_PX
    )
    return box if is_valid else None


async def text_of(bus: Bus, ref: ObjectRef) -> str:
    """Return the text of an object. Never ask beyond its end: Qt then returns an empty text."""
    length = min(int(await bus.get(ref, "Text", "CharacterCount")), MAX_TEXT_CHARS)
    return str(await bus.call(ref, "Text", "GetText", 0, length, signature="ii"))


async def range_of(bus: Bus, ref: ObjectRef) -> ValueRange:
    names = ("CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement")
    return ValueRange(*await asyncio.gather(*(bus.get(ref, "Value", name) for name in names)))


def in_tree_order(items: Sequence[AccessibleObject]) -> list[AccessibleObject]:
    """Return parents before children, and children in their order.

    Hidden options of GTK have no index and keep their order.
    """
    children: dict[ObjectRef, list[AccessibleObject]] = {}
    roots: list[AccessibleObject] = []
    refs = {item.ref for item in items}
    for item in items:
        has_parent = item.parent in refs and item.parent != item.ref
        (children.setdefault(item.parent, []) if has_parent else roots).append(item)
    found: list[AccessibleObject] = []
    pending = sorted(roots, key=_sort_key, reverse=True)
    while pending:
        item = pending.pop()
        found.append(item)
        pending.extend(sorted(children.pop(item.ref, ()), key=_sort_key, reverse=True))
    return found


def _sort_key(item: AccessibleObject) -> tuple[int, int, str]:
    number = item.ref.path.rpartition("/")[2]
    return (item.index, int(number) if number.isdigit() else 0, number)
