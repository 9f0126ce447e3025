"""The nodes of a store as they were at one moment. Only nodes that changed since then are copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.graph.changes import NodeKind


class TableBaseline:
    """One table at the moment of the baseline: recorded nodes, and the current table for all others."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        self._current = now
        self._recorded: dict[str, Any] = {}

    def record(self, touched: Mapping[str, Any]) -> None:
        """Record nodes as they were before a step, None for an absent one. The oldest record of a node counts."""
        for key, node in touched.items():
            self._recorded.setdefault(key, node)

    def record_all(self) -> None:
        """Record the whole table, because it is about to be replaced."""
        self._recorded = {**self._current, **self._recorded}
        self._current = {}

    def recorded(self) -> list[Any]:
        """Return the nodes that changed or disappeared since then, as they were."""
        return [node for node in self._recorded.values() if node is not None]

    def get(self, key: str) -> Any:
        """Return the node as it was, or None."""
        return self._recorded[key] if key in self._recorded else self._current.get(key)


class Baseline:
    """All tables of a store at one moment."""

    def __init__(self, tables: Mapping[NodeKind, Mapping[str, Any]]) -> None:
        self._tables: dict[str, TableBaseline] = {
            kind: TableBaseline(table) for kind, table in tables.items()
        }

    def __getitem__(self, kind: str) -> TableBaseline:
        return self._tables[kind]

    def record_step(self, nodes: Mapping[NodeKind, Mapping[str, Any]]) -> None:
        for kind, touched in nodes.items():
            self._tables[kind].record(touched)

    def record_replacement(self) -> None:
        """Record all nodes, because the whole graph is about to be replaced."""
        for table in self._tables.values():
            table.record_all()
