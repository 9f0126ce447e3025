"""Select the nodes of a hierarchy that are elements for a person, with their role and name. Pure.

Pure layout nodes are left out. A clickable node takes its name from the texts inside of it (MDM-R4a). A name that was
guessed from the surroundings is marked by its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from uiap.drivers.touchscreen.hierarchy import Hierarchy, Node, ScreenBounds
from uiap.drivers.touchscreen.vocabulary import (
    DIALOG_IDS,
    FIELDS,
    LISTS,
    RANGES,
    ROLES,
    one_line,
    parse_number,
    without_expanded_state,
)
from uiap.spec.capability import UIRole
from uiap.spec.web import SemanticSource

MAX_NAME_CHARS = 200
MIN_ROWS = 3
"""A scrollable node with at least this many children of the same shape is a list of rows."""
TOUCH_FRACTIONS = (0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98)
"""Fractions of a target's width and height at which it may be touched, the center first."""


@dataclass(frozen=True, slots=True, eq=False)
class ScreenElement:
    """A node that is published as an element."""

    node: Node
    role: UIRole
    name: str
    source: SemanticSource
    value: str = ""
    """The text of the current value of a range, a switch or a closed list."""
    record: str | None = None
    """The list row that contains the element, identified by the first text of the row."""

    @property
    def pressable(self) -> bool:
        return self.node.has("clickable") or self.node.has("long-clickable") or self.node.has("checkable")


class ScreenLayout:
    """The elements of one hierarchy, with their windows, visible bounds and touch points."""

    def __init__(self, hierarchy: Hierarchy, screen: tuple[int, int] | None = None) -> None:
        self.hierarchy = hierarchy
        self.screen = _screen_size(hierarchy, screen)
        self._rows = {row: text for one in hierarchy.nodes() for row, text in _rows(one)}
        self._labels = [one for one in hierarchy.nodes() if _is_label(one)]
        self.elements: dict[Node, ScreenElement] = {}
        for node in hierarchy.nodes():
            role = self._role(node)
            if role is not None:
                self.elements[node] = self._build_element(node, role)

    # -- geometry and structure -----------------------------------------------------------------------------

    def parent_of(self, node: Node) -> Node | None:
        return next((one for one in node.ancestors() if one in self.elements), None)

    def window_of(self, node: Node) -> Node:
        return next((one for one in node.ancestors() if one.parent is None), node)

    def is_dialog(self, window: Node) -> bool:
        return any(one.resource_id.rpartition("/")[2] in DIALOG_IDS for one in window.walk())

    def visible_bounds(self, node: Node) -> ScreenBounds:
        """Return the part of the node that is on the screen."""
        return node.bounds.intersection(ScreenBounds(0, 0, *self.screen))

    def touch_point(self, node: Node) -> tuple[int, int] | None:
        """Return a point where a touch hits this node and no other control, or None."""
        box = self.visible_bounds(node)
        if box.is_empty:
            return None
        covered = self._covering_bounds(node)
        for down in TOUCH_FRACTIONS:
            for across in TOUCH_FRACTIONS:
                x, y = box.left + int(box.width * across), box.top + int(box.height * down)
                if box.contains(x, y) and not any(one.contains(x, y) for one in covered):
                    return x, y
        return None

    def _covering_bounds(self, node: Node) -> list[ScreenBounds]:
        """Return the bounds of controls that would take the touch: inside the node, or drawn over it."""
        nodes = list(self.hierarchy.nodes())
        inside = set(node.walk())
        later = (self.elements[one] for one in nodes[nodes.index(node) + 1 :] if one in self.elements)
        return [
            one.node.bounds
            for one in later
            if _takes_touch(one) and (one.node in inside or one.node.bounds != node.bounds)
        ]

    # -- roles ----------------------------------------------------------------------------------------------

    def _role(self, node: Node) -> UIRole | None:
        class_role = ROLES.get(node.class_name)
        text = node.text or node.description
        if node.class_name in FIELDS or class_role in ("slider", "switch", "checkbox", "radio", "combobox"):
            return class_role
        if class_role == "progress":
            return "progress" if self._parsed_number(node) is not None else "spinner"
        if node.has("checkable"):
            return class_role or "checkbox"
        if node.has("clickable") or node.has("long-clickable"):
            return self._clickable_role(node, class_role)
        if class_role in (
            "list",
            "grid",
            "tablist",
            "toolbar",
            "region",
            "datepicker",
            "timepicker",
            "spinbutton",
        ):
            return class_role
        if node.has("scrollable"):
            return "list" if any(row.parent is node for row in self._rows) else "group"
        if class_role == "button":  # Compose puts the role into an empty node inside of the clickable node
            return "button" if text or not _is_inside_clickable(node) else None
        if not text.strip():
            return None
        return class_role if class_role in ("image", "video", "canvas") else "label"

    def _clickable_role(self, node: Node, class_role: UIRole | None) -> UIRole:
        if node.parent is not None and ROLES.get(node.parent.class_name) == "tablist":
            return "tab"
        if class_role is not None and class_role not in (
            "label",
            "image",
            "group",
            "region",
            "canvas",
            "video",
        ):
            return class_role
        inner = (ROLES.get(one.class_name) for one in node.children if not (one.text or one.description))
        return next((role for role in inner if role in ("button", "checkbox", "radio", "switch")), "button")

    # -- names ----------------------------------------------------------------------------------------------

    def _build_element(self, node: Node, role: UIRole) -> ScreenElement:
        record = next((self._rows[one] for one in (node, *node.ancestors()) if one in self._rows), None)
        value = self._value(node, role)
        own = self._own_name(node, value)
        if own:
            return ScreenElement(node, role, own, "native", value, record)
        has_value = role in RANGES or node.class_name in FIELDS or role == "combobox"
        if has_value and (label := self._nearest_label(node)):
            return ScreenElement(node, role, label, "heuristic", value, record)
        pressable = node.has("clickable") or node.has("long-clickable") or node.has("checkable")
        if pressable and not has_value and (inner := self._inner_name(node)):
            return ScreenElement(node, role, inner, "text", value, record)
        return ScreenElement(node, role, "", "native", value, record)

    def _value(self, node: Node, role: UIRole) -> str:
        if role in RANGES:
            return next((text for text in (node.description, node.text) if parse_number(text)), "")
        if role in ("switch", "checkbox", "radio") and node.text and node.description:
            return node.text
        return node.text if role == "combobox" else ""

    def _parsed_number(self, node: Node) -> object:
        return parse_number(node.description) or parse_number(node.text)

    def _own_name(self, node: Node, value: str) -> str:
        if node.class_name in FIELDS:
            return _first_line(node.description) or _first_line(node.extra_attributes.get("hint", ""))
        texts = (node.description, node.text)
        return next((_first_line(one) for one in texts if one.strip() and one != value), "")

    def _inner_name(self, node: Node) -> str:
        """Return the texts inside of the node that belong to no other control."""
        found: list[str] = []
        pending = list(reversed(node.children))
        while pending:
            one = pending.pop()
            if one.has("clickable") or one.has("checkable") or one.has("password"):
                continue
            if text := _first_line(one.description or one.text):
                found.append(text)
            pending.extend(reversed(one.children))
        return one_line(" ".join(found))[:MAX_NAME_CHARS]

    def _nearest_label(self, node: Node) -> str:
        """Return the text of the closest label to the left of the node or directly above it."""
        labels = (
            (distance, index, _first_line(label.description or label.text))
            for index, label in enumerate(self._labels)
            if label is not node and label.parent is node.parent
            if (distance := _label_distance(label.bounds, node.bounds)) is not None
        )
        return min(labels, default=(0, 0, ""))[2]


def _first_line(text: str) -> str:
    """Return the first line: frameworks that merge the texts of a card put its title there."""
    first = next((line.strip() for line in without_expanded_state(text).splitlines() if line.strip()), "")
    return one_line(first)[:MAX_NAME_CHARS]


def _is_label(node: Node) -> bool:
    text = node.description or node.text
    if node.has("clickable") or node.has("checkable") or node.has("password") or not text.strip():
        return False
    role = ROLES.get(node.class_name)
    return role in (None, "label") and parse_number(text) is None and not node.bounds.is_empty


def _is_inside_clickable(node: Node) -> bool:
    return node.parent is not None and node.parent.has("clickable")


def _takes_touch(element: ScreenElement) -> bool:
    return element.pressable or element.role == "slider" or element.node.class_name in FIELDS


def _rows(node: Node) -> list[tuple[Node, str]]:
    """Return the rows of a list, each with its first text; rows without text are left out."""
    if node.class_name not in LISTS and not (node.has("scrollable") and _have_same_shape(node.children)):
        return []
    rows = ((row, (_first_line(one.text or one.description) for one in row.walk())) for row in node.children)
    return [(row, text) for row, texts in rows if (text := next(filter(None, texts), ""))]


def _have_same_shape(children: Sequence[Node]) -> bool:
    shapes = Counter(_shape(child) for child in children)
    most_common = shapes.most_common(1)
    return bool(most_common) and most_common[0][1] >= MIN_ROWS and len(most_common[0][0]) > 1


def _shape(node: Node) -> tuple[tuple[str, str, bool], ...]:
    return tuple((one.class_name, one.resource_id, one.has("clickable")) for one in node.walk())


def _label_distance(label: ScreenBounds, field: ScreenBounds) -> int | None:
    if label.is_empty or field.is_empty:
        return None
    if label.top < field.bottom and field.top < label.bottom and label.left < field.left:
        return max(0, field.left - label.right)
    if label.bottom <= field.top and label.left < field.right and field.left < label.right:
        return 1000 + field.top - label.bottom
    return None


def _screen_size(hierarchy: Hierarchy, size: tuple[int, int] | None) -> tuple[int, int]:
    """Return the size in the current rotation: `wm size` reports the portrait size, a dump the rotation."""
    if size is not None:
        return (size[1], size[0]) if hierarchy.rotation % 2 else size
    right = max((root.bounds.right for root in hierarchy.roots), default=0)
    return right, max((root.bounds.bottom for root in hierarchy.roots), default=0)
