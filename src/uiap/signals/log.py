"""The record of what happened after dispatch: signals that the page sent, and nodes that changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from uiap.signals.verdict import Attribution, strongest
from uiap.spec.web import WebSignal

W = TypeVar("W")


class SignalOccurrence(NamedTuple):
    """A signal of the page, and whether our input caused it."""

    signal: WebSignal
    attribution: Attribution


class SignalLog:
    """Signals and changed nodes with their attribution. The watch fills it and the signal families read it."""

    def __init__(self) -> None:
        self.occurrences: list[SignalOccurrence] = []
        self.touched: dict[str, Attribution] = {}
        self.route: Attribution | None = None
        self.untouched: Attribution = "coincident"
        """The attribution of nodes that are new without a recorded change: those of a new document."""
        self.returned: dict[str, Any] = {}

    def of(self, kind: type[W]) -> Iterator[tuple[W, Attribution]]:
        """Yield the signals of one type with their attribution."""
        for occurrence in self.occurrences:
            if isinstance(occurrence.signal, kind):
                yield occurrence.signal, occurrence.attribution

    def attribution_of(self, key: str) -> Attribution:
        """Return the attribution of a node that differs from before."""
        return self.touched.get(key, self.untouched)

    def as_seen(self, mask: Callable[[WebSignal], WebSignal]) -> SignalLog:
        """Return the log with the signals as a reader may see them."""
        seen = copy.copy(self)
        seen.occurrences = [one._replace(signal=mask(one.signal)) for one in self.occurrences]
        return seen

    def touch(self, key: str, attribution: Attribution) -> None:
        """Record a changed node. The strongest attribution of a node counts."""
        known = self.touched.get(key)
        self.touched[key] = attribution if known is None else (strongest([known, attribution]) or attribution)
