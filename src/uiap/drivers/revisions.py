"""The revisions of one screen that is read as a whole: what differs from the last reading is told as a delta.

Knows neither how a screen is read nor when.
"""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import Any

from uiap.drivers.events import AnyEvent, GraphChanged, Navigated, Sink, TabOpened
from uiap.drivers.single_screen import TAB
from uiap.graph.diff import diff, is_empty
from uiap.spec.web import ElementNode, PageGraph


class RevisionTracker:
    def __init__(self) -> None:
        self.seq = 0
        self.current: PageGraph | None = None
        """The last one that differed."""
        self.elements: dict[str, ElementNode] = {}
        """Its elements by their id."""
        self._sink: Sink = lambda _: None
        self._tokens = itertools.count(1)

    def start(self, sink: Sink, url: str) -> None:
        self._sink = sink
        self.emit(TabOpened(tab=TAB, at=time.monotonic(), url=url))

    def emit(self, event: AnyEvent) -> None:
        self._sink(event)

    def next_token(self) -> str:
        """A name for one gesture."""
        return f"op{next(self._tokens)}"

    def update(self, after: PageGraph, token: str | None = None, *, emit: bool = True) -> PageGraph:
        """The new revision, or the old one where nothing differs; `token`: the gesture that may have caused it."""
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
        self._change(token, **({"graph": after} if delta is None else {"delta": delta}))
        return after

    def emit_initial(self) -> None:
        """What was read without being told."""
        assert self.current is not None
        self._change(None, graph=self.current, reason="initial")

    def _change(self, token: str | None, **what: Any) -> None:
        at, seq = time.monotonic(), self.seq
        self.emit(GraphChanged(tab=TAB, at=at, revision=f"rev_{seq}", seq=seq, token=token, **what))


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
