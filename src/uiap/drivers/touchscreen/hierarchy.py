"""A UI hierarchy as `uiautomator dump` writes it, read into nodes with everything they carry. Pure; decides nothing.

Appium's page source of Android is the same with the classes as tags.

What is not in the dump is not here: no node of a real one has a range, a progress or an expanded state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree import ElementTree as ET

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_FLAGS = (
    "checkable",
    "checked",
    "clickable",
    "enabled",
    "focusable",
    "focused",
    "scrollable",
    "long-clickable",
    "password",
    "selected",
)
_NAMED_ATTRIBUTES = frozenset(
    {*_FLAGS, "index", "text", "resource-id", "class", "package", "content-desc", "bounds"}
)
MAX_DUMP_CHARS = 20_000_000
"""Characters of a dump; beyond it something else than a screen was sent."""


class BadDump(ValueError):
    """What the device sent is no UI hierarchy."""


class ScreenBounds(NamedTuple):
    """In pixels of the screen as it stands now; parts may lie outside of it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return max(0, self.right - self.left)

    @property
    def height(self) -> int:
        return max(0, self.bottom - self.top)

    @property
    def empty(self) -> bool:
        return self.width == 0 or self.height == 0

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def within(self, other: ScreenBounds) -> ScreenBounds:
        """The part of it that lies in the other."""
        return ScreenBounds(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def has(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(eq=False, slots=True)
class Node:
    """One node. Compared by identity: two rows of a list may say the same."""

    index: int
    text: str
    resource_id: str
    cls: str
    package: str
    description: str
    flags: frozenset[str]
    bounds: ScreenBounds
    more: Mapping[str, str]
    """Attributes that only some versions write: hint, drawing-order, NAF, visible-to-user, display-id."""
    path: str = ""
    """Where it stands in its document, as an XPath, if whoever wrote that can be asked by it."""
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The last word of its class: `SeekBar` of `android.widget.SeekBar`."""
        return self.cls.rpartition(".")[2]

    @property
    def held(self) -> str:
        """What a field holds: the hint that stands in for nothing is not it."""
        return "" if self.text == self.more.get("hint") else self.text

    def has(self, flag: str) -> bool:
        return flag in self.flags

    def walk(self) -> Iterator[Node]:
        """Itself and everything below, in the order of the dump."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(node.children))

    def above(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """One reading of the screen: its windows, and how it is turned."""

    rotation: int
    roots: tuple[Node, ...]

    def nodes(self) -> Iterator[Node]:
        for root in self.roots:
            yield from root.walk()


def parse(text: str) -> Hierarchy:
    """The hierarchy in a dump; BadDump for anything else, so that nothing half read is taken for a screen."""
    start = text.find("<hierarchy")
    if start < 0 or len(text) > MAX_DUMP_CHARS:
        raise BadDump(f"no UI hierarchy was written: {_first_line(text)}")
    end = text.rfind("</hierarchy>")
    if end < 0:
        empty = re.match(r"<hierarchy[^>]*/>", text[start:])
        if empty is None:
            raise BadDump("the UI hierarchy ends in the middle")
        body = empty.group()
    else:
        body = text[start : end + len("</hierarchy>")]
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadDump("a UI hierarchy has no document type")
    try:
        top = ET.fromstring(body)
    except ET.ParseError as error:
        raise BadDump(f"the UI hierarchy cannot be read: {error}") from error
    roots = tuple(_build_tree(child, None) for child in top)
    rotation = top.get("rotation", "0")
    return Hierarchy(int(rotation) % 4 if rotation.isdigit() else 0, roots)


def _build_tree(element: ET.Element, parent: Node | None) -> Node:
    """Without recursion: what an application nests is its own affair."""
    root = _build_node(element, parent)
    todo = [(element, root)]
    while todo:
        from_, node = todo.pop()
        for child in from_:
            made = _build_node(child, node)
            node.children.append(made)
            todo.append((child, made))
    return root


def _build_node(element: ET.Element, parent: Node | None) -> Node:
    get = element.get
    index = get("index", "0")
    return Node(
        index=int(index) if index.lstrip("-").isdigit() else 0,
        text=get("text", ""),
        resource_id=get("resource-id", ""),
        cls=get("class", "" if element.tag == "node" else element.tag),
        package=get("package", ""),
        description=get("content-desc", ""),
        flags=frozenset(flag for flag in _FLAGS if get(flag) == "true"),
        bounds=parse_bounds(get("bounds", "")),
        more={
            name: value for name, value in element.attrib.items() if name not in _NAMED_ATTRIBUTES and value
        },
        parent=parent,
    )


def parse_bounds(text: str) -> ScreenBounds:
    """`[-54,0][1080,210]`; what cannot be read is nowhere."""
    found = _BOUNDS.fullmatch(text)
    return ScreenBounds(*map(int, found.groups())) if found else ScreenBounds(0, 0, 0, 0)


def _first_line(text: str) -> str:
    line = next((one.strip() for one in text.splitlines() if one.strip()), "")
    return f"`{line[:200]}`" if line else "nothing came"
