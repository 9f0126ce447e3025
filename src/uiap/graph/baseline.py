"""The nodes of a store as they were at one moment, told by what was overwritten since: a page is not copied for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.graph.changes import NodeKind


class TableBaseline:
    """One table then: what was touched since is kept here, everything else is as it is now."""

    def __init__(self, now: Mapping[str, Any]) -> None:
        self._now = now
        self._was: dict[str, Any] = {}

    def keep(self, touched: Mapping[str, Any]) -> None:
        """Nodes as they were before a step; None: not there. The oldest word counts."""
        for key, node in touched.items():
            self._was.setdefault(key, node)

    def keep_all(self) -> None:
        """Everything goes: from here on nothing is looked up in what is there now."""
        self._was = {**self._now, **self._was}
        self._now = {}

    def get(self, key: str) -> Any:
        return self._was[key] if key in self._was else self._now.get(key)


class Baseline:
    def __init__(self, tables: Mapping[NodeKind, Mapping[str, Any]]) -> None:
        self._tables: dict[str, TableBaseline] = {
            kind: TableBaseline(table) for kind, table in tables.items()
        }

    def __getitem__(self, kind: str) -> TableBaseline:
        return self._tables[kind]

    def stepped(self, nodes: Mapping[NodeKind, Mapping[str, Any]]) -> None:
        for kind, touched in nodes.items():
            self._tables[kind].keep(touched)

    def left(self) -> None:
        """The whole graph is about to be replaced."""
        for table in self._tables.values():
            table.keep_all()
