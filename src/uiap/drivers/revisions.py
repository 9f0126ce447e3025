"""Revisions of a screen that is always read as a whole: emit the difference from the last reading as a delta.

Drivers decide how and when to read the screen.
"""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import Any

from uiap.drivers.events import AnyEvent, GraphChanged, Navigated, Sink, TabOpened
from uiap.drivers.single_screen import TAB
from uiap.graph.diff import diff, is_empty
from uiap.instant import timestamp
from uiap.spec.web import ElementNode, PageGraph


class RevisionTracker:
    """Holds the current revision of one screen and emits its changes."""

    def __init__(self) -> None:
        self.seq = 0
        self.current: PageGraph | None = None
        """The last graph that differed from the one before."""
        self.elements: dict[str, ElementNode] = {}
        """The elements of the current graph, by id."""
        self._sink: Sink = lambda _: None
        self._tokens = itertools.count(1)

    def start(self, sink: Sink, url: str) -> None:
        self._sink = sink
        self.emit(TabOpened(tab=TAB, at=time.monotonic(), url=url))

    def emit(self, event: AnyEvent) -> None:
        self._sink(event)

    def next_token(self) -> str:
        """Return a new identifier for one gesture."""
        return f"op{next(self._tokens)}"

    def update(self, after: PageGraph, token: str | None = None, *, emit: bool = True) -> PageGraph:
        """Store a new reading and return it, or return the current graph if nothing differs.

        `token` identifies the gesture that may have caused the change.
        """
        before = self.current
        delta = diff(before, after) if before is not None else None
        if before is not None and delta is not None and is_empty(delta):
            return before
        self.seq, self.current = self.seq + 1, after
        self.elements = {element.instance_id: element for element in after.elements}
        if not emit:
            return after
        if before is not None and before.route.url != after.route.url:
            url = after.route.url
            self.emit(Navigated(tab=TAB, at=time.monotonic(), url=url, new_document=True))
        self._emit_change(token, **({"graph": after} if delta is None else {"delta": delta}))
        return after

    def emit_initial(self) -> None:
        """Emit the current graph, which was read with `emit=False`."""
        assert self.current is not None
        self._emit_change(None, graph=self.current, reason="initial")

    def _emit_change(self, token: str | None, **content: Any) -> None:
        at, seq = time.monotonic(), self.seq
        self.emit(GraphChanged(tab=TAB, at=at, revision=f"rev_{seq}", seq=seq, token=token, **content))


def current_timestamp() -> str:
    """Return the current time in UTC, as ISO 8601 with milliseconds."""
    return timestamp(datetime.now(UTC))
