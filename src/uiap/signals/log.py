"""What happened after dispatch, as far as signals care: occurrences the page told us, and elements it touched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from uiap.signals.verdict import Attribution, strongest
from uiap.spec.web import WebSignal

W = TypeVar("W")


class SignalOccurrence(NamedTuple):
    signal: WebSignal
    attribution: Attribution


class SignalLog:
    """Filled by the watch, read by the families."""

    def __init__(self) -> None:
        self.occurrences: list[SignalOccurrence] = []
        self.touched: dict[str, Attribution] = {}
        self.route: Attribution | None = None
        self.returned: dict[str, Any] = {}

    def of(self, kind: type[W]) -> Iterator[tuple[W, Attribution]]:
        for occurrence in self.occurrences:
            if isinstance(occurrence.signal, kind):
                yield occurrence.signal, occurrence.attribution

    def touch(self, key: str, attribution: Attribution) -> None:
        known = self.touched.get(key)
        self.touched[key] = attribution if known is None else (strongest([known, attribution]) or attribution)
