"""A snapshot of a page with its outline and its search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from uiap.api.absent import none_for_absent
from uiap.api.display import graph_html
from uiap.graph.outline import outline
from uiap.graph.query import Match, find
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode, PageGraph


class Graph:
    """One snapshot of a page; iterate over its elements. `payload` is the PageGraph as the protocol has it."""

    def __init__(self, payload: PageGraph) -> None:
        self.payload = payload
        self._store = GraphStore(payload)

    @property
    def revision(self) -> str:
        return self.payload.revision

    @property
    def url(self) -> str:
        return self.payload.route.url

    def outline(self, *, scope: str | None = None, budget: int | None = None) -> str:
        """Return the compact text that a model reads."""
        return outline(self._store, scope=scope, budget=budget)

    def find(
        self, text: str, *, role: Any = None, scope: str | None = None, near: str | None = None
    ) -> list[Match]:
        """Return the matching elements, best first."""
        return none_for_absent(find(self._store, text, role=role, scope=scope, near=near))

    def element(self, ref: str) -> ElementNode | None:
        """Return the element with this ref, or None."""
        return none_for_absent(self._store.element(ref))

    def __iter__(self) -> Iterator[ElementNode]:
        return map(none_for_absent, self._store)

    def __len__(self) -> int:
        return len(self._store)

    def __repr__(self) -> str:
        return f"<Graph {self.url} {self.revision}: {len(self)} elements>"

    def _repr_html_(self) -> str:
        return graph_html(self)
