"""Merge the graphs of many documents into one PageGraph with the tab's own revisions.

A new root document starts a new graph; every other change is a delta. The whole graph is computed on demand, in the
same store that consumers use. Pure: it has no browser, and its clock is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from uiap.drivers.chromium.page.messages import FrameDelta, FrameGraph
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import (
    DocumentNode,
    ElementNode,
    FocusInfo,
    NodeDelta,
    NodePatch,
    OpaqueRegion,
    PageGraph,
    PageGraphDelta,
    RouteInfo,
    SnapshotReason,
    Truncation,
)

PROFILE = "web@0.1"
MAX_PENDING_DELTAS = 64
N = TypeVar("N")


class DocumentPart:
    """The ids and state of one published document."""

    def __init__(self, node: DocumentNode) -> None:
        self.node = node
        self.elements: set[str] = set()
        self.scopes: set[str] = set()
        self.collections: set[str] = set()
        self.regions: set[str] = set()
        self.stable: dict[str, str] = {}  # instanceId → stableId
        self.focus: FocusInfo | None = None
        self.modal: tuple[str, ...] = ()
        self.truncated: Truncation | None = None

    def set_graph(self, graph: FrameGraph) -> None:
        self.elements = {node.instance_id for node in graph.elements}
        self.scopes = {node.scope_id for node in graph.scopes}
        self.collections = {node.collection_id for node in graph.collections}
        self.regions = {node.region_id for node in graph.opaque_regions}
        self.stable = {node.instance_id: node.stable_id for node in graph.elements if node.stable_id}
        self.focus = graph.focus
        self.modal = graph.modal_stack
        self.truncated = graph.truncated or None


class TabGraph:
    """The merged graph of one tab, as revisions."""

    def __init__(self, now: Callable[[], str]) -> None:
        self.seq = 0
        self.route: RouteInfo | None = None
        self.parts: dict[str, DocumentPart] = {}
        self._store = GraphStore(keep=1)
        self._loading: tuple[PageGraph, SnapshotReason] | None = None
        self._pending: list[PageGraphDelta] = []
        self._is_consistent = True
        self._now = now
        self._focus: FocusInfo | None = None
        self._modal: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        return f"rev_{self.seq}"

    @property
    def root(self) -> DocumentPart | None:
        return next(iter(self.parts.values()), None)

    def begin(self, node: DocumentNode, graph: FrameGraph) -> PageGraph:
        """Start a new graph with a new root document."""
        self.seq += 1
        part = DocumentPart(node)
        part.set_graph(graph)
        self.parts = {node.document_id: part}
        self.route = graph.route
        return self._load([(node, graph)], "navigation")

    def replace_all(self, published: list[tuple[DocumentNode, FrameGraph]]) -> PageGraph:
        """Replace all readable documents after a reread, and return the whole graph at a new revision."""
        self.seq += 1
        for node, graph in published:
            part = self.parts.setdefault(node.document_id, DocumentPart(node))
            part.node = node
            part.set_graph(graph)
        self.route = published[0][1].route
        return self._load(published, "resync")

    @property
    def is_consistent(self) -> bool:
        """False after a delta that could not be applied; the documents must be reread then."""
        self._apply_pending()
        return self._is_consistent

    @property
    def known_inconsistent(self) -> bool:
        """Whether a delta is known not to apply; pending deltas are checked every `MAX_PENDING_DELTAS`."""
        return not self._is_consistent

    def current(self) -> PageGraph:
        """Return the whole graph with all deltas applied."""
        self._apply_pending()
        graph = self._store.snapshot()
        elements = tuple(_without_position(node) for node in graph.elements)
        return replace(graph, elements=elements, truncated=self.truncated or UNSET)

    def _load(self, pairs: list[tuple[DocumentNode, FrameGraph]], reason: SnapshotReason) -> PageGraph:
        self._focus, self._modal = self._focus_and_modals()
        whole = self._merge(pairs)
        self._loading, self._pending, self._is_consistent = (whole, reason), [], True
        return whole

    def _apply_pending(self) -> None:
        """Bring our own store up to date; consumers have their own, so this happens only on demand."""
        loading, self._loading = self._loading, None
        pending, self._pending = self._pending, []
        if loading is not None:
            self._store.load(*loading)
        for delta in pending:
            self._is_consistent = isinstance(self._store.apply(delta), Applied) and self._is_consistent

    def _merge(self, pairs: list[tuple[DocumentNode, FrameGraph]]) -> PageGraph:
        graphs = [graph for _, graph in pairs]
        root = graphs[0]
        stable: set[str] = set()
        return PageGraph(
            model_version="0.1",
            profile=PROFILE,
            revision=self.revision,
            seq=self.seq,
            captured_at=self._now(),
            route=root.route,
            viewport=root.viewport,
            documents=tuple(node for node, _ in pairs) + self._opaque_documents(),
            scopes=_concatenate(graph.scopes for graph in graphs),
            elements=tuple(_with_unique_stable_ids(_concatenate(graph.elements for graph in graphs), stable)),
            collections=_concatenate(graph.collections for graph in graphs),
            opaque_regions=_concatenate(graph.opaque_regions for graph in graphs),
            focus=self._focus if self._focus is not None else UNSET,
            modal_stack=self._modal,
            truncated=self.truncated or UNSET,
        )

    def publish(self, node: DocumentNode, graph: FrameGraph | None) -> PageGraphDelta:
        """Add a child document, or replace any document after a reread; return the delta."""
        part = self.parts.get(node.document_id)
        previous = part or DocumentPart(node)
        removed = [previous.elements, previous.scopes, previous.collections, previous.regions]
        current = DocumentPart(node)
        self.parts[node.document_id] = current
        if graph is None:
            graph = FrameGraph(route=RouteInfo(url=""), documents=())
        elements = tuple(_with_unique_stable_ids(graph.elements, self._stable_ids()))
        current.set_graph(graph)
        regions = graph.opaque_regions + self._boundary_region(current)
        return self._next_delta(
            documents=_node_delta(
                added=(node,) if part is None else (), updated=_document_patches(part, node)
            ),
            elements=_node_delta(removed=removed[0], added=elements),
            scopes=_node_delta(removed=removed[1], added=graph.scopes),
            collections=_node_delta(removed=removed[2], added=graph.collections),
            opaque_regions=_node_delta(removed=removed[3], added=regions),
            route=graph.route if part is not None and part.node.kind == "root" else UNSET,
        )

    def apply_delta(self, key: str, delta: FrameDelta) -> PageGraphDelta:
        """Apply the change of one document, and return the delta of the tab."""
        part = self.parts[key]
        self._update_part(part, delta)
        root = part.node.kind == "root"
        if root and delta.route:
            self.route = delta.route
        return self._next_delta(
            documents=delta.documents,
            scopes=delta.scopes,
            elements=self._unique_elements(delta.elements),
            collections=delta.collections,
            opaque_regions=self._replace_own_regions(delta.opaque_regions),
            route=delta.route if root else UNSET,
            viewport=delta.viewport if root else UNSET,
        )

    def remove_documents(self, keys: Iterable[str]) -> PageGraphDelta | None:
        """Remove child documents with everything in them."""
        parts = [self.parts.pop(key) for key in keys if key in self.parts]
        if not parts:
            return None
        return self._next_delta(
            documents=_node_delta(removed=[part.node.document_id for part in parts]),
            elements=_node_delta(removed=_union(part.elements for part in parts)),
            scopes=_node_delta(removed=_union(part.scopes for part in parts)),
            collections=_node_delta(removed=_union(part.collections for part in parts)),
            opaque_regions=_node_delta(removed=_union(part.regions for part in parts)),
        )

    # ------------------------------------------------------------------ inside

    def _next_delta(self, **members: Any) -> PageGraphDelta:
        base = self.revision
        self.seq += 1
        focus, modal = self._focus_and_modals()
        if focus != self._focus:
            members["focus"] = focus
        if modal != self._modal:
            members["modal_stack"] = modal
        self._focus, self._modal = focus, modal
        delta = PageGraphDelta(
            base_revision=base, revision=self.revision, seq=self.seq, captured_at=self._now(), **members
        )
        self._pending.append(delta)
        if len(self._pending) >= MAX_PENDING_DELTAS:
            self._apply_pending()
        return delta

    def _update_part(self, part: DocumentPart, delta: FrameDelta) -> None:
        _update_ids(part.elements, delta.elements, lambda node: node.instance_id)
        _update_ids(part.scopes, delta.scopes, lambda node: node.scope_id)
        _update_ids(part.collections, delta.collections, lambda node: node.collection_id)
        _update_ids(part.regions, delta.opaque_regions, lambda node: node.region_id)
        if elements := delta.elements or None:
            for instance_id in elements.removed or ():
                part.stable.pop(instance_id, None)
        if delta.focus is not UNSET:
            part.focus = delta.focus
        if delta.modal_stack is not UNSET:
            part.modal = delta.modal_stack
        if delta.truncated is not UNSET:
            part.truncated = delta.truncated

    def _unique_elements(
        self, delta: NodeDelta[ElementNode] | UnsetType
    ) -> NodeDelta[ElementNode] | UnsetType:
        if not delta or not any(node.stable_id for node in delta.added or ()):
            return delta
        taken = self._stable_ids()
        added = tuple(_with_unique_stable_ids(delta.added or (), taken))
        for node in added:
            if node.stable_id:
                self.parts[node.document_id].stable[node.instance_id] = node.stable_id
        return replace(delta, added=added)

    def _boundary_region(self, part: DocumentPart) -> tuple[OpaqueRegion, ...]:
        """Return the opaque region of a frame that we may not read, unless its parent already reports it."""
        node = part.node
        host = self.parts.get(node.parent_document_id or "")
        if node.access != "opaque" or host is None or f"{node.host_instance_id}o" in host.regions:
            return ()
        region = OpaqueRegion(
            region_id=f"{node.document_id}o",
            kind="cross_origin_frame",
            document_id=host.node.document_id,
            host_instance_id=node.host_instance_id,
            origin=node.origin,
        )
        part.regions.add(region.region_id)
        return (region,)

    def _replace_own_regions(
        self, delta: NodeDelta[OpaqueRegion] | UnsetType
    ) -> NodeDelta[OpaqueRegion] | UnsetType:
        """Remove our regions of frames that the page script now reports itself."""
        if not delta or not delta.added:
            return delta
        reported = {region.host_instance_id for region in delta.added}
        replaced = []
        for part in self.parts.values():
            own = f"{part.node.document_id}o"
            if part.node.host_instance_id in reported and own in part.regions:
                part.regions.discard(own)
                replaced.append(own)
        return replace(delta, removed=(*(delta.removed or ()), *replaced) or UNSET)

    @property
    def truncated(self) -> Truncation | None:
        """The truncation over all documents, with the sum of omitted elements."""
        truncations = [part.truncated for part in self.parts.values() if part.truncated]
        omitted = sum(truncation.omitted_elements for truncation in truncations)
        return replace(truncations[0], omitted_elements=omitted) if truncations else None

    def _stable_ids(self) -> set[str]:
        return {stable_id for part in self.parts.values() for stable_id in part.stable.values()}

    def _opaque_documents(self) -> tuple[DocumentNode, ...]:
        return tuple(part.node for part in self.parts.values() if part.node.access == "opaque")

    def _focus_and_modals(self) -> tuple[FocusInfo | None, tuple[str, ...]]:
        """Return the focused element, followed into frames, and the modals, inner documents on top."""
        root = self.root
        focus = root.focus if root else None
        hosts = {
            part.node.host_instance_id: part for part in self.parts.values() if part.node.host_instance_id
        }
        visited: set[str] = set()
        while focus and focus.target in hosts and focus.target not in visited:
            visited.add(str(focus.target))
            inner = hosts[focus.target].focus
            if inner is None:
                break
            focus = inner
        return focus, tuple(scope for part in self.parts.values() for scope in part.modal)


def _concatenate(groups: Iterable[tuple[N, ...]]) -> tuple[N, ...]:
    return tuple(node for group in groups for node in group)


def _union(groups: Iterable[set[str]]) -> set[str]:
    return {key for group in groups for key in group}


def _node_delta(
    *, removed: Iterable[str] = (), added: tuple[N, ...] = (), updated: tuple[NodePatch, ...] = ()
) -> NodeDelta[N] | UnsetType:
    gone = tuple(removed)
    if not gone and not added and not updated:
        return UNSET
    return NodeDelta(removed=gone or UNSET, added=added or UNSET, updated=updated or UNSET)


def _document_patches(part: DocumentPart | None, node: DocumentNode) -> tuple[NodePatch, ...]:
    if part is None or part.node == node:
        return ()
    patch = {"url": node.url or None, "title": node.title or None, "access": node.access}
    return (NodePatch(key=node.document_id, patch=patch),)


def _update_ids(ids: set[str], delta: NodeDelta[N] | UnsetType, key: Callable[[N], str]) -> None:
    if delta:
        ids.difference_update(delta.removed or ())
        ids.update(key(node) for node in delta.added or ())


def _with_unique_stable_ids(elements: Iterable[ElementNode], taken: set[str]) -> Iterator[ElementNode]:
    """Yield the elements; of two with the same stableId the later one loses it and reports it as a duplicate."""
    for node in elements:
        if node.stable_id and node.stable_id in taken:
            metadata = {**(node.metadata or {}), "duplicateStableId": node.stable_id}
            yield replace(node, stable_id=UNSET, metadata=metadata)
            continue
        if node.stable_id:
            taken.add(node.stable_id)
        yield node


def _without_position(node: ElementNode) -> ElementNode:
    """Remove the position that a delta gave the element; in a whole graph the order gives it."""
    if not node.metadata or "after" not in node.metadata:
        return node
    rest = {name: value for name, value in node.metadata.items() if name != "after"}
    return replace(node, metadata=rest or UNSET)
