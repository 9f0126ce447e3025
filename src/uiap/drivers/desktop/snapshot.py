"""One application as AT-SPI tells it: a whole reading of its accessible objects, in a few rounds of calls.

`Cache.GetItems` gives structure, names, roles and states at once where the toolkit keeps a cache (GTK); else the tree
is walked, level by level (Qt). Places, texts and values are asked for together. Decides nothing about graphs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from uiap.drivers.desktop.bus import ATSPI, Bus, Declined, Ref
from uiap.drivers.desktop.tree_walk import Walk
from uiap.drivers.desktop.vocabulary import PASSWORD, RANGES, TEXTS, states

T = TypeVar("T")
LONGEST_TEXT = 100_000
FARTHEST = 100_000
"""Beyond it no place is meant: GTK says -2147483648 of what is not on the screen."""


class Place(NamedTuple):
    """In pixels of the screen."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def inside(self, other: Place) -> Place | None:
        """The part that both have."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Place(left, top, right - left, bottom - top) if left < right and top < bottom else None


class Range(NamedTuple):
    value: float
    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class Item:
    """One accessible object."""

    ref: Ref
    parent: Ref
    index: int
    interfaces: frozenset[str]
    name: str
    role: int
    description: str
    states: frozenset[str]
    place: Place | None = None
    text: str | None = None
    range: Range | None = None

    @property
    def showing(self) -> bool:
        return "showing" in self.states and "visible" in self.states


class Reader:
    """Reads one application, again and again."""

    def __init__(self, bus: Bus, app: str) -> None:
        self._bus, self._app = bus, app
        self._walk = Walk(bus, app)

    async def read(self) -> tuple[Item, ...]:
        """Everything the application has, as it is now."""
        (rows,) = await self._bus.ask(self._app, "/org/a11y/atspi/cache", f"{ATSPI}.Cache", "GetItems")
        items = [_item(row) for row in rows or await self._walk.rows()]
        present = (item for item in items if "defunct" not in item.states)
        return tuple(await asyncio.gather(*(_filled(self._bus, item) for item in present)))


def _item(row: Any) -> Item:
    ref, _app, parent, index, _count, interfaces, name, role, description, bits = row
    return Item(
        ref=Ref(*ref),
        parent=Ref(*parent),
        index=index if isinstance(index, int) else -1,
        interfaces=frozenset(one.rpartition(".")[2] for one in interfaces),
        name=name.strip(),
        role=role,
        description=description.strip(),
        states=states(bits),
    )


async def _filled(bus: Bus, item: Item) -> Item:
    """With its place, text and range; what is not on the screen is not asked."""
    if not item.showing:
        return item
    has = item.interfaces
    place, text, held = await asyncio.gather(
        _known(_place(bus, item.ref)) if "Component" in has else _nothing(),
        _known(text_of(bus, item.ref)) if item.role in TEXTS - {PASSWORD} and "Text" in has else _nothing(),
        _known(range_of(bus, item.ref)) if item.role in RANGES and "Value" in has else _nothing(),
    )
    return replace(item, place=place, text=text, range=held)


async def _nothing() -> None:
    return None


async def _known(asked: Awaitable[T]) -> T | None:
    """None where the object left while it was being asked."""
    try:
        return await asked
    except Declined:
        return None


async def _place(bus: Bus, ref: Ref) -> Place | None:
    place = Place(*await bus.call(ref, "Component", "GetExtents", 0, signature="u"))
    seen = place.width > 0 and place.height > 0 and abs(place.x) < FARTHEST and abs(place.y) < FARTHEST
    return place if seen else None


async def text_of(bus: Bus, ref: Ref) -> str:
    """Never beyond its end: Qt answers that with nothing."""
    length = min(int(await bus.get(ref, "Text", "CharacterCount")), LONGEST_TEXT)
    return str(await bus.call(ref, "Text", "GetText", 0, length, signature="ii"))


async def range_of(bus: Bus, ref: Ref) -> Range:
    names = ("CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement")
    return Range(*await asyncio.gather(*(bus.get(ref, "Value", name) for name in names)))


def in_order(items: Sequence[Item]) -> list[Item]:
    """Parents before children, children as they stand; GTK's hidden options have no index and keep their order."""
    children: dict[Ref, list[Item]] = {}
    roots: list[Item] = []
    known = {item.ref for item in items}
    for item in items:
        own = item.parent in known and item.parent != item.ref
        (children.setdefault(item.parent, []) if own else roots).append(item)
    found: list[Item] = []
    todo = sorted(roots, key=_rank, reverse=True)
    while todo:
        item = todo.pop()
        found.append(item)
        todo.extend(sorted(children.pop(item.ref, ()), key=_rank, reverse=True))
    return found


def _rank(item: Item) -> tuple[int, int, str]:
    number = item.ref.path.rpartition("/")[2]
    return (item.index, int(number) if number.isdigit() else 0, number)
