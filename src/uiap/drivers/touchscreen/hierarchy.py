"""Parse a UI hierarchy, as `uiautomator dump` writes it, into nodes with all their attributes. Pure.

Appium's page source of Android has the same form, with the classes as tags. A dump contains no range, no progress and
no expanded state. `elements` decides roles and names.
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
"""A longer answer of the device cannot be a screen."""


class BadDump(ValueError):
    """The answer of the device is not a UI hierarchy."""


class ScreenBounds(NamedTuple):
    """A rectangle in pixels of the screen in its current rotation; parts may be outside of the screen."""

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
    def is_empty(self) -> bool:
        return self.width == 0 or self.height == 0

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def intersection(self, other: ScreenBounds) -> ScreenBounds:
        """Return the part of this rectangle that is inside the other."""
        return ScreenBounds(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def contains(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(eq=False, slots=True)
class Node:
    """One node. Compared by identity, because two rows of a list may have the same content."""

    index: int
    text: str
    resource_id: str
    cls: str
    package: str
    description: str
    flags: frozenset[str]
    bounds: ScreenBounds
    extra_attributes: Mapping[str, str]
    """Attributes that only some Android versions write: hint, drawing-order, NAF, visible-to-user, display-id."""
    path: str = ""
    """The XPath of the node in its document, if the source of the document can look it up."""
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def class_name(self) -> str:
        """The class without its package: `SeekBar` of `android.widget.SeekBar`."""
        return self.cls.rpartition(".")[2]

    @property
    def field_text(self) -> str:
        """The text of a field; empty if the field shows its hint."""
        return "" if self.text == self.extra_attributes.get("hint") else self.text

    def has(self, flag: str) -> bool:
        return flag in self.flags

    def walk(self) -> Iterator[Node]:
        """Yield this node and its descendants, in the order of the dump."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The windows of the screen, and its rotation in quarter turns."""

    rotation: int
    roots: tuple[Node, ...]

    def nodes(self) -> Iterator[Node]:
        for root in self.roots:
            yield from root.walk()


def parse(text: str) -> Hierarchy:
    """Return the hierarchy in a dump; raise `BadDump` for anything else, such as a truncated dump."""
    start = text.find("<hierarchy")
    if start < 0 or len(text) > MAX_DUMP_CHARS:
        raise BadDump(f"the device wrote no UI hierarchy: {_first_line(text)}")
    end = text.rfind("</hierarchy>")
    if end < 0:
        empty = re.match(r"<hierarchy[^>]*/>", text[start:])
        if empty is None:
            raise BadDump("the UI hierarchy is truncated")
        body = empty.group()
    else:
        body = text[start : end + len("</hierarchy>")]
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadDump("the UI hierarchy declares a document type, which is not allowed")
    try:
        top = ET.fromstring(body)
    except ET.ParseError as error:
        raise BadDump(f"the UI hierarchy cannot be parsed: {error}") from error
    roots = tuple(_build_tree(child, None) for child in top)
    rotation = top.get("rotation", "0")
    return Hierarchy(int(rotation) % 4 if rotation.isdigit() else 0, roots)


def _build_tree(element: ET.Element, parent: Node | None) -> Node:
    """Build the tree without recursion, because an application may nest its views arbitrarily deep."""
    root = _build_node(element, parent)
    pending = [(element, root)]
    while pending:
        source, node = pending.pop()
        for child_element in source:
            child = _build_node(child_element, node)
            node.children.append(child)
            pending.append((child_element, child))
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
        extra_attributes={
            name: value for name, value in element.attrib.items() if name not in _NAMED_ATTRIBUTES and value
        },
        parent=parent,
    )


def parse_bounds(text: str) -> ScreenBounds:
    """Parse `[-54,0][1080,210]`; anything else becomes an empty rectangle."""
    found = _BOUNDS.fullmatch(text)
    return ScreenBounds(*map(int, found.groups())) if found else ScreenBounds(0, 0, 0, 0)


def _first_line(text: str) -> str:
    line = next((one.strip() for one in text.splitlines() if one.strip()), "")
    return f"`{line[:200]}`" if line else "the answer was empty"
