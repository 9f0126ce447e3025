"""Messages that a page shows after loading. They say nothing about the action that led there."""

from __future__ import annotations

from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.signals.watch_events import text_key, text_of
from uiap.spec.web import WebSignal

LOAD_MESSAGE_S = 3.0  # a message within this time after loading belongs to the loading
MAX_KEPT = 200
LIVE_ROLES = ("status", "alert")


class LoadMessages:
    """The messages of the loads of one tab, and the texts of its live regions when the action began."""

    def __init__(self) -> None:
        self._loaded_at = 0.0
        self._keys: dict[str, None] = {}
        self._initial_texts: set[str] = set()

    def loaded(self, mono: float) -> None:
        self._loaded_at = mono

    def begin(self, store: GraphStore) -> None:
        """Record the live texts. A slow page may show its message before the first snapshot, without a signal."""
        live = (node for role in LIVE_ROLES for node in store.by_role(role))
        self._initial_texts = {normalised(text) for node in live if (text := text_of(node))}

    def record(self, signal: WebSignal, mono: float) -> None:
        """Record a signal if it comes soon after loading."""
        if 0 <= mono - self._loaded_at <= LOAD_MESSAGE_S and (key := text_key(signal)):
            self._keys[key] = None
            if len(self._keys) > MAX_KEPT:
                del self._keys[next(iter(self._keys))]

    def contains(self, signal: WebSignal) -> bool:
        text = normalised(getattr(signal, "text", "") or "")
        return text_key(signal) in self._keys or (bool(text) and text in self._initial_texts)
