"""Large deltas, cut into slices that are applied one after the other, with turns of the event loop between them.

A page may change all of its elements at once, as often as it likes. Applied as a whole, such a delta would hold the
event loop of every session. Each slice is a valid delta: nodes are added before they are named, and removed last.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import UNSET

from uiap.drivers.chromium.page.messages import FrameDelta
from uiap.fair_share import FairShare
from uiap.spec.web import NodeDelta

SLICE = 250
"""The number of elements that one slice adds or updates."""


def slices_of(delta: FrameDelta, size: int = SLICE) -> list[FrameDelta]:
    """Return the slices of a delta. A delta that is small, or that replaces nodes, is its only slice."""
    elements = delta.elements
    if elements is UNSET:
        return [delta]
    added, updated, removed = elements.added or (), elements.updated or (), elements.removed or ()
    if len(added) + len(updated) <= 2 * size or not {one.instance_id for one in added}.isdisjoint(removed):
        return [delta]
    if any(_replaces(part) for part in (delta.documents, delta.scopes)):
        return [delta]
    first = FrameDelta(documents=_only_added(delta.documents), scopes=_only_added(delta.scopes))
    sliced = [FrameDelta(elements=NodeDelta(added=part)) for part in _parts(added, size)]
    sliced += [FrameDelta(elements=NodeDelta(updated=part)) for part in _parts(updated, size)]
    return [first, *sliced, _rest(delta, removed)]


def _rest(delta: FrameDelta, removed: tuple[str, ...]) -> FrameDelta:
    """Return everything that is applied last: removed nodes, other nodes, and facts that belong to no node."""
    return FrameDelta(
        route=delta.route,
        viewport=delta.viewport,
        focus=delta.focus,
        modal_stack=delta.modal_stack,
        truncated=delta.truncated,
        documents=_without_added(delta.documents),
        scopes=_without_added(delta.scopes),
        elements=NodeDelta(removed=removed) if removed else UNSET,
        collections=delta.collections,
        opaque_regions=delta.opaque_regions,
    )


def _parts(nodes: tuple[Any, ...], size: int) -> Iterator[tuple[Any, ...]]:
    return (nodes[at : at + size] for at in range(0, len(nodes), size))


def _replaces(part: Any) -> bool:
    """Return whether a node is removed and added in one delta."""
    if part is UNSET or not part.added or not part.removed:
        return False
    keys = {getattr(one, "scope_id", None) or getattr(one, "document_id", None) for one in part.added}
    return not keys.isdisjoint(part.removed)


def _only_added(part: Any) -> Any:
    return UNSET if part is UNSET or not part.added else NodeDelta(added=part.added)


def _without_added(part: Any) -> Any:
    if part is UNSET or not (part.updated or part.removed):
        return UNSET
    return NodeDelta(updated=part.updated, removed=part.removed)


class SlicedWork:
    """Applies slices in turns. Messages that arrive meanwhile wait, so that the order stays."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = False
        self._idle = asyncio.Event()
        self._idle.set()
        self.share = FairShare(None)
        """The time that the deltas of this tab may take. It is kept by pauses between slices and before an answer."""

    @property
    def busy(self) -> bool:
        return self._running

    def do(self, step: Callable[[], None]) -> None:
        """Run a step now, or after the slices that are under way."""
        if self._running:
            self._waiting.append(step)
        else:
            step()

    async def run(self, steps: list[Callable[[], bool]]) -> None:
        """Run the steps until one returns False, then the steps that waited."""
        try:
            for step in steps:
                begun = time.thread_time()
                goes_on = step()
                self.share.spend(time.thread_time() - begun)
                if not goes_on:
                    break
                await asyncio.sleep(self.share.pause_s())
        finally:
            self._end()

    def begin(self) -> None:
        """Hold other steps back until `run` has ended."""
        self._running = True
        self._idle.clear()

    def _end(self) -> None:
        self._running = False
        while self._waiting and not self._running:
            self._waiting.popleft()()
        if not self._running:
            self._idle.set()

    async def idle(self, timeout: float) -> None:
        """Return once no slices are under way, at the latest after `timeout`."""
        if not self._idle.is_set():
            async with asyncio.timeout(timeout):
                await self._idle.wait()
