"""Judges the signals of one action: those that the caller asked for on the page as the caller sees it."""

from __future__ import annotations

from typing import Any, Protocol

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.registry import family_of
from uiap.signals.verdict import Verdict
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import WebSignal


class ReaderView(Protocol):
    """The page as the caller of an action may see it."""

    asked: tuple[SuccessSignal, ...]
    """The signals that the caller asked for. The runtime's own signals are judged on the real page."""

    def store(self) -> GraphStore: ...

    def mask_signal(self, signal: WebSignal) -> WebSignal: ...


class SignalJudge:
    """The signals of one action and what the page said about them before it."""

    def __init__(
        self, signals: tuple[SuccessSignal, ...], store: GraphStore, view: ReaderView | None = None
    ) -> None:
        self._signals, self._store, self._view = signals, store, view
        self._before = tuple(self._read(signal) for signal in signals)

    def verdicts(self, log: SignalLog) -> tuple[Verdict, ...]:
        """Return a verdict for each signal, as of now."""
        seen = log if self._view is None else log.as_seen(self._view.mask_signal)
        return tuple(
            family_of(signal).judge(
                signal, before, self._read(signal), seen if self._is_asked(signal) else log
            )
            for signal, before in zip(self._signals, self._before, strict=True)
        )

    def _read(self, signal: SuccessSignal) -> Any:
        store = self._view.store() if self._view is not None and self._is_asked(signal) else self._store
        return family_of(signal).read(signal, store)

    def _is_asked(self, signal: SuccessSignal) -> bool:
        return self._view is not None and signal in self._view.asked
