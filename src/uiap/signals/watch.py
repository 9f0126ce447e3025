"""The watch over one tab: what the page did before, and what it does after our input.

It is told of every revision and every signal, and it remembers for two seconds what changes by itself, so that a
clock or a poll cannot pass for the effect of a click. It decides nothing: it reports verdicts.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import msgspec

from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.signals.change import Change, changes
from uiap.signals.log import Log, Occurrence
from uiap.signals.registry import FAMILIES
from uiap.signals.verdict import Attribution, Verdict
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import (
    DialogClosedSignal,
    DialogOpenedSignal,
    PageGraphDelta,
    StatusUpdatedSignal,
    ToastShownSignal,
    WebSignal,
)

MEMORY_S = 2.0  # HOUSE §4, Attribution: what changed in this time before dispatch is background


class Report(msgspec.Struct, frozen=True):
    """What has been seen since dispatch."""

    verdicts: tuple[Verdict, ...] = ()
    change: str | None = None
    """The first plausible, not background change, in words; None while nothing happened."""
    attribution: Attribution | None = None
    revision: str = ""
    advanced: bool = False


class _Seen(NamedTuple):
    mono: float
    key: str


class Watch:
    """One case may be open at a time; one lane per tab sees to that."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._recent: deque[_Seen] = deque()
        self._signals: tuple[SuccessSignal, ...] = ()
        self._before: tuple[Any, ...] = ()
        self._log = Log()
        self._background: frozenset[str] = frozenset()
        self._change: tuple[str, Attribution] | None = None
        self._url = ""
        self._seq = -1
        self._target: str | None = None
        self._open = False

    # -- what the driver tells ------------------------------------------------------------------------------

    def graph_changed(
        self, delta: PageGraphDelta | None, seq: int, mono: float, caused_by: str | None
    ) -> None:
        """A new revision is in the store; `delta` is None where the whole graph was replaced."""
        if self._open:
            self._take(seq, delta, caused_by)
        else:
            for change in changes(delta) if delta is not None else ():
                self._remember(mono, change.key)

    def signal_seen(self, signal: WebSignal, seq: int, mono: float, caused_by: str | None) -> None:
        if self._open and seq > self._seq:
            background = _text_key(signal) in self._background
            attribution: Attribution = "caused" if caused_by else "background" if background else "coincident"
            self._log.occurrences.append(Occurrence(signal, attribution))
            self._consider(_feedback(signal), attribution)
        elif not self._open:
            self._remember(mono, _text_key(signal))

    # -- one case -------------------------------------------------------------------------------------------

    def open(
        self, signals: tuple[SuccessSignal, ...], target: str | None, mono: float
    ) -> tuple[Verdict, ...]:
        """Take the baseline. The verdicts say which end states hold already."""
        self._forget_before(mono - MEMORY_S)
        self._background = frozenset(seen.key for seen in self._recent)
        self._signals, self._target, self._log, self._change = signals, target, Log(), None
        self._before = tuple(FAMILIES[s.kind].read(s, self._store) for s in signals)
        self._url, self._seq, self._open = self._store.route.url, self._store.seq, True
        return self._judge()

    def dispatched(self, seq: int) -> None:
        """The input went out after this revision; what was told for it or earlier is not its effect."""
        self._seq = max(self._seq, seq)

    def returned(self, value: dict[str, Any]) -> None:
        self._log.returned = value

    def report(self) -> Report:
        change, attribution = self._change or (None, None)
        advanced = self._store.seq > self._seq
        return Report(self._judge(), change, attribution, self._store.revision, advanced)

    def close(self) -> None:
        self._open = False

    # -- inside ---------------------------------------------------------------------------------------------

    def _judge(self) -> tuple[Verdict, ...]:
        verdicts = []
        for signal, before in zip(self._signals, self._before, strict=True):
            family = FAMILIES[signal.kind]
            verdicts.append(family.judge(signal, before, family.read(signal, self._store), self._log))
        return tuple(verdicts)

    def _take(self, seq: int, delta: PageGraphDelta | None, caused_by: str | None) -> None:
        if seq <= self._seq:
            return
        moved = self._store.route.url != self._url
        if moved:
            self._log.route = "caused" if caused_by else "coincident"
            self._consider(f"route is now {self._store.route.url}", self._log.route)
        if delta is None:
            if not moved:
                self._consider("the document was replaced", "coincident")
            return
        for change in changes(delta):
            attribution: Attribution = (
                "caused" if caused_by else "background" if change.key in self._background else "coincident"
            )
            self._log.touch(change.key, attribution)
            self._consider(self._words(change), attribution)

    def _consider(self, words: str | None, attribution: Attribution) -> None:
        if words is None or attribution == "background":
            return
        if self._change is None or (self._change[1] != "caused" and attribution == "caused"):
            self._change = (words, attribution)

    def _words(self, change: Change) -> str:
        element = self._store.element(change.key) if change.what == "element" else None
        name = f' "{element.name}"' if element is not None and isinstance(element.name, str) else ""
        role = element.role if element is not None else change.what
        return f"{role}{name} {change.about}"

    def _remember(self, mono: float, key: str) -> None:
        self._forget_before(mono - MEMORY_S)
        self._recent.append(_Seen(mono, key))

    def _forget_before(self, mono: float) -> None:
        while self._recent and self._recent[0].mono < mono:
            self._recent.popleft()


def _feedback(signal: WebSignal) -> str | None:
    match signal:
        case ToastShownSignal() | StatusUpdatedSignal():
            return f'{signal.kind} "{signal.text}"'
        case DialogOpenedSignal() | DialogClosedSignal():
            return f"{signal.kind} {signal.scope_id}"
    return None


def _text_key(signal: WebSignal) -> str:
    text = getattr(signal, "text", None)
    return f"{signal.kind}:{normalised(text)}" if isinstance(text, str) else signal.kind
