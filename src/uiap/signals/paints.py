"""The paints that the browser traced back to an input: they attribute changes that carry no token of their own."""

from __future__ import annotations

from collections.abc import Set

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.signals.change import Node
from uiap.signals.watch_events import PaintEvent, SignalEvent, just_before, text_of

MAX_PAINTS = 64  # per action; further paints of a page that paints all the time add no evidence


class PaintLog:
    """The paints of one action."""

    def __init__(self) -> None:
        self._paints: list[PaintEvent] = []

    def record(self, paint: PaintEvent) -> None:
        if len(self._paints) < MAX_PAINTS:
            self._paints.append(paint)

    def shows_node(self, now: Node | None, key: str, mono: float, tokens: Set[str]) -> bool:
        """Return whether an input led to a paint in this node, of text that the node shows."""
        if not self._paints:
            return False
        text = normalised(f"{getattr(now, 'name', UNSET) or ''} {text_of(now)}")
        return any(
            paint.node == key and paint.text and paint.text in text and just_before(mono, paint.mono)
            for paint in self._of(tokens)
        )

    def shows_signal(self, event: SignalEvent, tokens: Set[str]) -> bool:
        """Return whether an input led to a paint of the text of this signal."""
        text = normalised(getattr(event.signal, "text", "") or "")
        element = getattr(event.signal, "instance_id", UNSET)
        return bool(text) and any(
            (text in paint.text or (paint.text and paint.node == element and paint.text in text))
            and just_before(event.mono, paint.mono)
            for paint in self._of(tokens)
        )

    def shows_route(self, tokens: Set[str]) -> bool:
        return any(paint.route for paint in self._of(tokens))

    def _of(self, tokens: Set[str]) -> list[PaintEvent]:
        return [paint for paint in self._paints if paint.token in tokens]
