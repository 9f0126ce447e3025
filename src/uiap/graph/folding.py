"""How much of a page is written out: collections by their first records, long runs by their first members.

Decides what is shown and what is counted; the words themselves come from `wording`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.graph.view import COLLECTION_ROLES, OutlineNode, is_actionable
from uiap.spec.web import CollectionNode, ElementNode

ITEM_ROLES = frozenset({"row", "listitem", "treeitem"})


@dataclass(frozen=True, slots=True)
class Fold:
    rows: int
    """Records of a long collection that are shown."""
    few: int
    """A collection up to this size is shown whole."""
    run: int
    """Like siblings outside collections that are shown."""
    cap: int
    """Characters of one text."""
    depth: int


FOLDS = (
    Fold(rows=5, few=12, run=40, cap=200, depth=16),
    Fold(rows=5, few=8, run=20, cap=120, depth=12),
    Fold(rows=3, few=5, run=12, cap=80, depth=8),
    Fold(rows=2, few=3, run=8, cap=60, depth=6),
    Fold(rows=1, few=1, run=5, cap=40, depth=4),
    Fold(rows=0, few=0, run=3, cap=30, depth=2),
    Fold(rows=0, few=0, run=2, cap=24, depth=1),
)
CLOSE_UP = Fold(rows=25, few=30, run=60, cap=400, depth=16)
"""For a part of the page that was asked for."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A table, list or tree as a reader sees it: a head, items, and how many there are in all."""

    branch: OutlineNode
    header: OutlineNode | None
    items: list[OutlineNode]
    rest: list[OutlineNode]
    """What stands in the collection but is no item."""
    node: CollectionNode | None

    @property
    def noun(self) -> str:
        return "row" if self.items and _role(self.items[0]) == "row" else "item"

    @property
    def total(self) -> int:
        if self.node is None:
            return len(self.items)
        known = self.node.total_count if self.node.total_count is not UNSET else self.node.count
        return max(known, len(self.items))


def collection_of(branch: OutlineNode, owners: dict[str, CollectionNode]) -> Collection | None:
    """The branch as a collection, if it owns records; a menu or a tab list is read as plain controls."""
    element = branch.element
    if element is None or element.role not in COLLECTION_ROLES:
        return None
    items, rest = _items(branch)
    if not items:
        return None
    header = next((item for item in items if is_header(item)), None)
    items = [item for item in items if item is not header]
    return Collection(branch, header, items, rest, owners.get(element.instance_id))


def _items(branch: OutlineNode) -> tuple[list[OutlineNode], list[OutlineNode]]:
    items: list[OutlineNode] = []
    rest: list[OutlineNode] = []
    for child in branch.children:
        if _role(child) in ITEM_ROLES:
            items.append(child)
        elif _role(child) == "group" and child.element is not None and not child.element.name:
            inner, other = _items(child)  # a row group
            items += inner
            rest += other
        else:
            rest.append(child)
    return items, rest


def is_header(item: OutlineNode) -> bool:
    """A row of column headers names the columns and is no record."""
    cells = [child.element for child in item.children if child.element is not None]
    return bool(cells) and all(_header_of(cell) == "column" for cell in cells)


def _header_of(cell: ElementNode) -> object:
    return cell.metadata.get("header") if cell.metadata is not UNSET else None


def _role(branch: OutlineNode) -> str:
    return branch.element.role if branch.element is not None else ""


def actions_of(item: OutlineNode) -> list[tuple[str, str]]:
    """Role and name of everything in the record that can be acted on."""
    inside = (one.element for one in item.below())
    return [(one.role, one.name or "") for one in inside if one is not None and is_actionable(one)]


def shared_actions(items: list[OutlineNode]) -> list[tuple[str, str]] | None:
    """The actions every sampled record has alike, without the names that differ; None when records differ."""
    sample = [actions_of(item) for item in (*items[:5], *items[-1:])]
    roles = {tuple(role for role, _ in one) for one in sample}
    if len(roles) != 1:
        return None
    return [(alike[0][0], alike[0][1] if len(set(alike)) == 1 else "") for alike in zip(*sample, strict=True)]


def role_runs(children: list[OutlineNode], limit: int) -> Iterator[tuple[list[OutlineNode], int]]:
    """Neighbours of one role: those shown, and how many are not."""
    start = 0
    while start < len(children):
        end = start + 1
        role = _plain_role(children[start])
        while end < len(children) and role and _plain_role(children[end]) == role:
            end += 1
        shown = end - start if end - start <= limit + 2 else limit  # folding two lines into one saves little
        yield children[start : start + shown], end - start - shown
        start = end


def _plain_role(branch: OutlineNode) -> str:
    return "" if branch.scope is not None or branch.children else _role(branch)


def count_inside(store: GraphStore, branch: OutlineNode) -> tuple[int, int]:
    """How many controls and how many other elements are in a branch."""
    inside = [one.element for one in branch.below() if one.element is not None]
    controls = sum(map(is_actionable, inside))
    return controls, len(inside) - controls
