"""The recent steps from revision to revision, and the net change over several of them.

A step records the nodes it changed, as they were before. It knows nothing of document order or indices.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UnsetType

from uiap.graph.changes import KINDS, Changes, GraphNode, NodeChanges, NodeKind, node_update
from uiap.spec.web import KEPT_REVISIONS, FocusInfo, RouteInfo, ViewportInfo

KEPT_NODES = 4_000
"""About 4 MB. A page that changes all the time must not use more memory after ten minutes than after one."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts of a revision that belong to no node."""

    route: RouteInfo
    viewport: ViewportInfo | UnsetType
    focus: FocusInfo | None
    modal_stack: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevisionStep:
    """One step to the next revision, with what it overwrote."""

    base: str
    facts: PageFacts
    """The facts before the step."""
    nodes: dict[NodeKind, dict[str, GraphNode | None]] = field(default_factory=dict)
    """Each changed node as it was before the step, None for an absent one."""

    @property
    def size(self) -> int:
        return sum(map(len, self.nodes.values()))


class History:
    """The last steps: at least 16, and more while their nodes fit into `KEPT_NODES`."""

    def __init__(self, keep: int = 256) -> None:
        self._keep = max(keep, KEPT_REVISIONS)
        self._steps: deque[RevisionStep] = deque()
        self._nodes = 0

    def __len__(self) -> int:
        return len(self._steps)

    def push(self, step: RevisionStep) -> None:
        self._steps.append(step)
        self._nodes += step.size
        while len(self._steps) > self._keep or (
            self._nodes > KEPT_NODES and len(self._steps) > KEPT_REVISIONS
        ):
            self._nodes -= self._steps.popleft().size

    def clear(self) -> None:
        self._steps.clear()
        self._nodes = 0

    def after(self, revision: str) -> list[RevisionStep] | None:
        """Return the steps after a revision, oldest first, or None if it is too old or unknown."""
        steps: list[RevisionStep] = []
        for step in reversed(self._steps):
            steps.append(step)
            if step.base == revision:
                return steps[::-1]
        return None


def net_changes(
    base: str,
    revision: str,
    steps: list[RevisionStep],
    tables: Mapping[NodeKind, Mapping[str, Any]],
    facts: PageFacts,
) -> Changes:
    """Return the difference between the revision before the steps and the current one."""
    before: dict[NodeKind, dict[str, Any]] = {kind: {} for kind in KINDS}
    for step in steps:
        for kind, nodes in step.nodes.items():
            for key, node in nodes.items():
                before[kind].setdefault(key, node)  # the oldest record of a node wins
    parts: dict[str, Any] = {kind: _nodes(before[kind], tables[kind]) for kind in KINDS}
    parts |= _facts(steps[0].facts if steps else facts, facts)
    return Changes(
        base=base,
        revision=revision,
        **parts,
    )


def _nodes(before: Mapping[str, Any], now: Mapping[str, Any]) -> NodeChanges[Any]:
    added, removed, updated = [], [], []
    for key, old in before.items():
        new = now.get(key)
        if old is None and new is not None:
            added.append(new)
        elif old is not None and new is None:
            removed.append(old)
        elif old is not None and old != new:
            updated.append(node_update(key, old, new))
    return NodeChanges(tuple(added), tuple(removed), tuple(updated))


def _facts(old: PageFacts, new: PageFacts) -> dict[str, Any]:
    pairs = {name: (getattr(old, name), getattr(new, name)) for name in PageFacts.__slots__}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
