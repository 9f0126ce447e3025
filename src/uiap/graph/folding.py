"""How much of a page an outline shows: the first records of a collection, the first of many similar siblings.

Decides which nodes are shown and which are only counted. The text itself is left to `element_text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from uiap.graph.view import COLLECTION_ROLES, OutlineNode, is_actionable
from uiap.spec.web import CollectionNode, ElementNode

ITEM_ROLES = frozenset({"row", "listitem", "treeitem"})
WRAPPER_ROLES = frozenset({"group", "custom"})


@dataclass(frozen=True, slots=True)
class Fold:
    """Limits of one outline."""

    rows: int
    """How many records of a long collection are shown."""
    full_up_to: int
    """A collection with at most this many records is shown whole."""
    run: int
    """How many siblings of one role are shown outside collections."""
    cap: int
    """How many characters of one text are shown."""
    depth: int
    """How deep scopes are shown; deeper ones are counted."""


FOLDS = (
    Fold(rows=5, full_up_to=12, run=40, cap=200, depth=16),
    Fold(rows=5, full_up_to=8, run=20, cap=120, depth=12),
    Fold(rows=3, full_up_to=5, run=12, cap=80, depth=8),
    Fold(rows=2, full_up_to=3, run=8, cap=60, depth=6),
    Fold(rows=1, full_up_to=1, run=5, cap=40, depth=4),
    Fold(rows=0, full_up_to=0, run=3, cap=30, depth=2),
    Fold(rows=0, full_up_to=0, run=2, cap=24, depth=1),
)
SCOPE_FOLD = Fold(rows=25, full_up_to=30, run=60, cap=400, depth=16)
"""The first limits for a part of the page that a caller asked for."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A table, list or tree: its header, its items and their total number."""

    owner: OutlineNode
    header: OutlineNode | None
    items: list[OutlineNode]
    rest: list[OutlineNode]
    """Children that are no items."""
    published: CollectionNode | None

    @property
    def noun(self) -> str:
        return "row" if self.items and _role(self.items[0]) == "row" else "item"

    @property
    def total(self) -> int:
        if self.published is None:
            return len(self.items)
        known = (
            self.published.total_count if self.published.total_count is not UNSET else self.published.count
        )
        return max(known, len(self.items))


def collection_of(node: OutlineNode, owners: dict[str, CollectionNode]) -> Collection | None:
    """Return the collection at this node, or None. A menu or a tab list has no items and is none."""
    element = node.element
    if element is None or element.role not in COLLECTION_ROLES:
        return None
    items, rest = _items(node)
    if not items:
        return None
    header = next((item for item in items if is_header(item)), None)
    items = [item for item in items if item is not header]
    return Collection(node, header, items, rest, owners.get(element.instance_id))


def _items(node: OutlineNode) -> tuple[list[OutlineNode], list[OutlineNode]]:
    items: list[OutlineNode] = []
    rest: list[OutlineNode] = []
    for child in node.children:
        if _role(child) in ITEM_ROLES:
            items.append(child)
        elif _is_wrapper(child) and (inner := _items(child))[0]:
            items += inner[0]
            rest += inner[1]
        else:
            rest.append(child)
    return items, rest


def _is_wrapper(node: OutlineNode) -> bool:
    """Return whether a node has no name and no text, such as a row group or the area in which rows are scrolled."""
    element = node.element
    return element is not None and element.role in WRAPPER_ROLES and not (element.name or element.text)


def is_header(item: OutlineNode) -> bool:
    """Return whether a row consists of column headers. Such a row is no record."""
    return is_header_row([child.element for child in item.children if child.element is not None])


def is_header_row(cells: list[ElementNode]) -> bool:
    """Return whether these are the cells of a header row: column headers, maybe after a corner without visible text."""
    if len(cells) > 2 and is_corner(cells[0]):
        cells = cells[1:]
    return bool(cells) and all(header_of(cell) == "column" for cell in cells)


def is_corner(cell: ElementNode) -> bool:
    """Return whether a person sees no text in a cell that is no header."""
    return header_of(cell) is None and (not (cell.name or cell.text) or is_unseen(cell))


def is_unseen(cell: ElementNode) -> bool:
    """Return whether the text of a cell is clipped or moved off the screen."""
    text = cell.metadata.get("text") if cell.metadata is not UNSET else None
    return isinstance(text, dict) and text.get("visible") is False


def header_of(cell: ElementNode) -> object:
    return cell.metadata.get("header") if cell.metadata is not UNSET else None


def _role(node: OutlineNode) -> str:
    return node.element.role if node.element is not None else ""


def actions_of(item: OutlineNode) -> list[tuple[str, str]]:
    """Return role and name of every element in the record that can be acted on."""
    inside = (one.element for one in item.below())
    return [(one.role, one.name or "") for one in inside if one is not None and is_actionable(one)]


def shared_actions(items: list[OutlineNode]) -> list[tuple[str, str]] | None:
    """Return role and name of the actions that the sampled records share, or None if their roles differ.

    A name that differs between records is empty.
    """
    sample = [actions_of(item) for item in (*items[:5], *items[-1:])]
    roles = {tuple(role for role, _ in one) for one in sample}
    if len(roles) != 1:
        return None
    return [(alike[0][0], alike[0][1] if len(set(alike)) == 1 else "") for alike in zip(*sample, strict=True)]


def role_runs(children: list[OutlineNode], limit: int) -> Iterator[tuple[list[OutlineNode], int]]:
    """Yield groups of neighbours with one role: those to show, and how many are left out."""
    start = 0
    while start < len(children):
        end = start + 1
        role = _foldable_role(children[start])
        while end < len(children) and role and _foldable_role(children[end]) == role:
            end += 1
        # one or two more lines cost no more than a line that counts them
        shown = end - start if end - start <= limit + 2 else limit
        yield children[start : start + shown], end - start - shown
        start = end


def _foldable_role(node: OutlineNode) -> str:
    return "" if node.scope is not None or node.children else _role(node)


def count_inside(node: OutlineNode) -> tuple[int, int]:
    """Return the number of controls and of other elements below a node."""
    inside = [one.element for one in node.below() if one.element is not None]
    controls = sum(map(is_actionable, inside))
    return controls, len(inside) - controls
