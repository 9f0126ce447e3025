"""One application as AT-SPI tells it: a whole reading of its accessible objects, in a few rounds of calls.

`Cache.GetItems` gives structure, names, roles and states at once where the toolkit keeps a cache (GTK); else the tree
is walked, level by level (Qt). Places, texts and values are asked for together. Decides nothing about graphs.
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
"""Beyond it no place is meant: GTK says -2147483648 of what is not on the screen."""


class ObjectBox(NamedTuple):
    """In pixels of the screen."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def inside(self, other: ObjectBox) -> ObjectBox | None:
        """The part that both have."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return ObjectBox(left, top, right - left, bottom - top) if left < right and top < bottom else None


class ValueRange(NamedTuple):
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
    place: ObjectBox | None = None
    text: str | None = None
    range: ValueRange | None = None

    @property
    def showing(self) -> bool:
        return "showing" in self.states and "visible" in self.states


class ApplicationReader:
    """Reads one application, again and again."""

    def __init__(self, bus: Bus, app: str) -> None:
        self._bus, self._app = bus, app
        self._walk = TreeWalk(bus, app)

    async def read(self) -> tuple[AccessibleObject, ...]:
        """Everything the application has, as it is now."""
        (rows,) = await self._bus.ask(self._app, "/org/a11y/atspi/cache", f"{ATSPI}.Cache", "GetItems")
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
    """With its place, text and range; what is not on the screen is not asked."""
    if not item.showing:
        return item
    has = item.interfaces
    place, text, held = await asyncio.gather(
        _none_if_rejected(_box_of(bus, item.ref)) if "Component" in has else _none(),
        _none_if_rejected(text_of(bus, item.ref))
        if item.role in TEXTS - {PASSWORD} and "Text" in has
        else _none(),
        _none_if_rejected(range_of(bus, item.ref)) if item.role in RANGES and "Value" in has else _none(),
    )
    return replace(item, place=place, text=text, range=held)


async def _none() -> None:
    return None


async def _none_if_rejected(asked: Awaitable[T]) -> T | None:
    """None where the object left while it was being asked."""
    try:
        return await asked
    except BusCallRejected:
        return None


async def _box_of(bus: Bus, ref: ObjectRef) -> ObjectBox | None:
    place = ObjectBox(*await bus.call(ref, "Component", "GetExtents", 0, signature="u"))
    seen = (
        place.width > 0
        and place.height > 0
        and abs(place.x) < MAX_COORDINATE_PX
        and abs(place.y) < MAX_COORDINATE_PX
    )
    return place if seen else None


async def text_of(bus: Bus, ref: ObjectRef) -> str:
    """Never beyond its end: Qt answers that with nothing."""
    length = min(int(await bus.get(ref, "Text", "CharacterCount")), MAX_TEXT_CHARS)
    return str(await bus.call(ref, "Text", "GetText", 0, length, signature="ii"))


async def range_of(bus: Bus, ref: ObjectRef) -> ValueRange:
    names = ("CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement")
    return ValueRange(*await asyncio.gather(*(bus.get(ref, "Value", name) for name in names)))


def in_tree_order(items: Sequence[AccessibleObject]) -> list[AccessibleObject]:
    """Parents before children, children as they stand; GTK's hidden options have no index and keep their order."""
    children: dict[ObjectRef, list[AccessibleObject]] = {}
    roots: list[AccessibleObject] = []
    known = {item.ref for item in items}
    for item in items:
        own = item.parent in known and item.parent != item.ref
        (children.setdefault(item.parent, []) if own else roots).append(item)
    found: list[AccessibleObject] = []
    todo = sorted(roots, key=_sort_key, reverse=True)
    while todo:
        item = todo.pop()
        found.append(item)
        todo.extend(sorted(children.pop(item.ref, ()), key=_sort_key, reverse=True))
    return found


def _sort_key(item: AccessibleObject) -> tuple[int, int, str]:
    number = item.ref.path.rpartition("/")[2]
    return (item.index, int(number) if number.isdigit() else 0, number)
