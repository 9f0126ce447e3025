"""Signs of progress that an input showed: where one of them ends, the result of the input arrives.

A server may answer over a socket at once with a spinner, and much later with the result. Nothing in that message shows
which input it answers. The spinner does: it came from our input, and it goes when the result comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import msgspec
from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.signals.change import shows_progress
from uiap.signals.effect_report import AnswerWindow, NetworkTrace
from uiap.spec.web import PageGraphDelta

AROUND_S = 0.1
"""A page replaces a spinner by the result within this time."""
MAX_KEPT = 20


class OwnProgress:
    """The spinners of each input, and the times at which they ended."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._ended: list[tuple[str, AnswerWindow]] = []

    def record(self, delta: PageGraphDelta, token: str | None, mono: float, store: GraphStore) -> None:
        """Record a change. The store has it already."""
        if token is not None and len(self._shown) < MAX_KEPT:
            self._shown |= {key: token for key in _changed(delta) if shows_progress(store.elements.get(key))}
        for key in [key for key in self._shown if not shows_progress(store.elements.get(key))]:
            self._ended.append((self._shown.pop(key), (mono - AROUND_S, mono + AROUND_S)))

    def with_ends(self, trace: NetworkTrace, tokens: Set[str]) -> NetworkTrace:
        """Return the trace with the ends of our progress as answers."""
        ends = tuple(window for token, window in self._ended if token in tokens)
        return msgspec.structs.replace(trace, answered=(*trace.answered, *ends)) if ends else trace


def _changed(delta: PageGraphDelta) -> Iterator[str]:
    if delta.elements is UNSET:
        return
    yield from (node.instance_id for node in delta.elements.added or ())
    yield from (patch.key for patch in delta.elements.updated or ())
