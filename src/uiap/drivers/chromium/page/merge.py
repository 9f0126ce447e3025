"""Many documents, one PageGraph: the tab's own revisions over what each of its documents publishes.

A new root document is a whole new graph; everything else is a delta. What the deltas add up to is worked out when it
is asked for, in the same store that consumers use. Pure: knows no browser and no clock but the one it is given.
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
MOST_PENDING = 64
N = TypeVar("N")


class Part:
    """What the tab must remember of one published document."""

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

    def take(self, graph: FrameGraph) -> None:
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
        self.parts: dict[str, Part] = {}
        self._store = GraphStore(keep=1)
        self._loading: tuple[PageGraph, SnapshotReason] | None = None
        self._pending: list[PageGraphDelta] = []
        self._consistent = True
        self._now = now
        self._focus: FocusInfo | None = None
        self._modal: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        return f"rev_{self.seq}"

    @property
    def root(self) -> Part | None:
        return next(iter(self.parts.values()), None)

    def begin(self, node: DocumentNode, graph: FrameGraph) -> PageGraph:
        """A new root document: a new graph."""
        self.seq += 1
        part = Part(node)
        part.take(graph)
        self.parts = {node.document_id: part}
        self.route = graph.route
        return self._load([(node, graph)], "navigation")

    def renew(self, published: list[tuple[DocumentNode, FrameGraph]]) -> PageGraph:
        """All readable documents were read anew: one whole graph at a new revision."""
        self.seq += 1
        for node, graph in published:
            part = self.parts.setdefault(node.document_id, Part(node))
            part.node = node
            part.take(graph)
        self.route = published[0][1].route
        return self._load(published, "resync")

    @property
    def consistent(self) -> bool:
        """False once a delta did not fit: the documents have to be read anew."""
        self._catch_up()
        return self._consistent

    @property
    def doubtful(self) -> bool:
        """What is known of `consistent` without looking; it is looked after every so many deltas."""
        return not self._consistent

    def current(self) -> PageGraph:
        """The whole graph as all deltas so far make it."""
        self._catch_up()
        graph = self._store.snapshot()
        elements = tuple(_without_place(node) for node in graph.elements)
        return replace(graph, elements=elements, truncated=self.truncated or UNSET)

    def _load(self, pairs: list[tuple[DocumentNode, FrameGraph]], reason: SnapshotReason) -> PageGraph:
        self._focus, self._modal = self._overall()
        whole = self._whole(pairs)
        self._loading, self._pending, self._consistent = (whole, reason), [], True
        return whole

    def _catch_up(self) -> None:
        """Consumers keep stores of their own; this one is made when somebody asks for all of it."""
        loading, self._loading = self._loading, None
        pending, self._pending = self._pending, []
        if loading is not None:
            self._store.load(*loading)
        for delta in pending:
            self._consistent = isinstance(self._store.apply(delta), Applied) and self._consistent

    def _whole(self, pairs: list[tuple[DocumentNode, FrameGraph]]) -> PageGraph:
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
            scopes=_joined(graph.scopes for graph in graphs),
            elements=tuple(_unique(_joined(graph.elements for graph in graphs), stable)),
            collections=_joined(graph.collections for graph in graphs),
            opaque_regions=_joined(graph.opaque_regions for graph in graphs),
            focus=self._focus if self._focus is not None else UNSET,
            modal_stack=self._modal,
            truncated=self.truncated or UNSET,
        )

    def publish(self, node: DocumentNode, graph: FrameGraph | None) -> PageGraphDelta:
        """A child document appears, or any document is read anew after a lost delta."""
        part = self.parts.get(node.document_id)
        gone = part or Part(node)
        removed = [gone.elements, gone.scopes, gone.collections, gone.regions]
        fresh = Part(node)
        self.parts[node.document_id] = fresh
        if graph is None:
            graph = FrameGraph(route=RouteInfo(url=""), documents=())
        elements = tuple(_unique(graph.elements, self._stable_ids()))
        fresh.take(graph)
        regions = graph.opaque_regions + self._boundary(fresh)
        return self._next(
            documents=_node_delta(added=(node,) if part is None else (), updated=_renewed(part, node)),
            elements=_node_delta(removed=removed[0], added=elements),
            scopes=_node_delta(removed=removed[1], added=graph.scopes),
            collections=_node_delta(removed=removed[2], added=graph.collections),
            opaque_regions=_node_delta(removed=removed[3], added=regions),
            route=graph.route if part is not None and part.node.kind == "root" else UNSET,
        )

    def change(self, key: str, delta: FrameDelta) -> PageGraphDelta:
        """A published document changed."""
        part = self.parts[key]
        self._remember(part, delta)
        root = part.node.kind == "root"
        if root and delta.route:
            self.route = delta.route
        return self._next(
            documents=delta.documents,
            scopes=delta.scopes,
            elements=self._unique_elements(delta.elements),
            collections=delta.collections,
            opaque_regions=self._instead_of_ours(delta.opaque_regions),
            route=delta.route if root else UNSET,
            viewport=delta.viewport if root else UNSET,
        )

    def retire(self, keys: Iterable[str]) -> PageGraphDelta | None:
        """Child documents are gone with everything in them."""
        parts = [self.parts.pop(key) for key in keys if key in self.parts]
        if not parts:
            return None
        return self._next(
            documents=_node_delta(removed=[part.node.document_id for part in parts]),
            elements=_node_delta(removed=_all(part.elements for part in parts)),
            scopes=_node_delta(removed=_all(part.scopes for part in parts)),
            collections=_node_delta(removed=_all(part.collections for part in parts)),
            opaque_regions=_node_delta(removed=_all(part.regions for part in parts)),
        )

    # ------------------------------------------------------------------ inside

    def _next(self, **members: Any) -> PageGraphDelta:
        base = self.revision
        self.seq += 1
        focus, modal = self._overall()
        if focus != self._focus:
            members["focus"] = focus
        if modal != self._modal:
            members["modal_stack"] = modal
        self._focus, self._modal = focus, modal
        delta = PageGraphDelta(
            base_revision=base, revision=self.revision, seq=self.seq, captured_at=self._now(), **members
        )
        self._pending.append(delta)
        if len(self._pending) >= MOST_PENDING:
            self._catch_up()
        return delta

    def _remember(self, part: Part, delta: FrameDelta) -> None:
        _follow(part.elements, delta.elements, lambda node: node.instance_id)
        _follow(part.scopes, delta.scopes, lambda node: node.scope_id)
        _follow(part.collections, delta.collections, lambda node: node.collection_id)
        _follow(part.regions, delta.opaque_regions, lambda node: node.region_id)
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
        added = tuple(_unique(delta.added or (), taken))
        for node in added:
            if node.stable_id:
                self.parts[node.document_id].stable[node.instance_id] = node.stable_id
        return replace(delta, added=added)

    def _boundary(self, part: Part) -> tuple[OpaqueRegion, ...]:
        """The region of a frame we may not enter, unless its host's publisher already told of it."""
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

    def _instead_of_ours(
        self, delta: NodeDelta[OpaqueRegion] | UnsetType
    ) -> NodeDelta[OpaqueRegion] | UnsetType:
        """The publisher now tells of a frame itself: its region takes the place of ours."""
        if not delta or not delta.added:
            return delta
        told = {region.host_instance_id for region in delta.added}
        ours = []
        for part in self.parts.values():
            own = f"{part.node.document_id}o"
            if part.node.host_instance_id in told and own in part.regions:
                part.regions.discard(own)
                ours.append(own)
        return replace(delta, removed=(*(delta.removed or ()), *ours) or UNSET)

    @property
    def truncated(self) -> Truncation | None:
        """How much is left out, over all documents."""
        left_out = [part.truncated for part in self.parts.values() if part.truncated]
        omitted = sum(one.omitted_elements for one in left_out)
        return replace(left_out[0], omitted_elements=omitted) if left_out else None

    def _stable_ids(self) -> set[str]:
        return {stable_id for part in self.parts.values() for stable_id in part.stable.values()}

    def _opaque_documents(self) -> tuple[DocumentNode, ...]:
        return tuple(part.node for part in self.parts.values() if part.node.access == "opaque")

    def _overall(self) -> tuple[FocusInfo | None, tuple[str, ...]]:
        """Focus follows the frame elements inwards; dialogs of inner documents stand above the outer ones."""
        root = self.root
        focus = root.focus if root else None
        hosts = {
            part.node.host_instance_id: part for part in self.parts.values() if part.node.host_instance_id
        }
        seen: set[str] = set()
        while focus and focus.target in hosts and focus.target not in seen:
            seen.add(str(focus.target))
            inner = hosts[focus.target].focus
            if inner is None:
                break
            focus = inner
        return focus, tuple(scope for part in self.parts.values() for scope in part.modal)


def _joined(groups: Iterable[tuple[N, ...]]) -> tuple[N, ...]:
    return tuple(node for group in groups for node in group)


def _all(groups: Iterable[set[str]]) -> set[str]:
    return {key for group in groups for key in group}


def _node_delta(
    *, removed: Iterable[str] = (), added: tuple[N, ...] = (), updated: tuple[NodePatch, ...] = ()
) -> NodeDelta[N] | UnsetType:
    gone = tuple(removed)
    if not gone and not added and not updated:
        return UNSET
    return NodeDelta(removed=gone or UNSET, added=added or UNSET, updated=updated or UNSET)


def _renewed(part: Part | None, node: DocumentNode) -> tuple[NodePatch, ...]:
    if part is None or part.node == node:
        return ()
    patch = {"url": node.url or None, "title": node.title or None, "access": node.access}
    return (NodePatch(key=node.document_id, patch=patch),)


def _follow(known: set[str], delta: NodeDelta[N] | UnsetType, key: Callable[[N], str]) -> None:
    if delta:
        known.difference_update(delta.removed or ())
        known.update(key(node) for node in delta.added or ())


def _unique(elements: Iterable[ElementNode], taken: set[str]) -> Iterator[ElementNode]:
    """companions §4.3: of two elements with one stableId the later loses it and says so."""
    for node in elements:
        if node.stable_id and node.stable_id in taken:
            told = {**(node.metadata or {}), "duplicateStableId": node.stable_id}
            yield replace(node, stable_id=UNSET, metadata=told)
            continue
        if node.stable_id:
            taken.add(node.stable_id)
        yield node


def _without_place(node: ElementNode) -> ElementNode:
    """A whole graph is in order by itself; a place that was true for one delta would only mislead."""
    if not node.metadata or "after" not in node.metadata:
        return node
    rest = {name: value for name, value in node.metadata.items() if name != "after"}
    return replace(node, metadata=rest or UNSET)
