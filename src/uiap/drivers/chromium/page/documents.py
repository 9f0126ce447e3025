"""The documents of a tab, and when a child document joins or leaves the graph.

A child document waits until its parent has published the element that hosts it, and leaves with that element.
Merging itself is in `merge.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.hosts import find_host
from uiap.drivers.chromium.page.messages import DeltaPush, FrameDelta, FrameGraph, GraphPush, PartPush
from uiap.spec.web import DocumentAccess, DocumentNode

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.graph_feed import GraphFeed

RELOAD_S = 2.0
MAX_DOCUMENTS = 500  # per tab; a page with ten thousand frames is an attack, not an interface


class TrackedDocument:
    """A document of the tab and its reading state."""

    def __init__(self, document: Document, access: DocumentAccess) -> None:
        self.document = document
        self.access = access
        self.seq = 0
        self.graph: FrameGraph | None = None
        """The published graph, while the document waits for its host element."""
        self.parts: list[PartPush] = []
        """The first parts of a graph that is not complete yet."""
        self.host: str | None = None
        self.searching = False
        self.rereading = False
        self.queue: list[DeltaPush] = []
        """Deltas that arrive during a reread; they apply to the new reading, or are older than it."""
        self.checked: set[str] = set()
        """Candidates for a closed shadow root that were already checked."""

    @property
    def key(self) -> str:
        return self.document.key

    @property
    def readable(self) -> bool:
        return self.access != "opaque"

    def whole(self, last: GraphPush) -> FrameGraph:
        """Return the complete graph: the elements of all parts, then those of `last`."""
        parts = [part.elements for part in self.parts if part.seq == last.seq]
        self.parts = []
        return (
            replace(last.graph, elements=tuple(chain(*parts, last.graph.elements))) if parts else last.graph
        )

    def node(self, graph: FrameGraph | None) -> DocumentNode:
        """Return the document's node in the tab's graph; an opaque document reports only its origin."""
        parent = self.document.frame.parent
        published = graph.documents[0] if graph is not None and graph.documents else None
        return DocumentNode(
            document_id=self.key,
            kind="root" if parent is None else "frame",
            parent_document_id=parent.document.key if parent and parent.document else UNSET,
            host_instance_id=self.host or UNSET,
            url=published.url if published else UNSET,
            origin=self.document.origin,
            title=published.title if published else UNSET,
            access=self.access,
        )


class TrackedDocuments:
    """All documents of one tab, including the root."""

    def __init__(self, feed: GraphFeed) -> None:
        self._feed = feed
        self._by_key: dict[str, TrackedDocument] = {}
        self._reloading: set[Frame] = set()
        """The frames whose published document is gone, and whose next one is not published yet."""

    def __iter__(self) -> Iterator[TrackedDocument]:
        return iter(list(self._by_key.values()))

    def get(self, key: str) -> TrackedDocument | None:
        return self._by_key.get(key)

    def add(self, tracked: TrackedDocument) -> bool:
        """Track a document; return False if there are too many."""
        if len(self._by_key) >= MAX_DOCUMENTS and not tracked.document.frame.is_root:
            return False
        self._by_key[tracked.key] = tracked
        return True

    def remove(self, document: Document) -> None:
        """Remove a document that no longer exists."""
        if self._by_key.pop(document.key, None) is None:
            return
        if document.frame.is_root:
            self._feed.graph.parts = {}  # the next root document starts a new graph
        else:
            if document.key in self._feed.graph.parts:
                self._reloading.add(document.frame)
            self._feed.emit_delta(self._feed.graph.remove_documents([document.key]))

    # ------------------------------------------------------------------ joining and leaving

    def offer(self, tracked: TrackedDocument) -> None:
        """Publish a child document if its host element is published."""
        parent = tracked.document.frame.parent
        if parent is None or parent.document is None or parent.document.key not in self._feed.graph.parts:
            return
        if tracked.host is not None:
            self._publish(tracked, parent.document)
        elif not tracked.searching:
            tracked.searching = True
            self._feed.spawn(self._find_host(tracked, parent.document))

    def offer_waiting(self) -> None:
        """Publish the waiting child documents whose host element is published now."""
        for tracked in self:
            waiting = tracked.key not in self._feed.graph.parts and not tracked.document.frame.is_root
            if waiting and (tracked.graph is not None or tracked.host or not tracked.readable):
                self.offer(tracked)

    async def _find_host(self, tracked: TrackedDocument, parent: Document) -> None:
        try:
            tracked.host = await find_host(self._feed.tab, tracked.document.frame, parent)
        finally:
            tracked.searching = False
        if not tracked.document.gone and not parent.gone:
            self._publish(tracked, parent)

    def _publish(self, tracked: TrackedDocument, parent: Document) -> None:
        part = self._feed.graph.parts.get(parent.key)
        if part is None or tracked.key in self._feed.graph.parts:
            return
        if tracked.host and tracked.host not in part.elements and part.node.access != "opaque":
            return  # the frame element is hidden or not published yet; a later delta adds it
        if tracked.readable and tracked.graph is None:
            self._feed.reread(tracked)
            return
        self._feed.emit_delta(self._feed.graph.publish(tracked.node(tracked.graph), tracked.graph))
        tracked.graph = None
        self._reloading.discard(tracked.document.frame)
        if tracked.readable:
            self._feed.acknowledge(tracked)
        self.offer_waiting()

    def retire_orphans(self, delta: FrameDelta) -> None:
        """Remove documents whose host element was removed, even if the hidden frame still exists."""
        removed = set((delta.elements and delta.elements.removed) or ())
        if removed:
            self._retire({tracked.document.frame for tracked in self if tracked.host in removed})

    def retire_frame(self, frame: Frame) -> None:
        self._reloading.discard(frame)
        self._retire({frame})

    async def wait_for_reloads(self) -> None:
        """Wait until the frames that load another document have published it. A frame that never does counts once."""
        tab = self._feed.tab
        if self._reloading and not await tab.wait_until(lambda: not self._reloading or tab.closed, RELOAD_S):
            self._reloading.clear()

    def _retire(self, frames: set[Frame]) -> None:
        if frames:
            keys = [tracked.key for tracked in self if not frames.isdisjoint(tracked.document.frame.path)]
            self._feed.emit_delta(self._feed.graph.remove_documents(keys))
