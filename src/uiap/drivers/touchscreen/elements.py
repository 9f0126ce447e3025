"""Which nodes of a hierarchy a person would speak of, and by which role and name. Pure.

What only lays others out is left out; what can be pressed stands for the words inside of it (MDM-R4a). Names and
roles that had to be guessed from what stands around say so.
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
"""So many children of one shape make rows of what is scrolled."""
TOUCH_FRACTIONS = (0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98)
"""Where in a target a finger may come down, the middle first."""


@dataclass(frozen=True, slots=True, eq=False)
class ScreenElement:
    """A node that is worth a line."""

    node: Node
    role: UIRole
    name: str
    source: SemanticSource
    value: str = ""
    """What a range, a switch or a closed list says of itself, as it says it."""
    record: str | None = None
    """The row of a list it stands in, by what the row says first."""

    @property
    def pressable(self) -> bool:
        return self.node.has("clickable") or self.node.has("long-clickable") or self.node.has("checkable")


class ScreenLayout:
    """One hierarchy, on its way into a graph."""

    def __init__(self, hierarchy: Hierarchy, screen: tuple[int, int] | None = None) -> None:
        self.hierarchy = hierarchy
        self.screen = _screen_size(hierarchy, screen)
        self._rows = {row: words for one in hierarchy.nodes() for row, words in _rows(one)}
        self._labels = [one for one in hierarchy.nodes() if _is_label(one)]
        self.shown: dict[Node, ScreenElement] = {}
        for node in hierarchy.nodes():
            role = self._role(node)
            if role is not None:
                self.shown[node] = self._made(node, role)

    # -- what is shown --------------------------------------------------------------------------------------

    def parent_of(self, node: Node) -> Node | None:
        return next((one for one in node.above() if one in self.shown), None)

    def window_of(self, node: Node) -> Node:
        return next((one for one in node.above() if one.parent is None), node)

    def is_dialog(self, window: Node) -> bool:
        return any(one.resource_id.rpartition("/")[2] in DIALOG_IDS for one in window.walk())

    def seen(self, node: Node) -> ScreenBounds:
        """The part of it that is on the screen."""
        return node.bounds.within(ScreenBounds(0, 0, *self.screen))

    def point(self, node: Node) -> tuple[int, int] | None:
        """Where a finger hits it and nothing that lies in or over it; None where there is no such place."""
        box = self.seen(node)
        if box.empty:
            return None
        over = self._over(node)
        for down in TOUCH_FRACTIONS:
            for across in TOUCH_FRACTIONS:
                x, y = box.left + int(box.width * across), box.top + int(box.height * down)
                if box.has(x, y) and not any(one.has(x, y) for one in over):
                    return x, y
        return None

    def _over(self, node: Node) -> list[ScreenBounds]:
        """What would take the touch: controls inside of it, and those that are drawn later and reach into it."""
        nodes = list(self.hierarchy.nodes())
        inside = set(node.walk())
        later = (self.shown[one] for one in nodes[nodes.index(node) + 1 :] if one in self.shown)
        return [
            one.node.bounds
            for one in later
            if _takes_touch(one) and (one.node in inside or one.node.bounds != node.bounds)
        ]

    # -- roles ----------------------------------------------------------------------------------------------

    def _role(self, node: Node) -> UIRole | None:
        known = ROLES.get(node.kind)
        said = node.text or node.description
        if node.kind in FIELDS or known in ("slider", "switch", "checkbox", "radio", "combobox"):
            return known
        if known == "progress":
            return "progress" if self._number(node) is not None else "spinner"
        if node.has("checkable"):
            return known or "checkbox"
        if node.has("clickable") or node.has("long-clickable"):
            return self._pressed_role(node, known)
        if known in (
            "list",
            "grid",
            "tablist",
            "toolbar",
            "region",
            "datepicker",
            "timepicker",
            "spinbutton",
        ):
            return known
        if node.has("scrollable"):
            return "list" if any(row.parent is node for row in self._rows) else "group"
        if known == "button":  # Compose puts the role into an empty node inside of what is pressed
            return "button" if said or not _is_inside_clickable(node) else None
        if not said.strip():
            return None
        return known if known in ("image", "video", "canvas") else "label"

    def _pressed_role(self, node: Node, known: UIRole | None) -> UIRole:
        if node.parent is not None and ROLES.get(node.parent.kind) == "tablist":
            return "tab"
        if known is not None and known not in ("label", "image", "group", "region", "canvas", "video"):
            return known
        told = (ROLES.get(one.kind) for one in node.children if not (one.text or one.description))
        return next((role for role in told if role in ("button", "checkbox", "radio", "switch")), "button")

    # -- names ----------------------------------------------------------------------------------------------

    def _made(self, node: Node, role: UIRole) -> ScreenElement:
        record = next((self._rows[one] for one in (node, *node.above()) if one in self._rows), None)
        value = self._value(node, role)
        own = self._own_name(node, role, value)
        if own:
            return ScreenElement(node, role, own, "native", value, record)
        holds = role in RANGES or node.kind in FIELDS or role == "combobox"
        if holds and (beside := self._beside(node)):
            return ScreenElement(node, role, beside, "heuristic", value, record)
        pressed = node.has("clickable") or node.has("long-clickable") or node.has("checkable")
        if pressed and not holds and (inner := self._inner_name(node)):
            return ScreenElement(node, role, inner, "text", value, record)
        return ScreenElement(node, role, "", "native", value, record)

    def _value(self, node: Node, role: UIRole) -> str:
        if role in RANGES:
            return next((said for said in (node.description, node.text) if parse_number(said)), "")
        if role in ("switch", "checkbox", "radio") and node.text and node.description:
            return node.text
        return node.text if role == "combobox" else ""

    def _number(self, node: Node) -> object:
        return parse_number(node.description) or parse_number(node.text)

    def _own_name(self, node: Node, role: UIRole, value: str) -> str:
        if node.kind in FIELDS:
            return _first_line(node.description) or _first_line(node.more.get("hint", ""))
        said = (node.description, node.text)
        return next((_first_line(one) for one in said if one.strip() and one != value), "")

    def _inner_name(self, node: Node) -> str:
        """The words inside of it that no other control has."""
        found: list[str] = []
        todo = list(reversed(node.children))
        while todo:
            one = todo.pop()
            if one.has("clickable") or one.has("checkable") or one.has("password"):
                continue
            if words := _first_line(one.description or one.text):
                found.append(words)
            todo.extend(reversed(one.children))
        return one_line(" ".join(found))[:MAX_NAME_CHARS]

    def _beside(self, node: Node) -> str:
        """The label that stands left of it in its row or right above it, closest first."""
        near = (
            (far, index, _first_line(label.description or label.text))
            for index, label in enumerate(self._labels)
            if label is not node and label.parent is node.parent
            if (far := _label_distance(label.bounds, node.bounds)) is not None
        )
        return min(near, default=(0, 0, ""))[2]


def _first_line(said: str) -> str:
    """The first line: frameworks that merge the texts of a card put its title there."""
    first = next((line.strip() for line in without_expanded_state(said).splitlines() if line.strip()), "")
    return one_line(first)[:MAX_NAME_CHARS]


def _is_label(node: Node) -> bool:
    said = node.description or node.text
    if node.has("clickable") or node.has("checkable") or node.has("password") or not said.strip():
        return False
    role = ROLES.get(node.kind)
    return role in (None, "label") and parse_number(said) is None and not node.bounds.empty


def _is_inside_clickable(node: Node) -> bool:
    return node.parent is not None and node.parent.has("clickable")


def _takes_touch(shown: ScreenElement) -> bool:
    return shown.pressable or shown.role == "slider" or shown.node.kind in FIELDS


def _rows(node: Node) -> list[tuple[Node, str]]:
    """The rows of a list, each with what it says first; rows that say nothing have no key."""
    if node.kind not in LISTS and not (node.has("scrollable") and _have_same_shape(node.children)):
        return []
    said = ((row, (_first_line(one.text or one.description) for one in row.walk())) for row in node.children)
    return [(row, words) for row, names in said if (words := next(filter(None, names), ""))]


def _have_same_shape(children: Sequence[Node]) -> bool:
    shapes = Counter(_shape(child) for child in children)
    most = shapes.most_common(1)
    return bool(most) and most[0][1] >= MIN_ROWS and len(most[0][0]) > 1


def _shape(node: Node) -> tuple[tuple[str, str, bool], ...]:
    return tuple((one.kind, one.resource_id, one.has("clickable")) for one in node.walk())


def _label_distance(label: ScreenBounds, field: ScreenBounds) -> int | None:
    if label.empty or field.empty:
        return None
    if label.top < field.bottom and field.top < label.bottom and label.left < field.left:
        return max(0, field.left - label.right)
    if label.bottom <= field.top and label.left < field.right and field.left < label.right:
        return 1000 + field.top - label.bottom
    return None


def _screen_size(hierarchy: Hierarchy, size: tuple[int, int] | None) -> tuple[int, int]:
    """As it stands now: `wm size` tells the upright one, and a dump knows how it is turned."""
    if size is not None:
        return (size[1], size[0]) if hierarchy.rotation % 2 else size
    right = max((root.bounds.right for root in hierarchy.roots), default=0)
    return right, max((root.bounds.bottom for root in hierarchy.roots), default=0)
