"""The documents of a tab as the feed knows them, and when a child's turn comes to join the graph.

A child document is published together with the element that hosts it: held back until its parent has published
that element, taken out when the element goes. Merging itself is in `merge.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.hosts import host_of
from uiap.drivers.chromium.page.messages import DeltaPush, FrameDelta, FrameGraph, GraphPush, PartPush
from uiap.spec.web import DocumentAccess, DocumentNode

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.graph_feed import GraphFeed

MOST_DOCUMENTS = 500  # of one tab; a page with ten thousand frames is an attack, not an interface


class Known:
    """A document the feed has heard of."""

    def __init__(self, document: Document, access: DocumentAccess) -> None:
        self.document = document
        self.access = access
        self.seq = 0
        self.graph: FrameGraph | None = None
        """What it published while it still waits for its host."""
        self.parts: list[PartPush] = []
        """The first elements of a graph whose rest is still to come."""
        self.host: str | None = None
        self.searching = False
        self.rereading = False
        self.queue: list[DeltaPush] = []
        """Deltas that came while it is read anew: they build on the new reading, or are older than it."""
        self.checked: set[str] = set()
        """Candidates for a closed shadow root that were looked at."""

    @property
    def key(self) -> str:
        return self.document.key

    @property
    def readable(self) -> bool:
        return self.access != "opaque"

    def whole(self, last: GraphPush) -> FrameGraph:
        """The graph with all its elements, of which those of `last` come last."""
        parts = [part.elements for part in self.parts if part.seq == last.seq]
        self.parts = []
        return (
            replace(last.graph, elements=tuple(chain(*parts, last.graph.elements))) if parts else last.graph
        )

    def node(self, graph: FrameGraph | None) -> DocumentNode:
        """How the document stands in the tab's graph; behind a boundary only its origin is told."""
        parent = self.document.frame.parent
        said = graph.documents[0] if graph is not None and graph.documents else None
        return DocumentNode(
            document_id=self.key,
            kind="root" if parent is None else "frame",
            parent_document_id=parent.document.key if parent and parent.document else UNSET,
            host_instance_id=self.host or UNSET,
            url=said.url if said else UNSET,
            origin=self.document.origin,
            title=said.title if said else UNSET,
            access=self.access,
        )


class KnownDocuments:
    """All documents of one tab, the root's among them."""

    def __init__(self, feed: GraphFeed) -> None:
        self._feed = feed
        self._by_key: dict[str, Known] = {}

    def __iter__(self) -> Iterator[Known]:
        return iter(list(self._by_key.values()))

    def get(self, key: str) -> Known | None:
        return self._by_key.get(key)

    def add(self, known: Known) -> bool:
        if len(self._by_key) >= MOST_DOCUMENTS and not known.document.frame.is_root:
            return False
        self._by_key[known.key] = known
        return True

    def remove(self, document: Document) -> None:
        """The document is gone for good."""
        if self._by_key.pop(document.key, None) is None:
            return
        if document.frame.is_root:
            self._feed.graph.parts = {}  # what comes next is a new graph
        else:
            self._feed.changed(self._feed.graph.retire([document.key]))

    # ------------------------------------------------------------------ joining and leaving

    def offer(self, known: Known) -> None:
        """Publish a child document if the element that hosts it is published."""
        parent = known.document.frame.parent
        if parent is None or parent.document is None or parent.document.key not in self._feed.graph.parts:
            return
        if known.host is not None:
            self._publish(known, parent.document)
        elif not known.searching:
            known.searching = True
            self._feed.spawn(self._find_host(known, parent.document))

    def offer_waiting(self) -> None:
        for known in self:
            outside = known.key not in self._feed.graph.parts and not known.document.frame.is_root
            if outside and (known.graph is not None or known.host or not known.readable):
                self.offer(known)

    async def _find_host(self, known: Known, parent: Document) -> None:
        try:
            known.host = await host_of(self._feed.tab, known.document.frame, parent)
        finally:
            known.searching = False
        if not known.document.gone and not parent.gone:
            self._publish(known, parent)

    def _publish(self, known: Known, parent: Document) -> None:
        part = self._feed.graph.parts.get(parent.key)
        if part is None or known.key in self._feed.graph.parts:
            return
        if known.host and known.host not in part.elements and part.node.access != "opaque":
            return  # the frame element is hidden or not yet published; a later delta brings it
        if known.readable and known.graph is None:
            self._feed.read_anew(known)
            return
        self._feed.changed(self._feed.graph.publish(known.node(known.graph), known.graph))
        known.graph = None
        if known.readable:
            self._feed.acknowledge(known)
        self.offer_waiting()

    def retire_orphans(self, delta: FrameDelta) -> None:
        """A document leaves the graph with the element that hosts it, even if the frame lives on unseen."""
        removed = set((delta.elements and delta.elements.removed) or ())
        if removed:
            self._retire({known.document.frame for known in self if known.host in removed})

    def retire_frame(self, frame: Frame) -> None:
        self._retire({frame})

    def _retire(self, frames: set[Frame]) -> None:
        if frames:
            keys = [known.key for known in self if not frames.isdisjoint(known.document.frame.path)]
            self._feed.changed(self._feed.graph.retire(keys))
