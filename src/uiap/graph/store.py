"""The current graph of one tab: maps, indices and the recent steps. A revision is never copied as a whole.

A delta that does not fit changes nothing and asks for a snapshot. The store sends nothing itself: the caller acts on
`NeedsResync`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from weakref import WeakSet

import msgspec
from msgspec import UNSET, UnsetType

from uiap.graph.baseline import Baseline
from uiap.graph.changes import KEY_OF, KINDS, Changes, GraphNode, NodeKind
from uiap.graph.history import History, PageFacts, RevisionStep, net_changes
from uiap.graph.index import ElementIndex, ScopeIndex
from uiap.graph.known_names import KnownNames
from uiap.graph.plan import DeltaPlan, InvalidDelta
from uiap.graph.tree import DocumentTree
from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    ElementNode,
    FocusInfo,
    OpaqueRegion,
    PageGraph,
    PageGraphDelta,
    RouteInfo,
    ScopeNode,
    SnapshotReason,
    ViewportInfo,
)


@dataclass(frozen=True, slots=True)
class Applied:
    """The snapshot or delta is in the store."""

    revision: str
    seq: int
    touched: int
    """The number of nodes that were added, removed or updated."""


@dataclass(frozen=True, slots=True)
class NeedsResync:
    """The store is unchanged. The caller must request a snapshot with at least this `seq`."""

    reason: str
    seq: int


class GraphStore:
    """The nodes of the current revision, with indices, document order and history."""

    def __init__(self, graph: PageGraph | None = None, *, keep: int = 256) -> None:
        self._tables: dict[NodeKind, dict[str, Any]] = {kind: {} for kind in KINDS}
        self.index, self.scope_index, self.tree = ElementIndex(), ScopeIndex(), DocumentTree()
        self.documents: Mapping[str, DocumentNode] = MappingProxyType(self._tables["documents"])
        self.scopes: Mapping[str, ScopeNode] = MappingProxyType(self._tables["scopes"])
        self.elements: Mapping[str, ElementNode] = MappingProxyType(self._tables["elements"])
        self.collections: Mapping[str, CollectionNode] = MappingProxyType(self._tables["collections"])
        self.opaque_regions: Mapping[str, OpaqueRegion] = MappingProxyType(self._tables["opaque_regions"])
        self._history = History(keep)
        self._baselines: WeakSet[Baseline] = WeakSet()
        self._facts = PageFacts(RouteInfo(url=""), UNSET, None, ())
        self._snapshot_members: PageGraph | None = None
        self._awaited_seq: int | None = None
        self.revision, self.seq, self.captured_at = "", -1, ""
        self.known_names: KnownNames | None = None
        """The names of a bundle for elements and scopes that the page does not name."""
        self._clear()
        if graph is not None:
            self.load(graph)

    # Facts of the revision that belong to no node

    @property
    def route(self) -> RouteInfo:
        return self._facts.route

    @property
    def viewport(self) -> ViewportInfo | UnsetType:
        return self._facts.viewport

    @property
    def focus(self) -> FocusInfo | None:
        return self._facts.focus

    @property
    def modal_stack(self) -> tuple[str, ...]:
        """The open modal scopes, bottom to top, without scopes that are not in the graph."""
        return tuple(scope for scope in self._facts.modal_stack if scope in self.scopes)

    @property
    def snapshot_members(self) -> PageGraph | None:
        """The snapshot members that deltas do not carry: profile, redacted, truncated, metadata."""
        return self._snapshot_members

    @property
    def needs_resync(self) -> bool:
        return self._awaited_seq is not None

    # Changing

    def load(self, graph: PageGraph, reason: SnapshotReason = "initial") -> Applied | NeedsResync:
        """Replace the graph by a snapshot. A resync keeps the history, a new page starts a new one."""
        same_page = reason in ("resync", "requested") and self._snapshot_members is not None
        if same_page and self._awaited_seq is not None and graph.seq < self._awaited_seq:
            # only a snapshot at least as new as the dropped delta ends the resync
            return NeedsResync(
                f"the snapshot `{graph.revision}` is older than the dropped delta", self._awaited_seq
            )
        if same_page and graph.seq < self.seq:
            return Applied(self.revision, self.seq, 0)  # an older snapshot would undo later deltas
        step = self._step() if same_page else None
        before = {kind: dict(table) for kind, table in self._tables.items()} if same_page else {}
        for baseline in self._baselines:
            baseline.record_replacement()
        self._clear()
        for kind in KINDS:
            if kind != "elements":
                for node in getattr(graph, kind) or ():
                    self._add(kind, getattr(node, KEY_OF[kind]), node)
        for element in self._load_elements(graph.elements):
            self._move_to_parent(element)
        self._snapshot_members = msgspec.structs.replace(
            graph,
            documents=graph.documents[:1],
            scopes=(),
            elements=(),
            collections=UNSET,
            opaque_regions=UNSET,
        )
        self._set_revision(graph)
        self._facts = PageFacts(graph.route, graph.viewport, graph.focus or None, graph.modal_stack or ())
        self._awaited_seq = None
        if step is None:
            self._history.clear()
        elif step.base != graph.revision:
            _record_differences(step, before, self._tables)
            self._history.push(step)
        return Applied(graph.revision, graph.seq, sum(map(len, self._tables.values())))

    def apply(self, delta: PageGraphDelta) -> Applied | NeedsResync:
        """Apply a delta completely, or not at all."""
        if self._awaited_seq is not None:
            return self._request_snapshot("the store waits for a snapshot", delta)
        if self._snapshot_members is None or delta.base_revision != self.revision:
            return self._request_snapshot(
                f"the delta starts from `{delta.base_revision}`, the store is at `{self.revision}`", delta
            )
        if delta.seq <= self.seq:
            return self._request_snapshot(f"the delta has seq {delta.seq}, the store is at {self.seq}", delta)
        try:
            plan = DeltaPlan(self._tables, self._dependents, delta)
        except InvalidDelta as invalid:
            return self._request_snapshot(str(invalid), delta)
        step = self._step()
        self._commit(plan, step)
        for baseline in self._baselines:
            baseline.record_step(step.nodes)
        self._facts = _facts_after(self._facts, delta)
        self._set_revision(delta)
        self._history.push(step)
        return Applied(delta.revision, delta.seq, step.size)

    def adopt(self, other: GraphStore) -> None:
        """Replace the graph by that of another store, which was loaded elsewhere and is not used any more."""
        for baseline in self._baselines:
            baseline.record_replacement()
        self._tables = other._tables
        self.documents, self.scopes, self.elements = other.documents, other.scopes, other.elements
        self.collections, self.opaque_regions = other.collections, other.opaque_regions
        self.index, self.scope_index, self.tree = other.index, other.scope_index, other.tree
        self._snapshot_members, self._facts = other._snapshot_members, other._facts
        self.revision, self.seq, self.captured_at = other.revision, other.seq, other.captured_at
        self._awaited_seq = None
        self._history.clear()

    # Reading

    def snapshot(self) -> PageGraph:
        """Return the current graph as one value, elements in document order."""
        if self._snapshot_members is None:
            raise LookupError("the store is empty; load a snapshot first")
        optional = {
            kind: tuple(self._tables[kind].values())
            or (UNSET if getattr(self._snapshot_members, kind) is UNSET else ())
            for kind in ("collections", "opaque_regions")
        }
        return msgspec.structs.replace(
            self._snapshot_members,
            revision=self.revision,
            seq=self.seq,
            captured_at=self.captured_at,
            route=self.route,
            viewport=self.viewport,
            focus=self.focus or UNSET,
            modal_stack=self._facts.modal_stack or UNSET,
            documents=tuple(self.documents.values()),
            scopes=tuple(self.scopes.values()),
            elements=tuple(self),
            **optional,
        )

    def baseline(self) -> Baseline:
        """Return a baseline of the current nodes. It records changes until it is released."""
        baseline = Baseline(self._tables)
        self._baselines.add(baseline)
        return baseline

    def release(self, baseline: Baseline) -> None:
        """Stop recording changes for a baseline."""
        self._baselines.discard(baseline)

    def since(self, revision: str) -> Changes | None:
        """Return the net change from a revision to now, or None if the history does not reach back to it."""
        steps = [] if revision == self.revision else self._history.after(revision)
        return (
            None if steps is None else net_changes(revision, self.revision, steps, self._tables, self._facts)
        )

    def __iter__(self) -> Iterator[ElementNode]:
        """Yield all elements in document order."""
        return (self.elements[key] for key in self.tree.walk())

    def __len__(self) -> int:
        return len(self.elements)

    def element(self, ref: str) -> ElementNode | None:
        """Return the element with this instance id, which is its ref in an outline, or None."""
        return self.elements.get(ref)

    def current(self, ref: str) -> ElementNode | None:
        """Return the element, or the one that replaced it. A framework may replace an element more than once."""
        passed: set[str] = set()
        while ref not in self.elements and ref not in passed:
            passed.add(ref)
            ref = self.index.replaced_by.get(ref, ref)
        return self.elements.get(ref)

    def scope(self, scope_id: str) -> ScopeNode | None:
        return self.scopes.get(scope_id)

    def scopes_called(self, id: str) -> frozenset[str]:
        """Return the ids of the scopes that an id means: the page's own, a stable id, or one of a bundle."""
        if id in self.scopes:
            return frozenset((id,))
        found = frozenset(self.scope_index.by_stable_id[id])
        return found if found or self.known_names is None else self.known_names.scopes(self, id)

    def elements_called(self, stable_id: str) -> tuple[ElementNode, ...]:
        """Return the elements with this stable id, else those that a bundle means by it."""
        found = self.by_stable_id(stable_id)
        return found if found or self.known_names is None else self.known_names.elements(self, stable_id)

    def by_stable_id(self, stable_id: str) -> tuple[ElementNode, ...]:
        """Return the elements with this stable id. A page may repeat an id: the caller must not just take the first."""
        return self._elements(self.tree.in_order(self.index.by_stable_id[stable_id]))

    def by_role(self, role: str) -> tuple[ElementNode, ...]:
        return self._elements(self.tree.in_order(self.index.by_role[role]))

    def names(self, role: str) -> Mapping[str, str]:
        """Return the normalised names of one role by instance id."""
        return self.index.names(role, self.elements)

    def by_scope(self, scope_id: str) -> tuple[ElementNode, ...]:
        """Return the elements directly in this scope."""
        return self._elements(self.tree.in_order(self.index.by_scope[scope_id]))

    def by_record(self, key: str) -> tuple[ElementNode, ...]:
        """Return the elements with this published record key."""
        return self._elements(self.tree.in_order(self.index.by_record[key]))

    def form_parts(self, inside: str | None = None) -> tuple[ElementNode, ...]:
        """Return the fields and senders of the page, or those inside an element, in document order."""
        found = list(self.index.form_parts)
        if inside is not None:
            found = self.tree.only_inside(inside, found)
        return self._elements(self.tree.in_order(found))

    def children(self, ref: str) -> tuple[ElementNode, ...]:
        return self._elements(self.tree.children(ref))

    def below(self, ref: str) -> Iterator[ElementNode]:
        """Yield all elements inside an element, in document order."""
        return (self.elements[key] for key in self.tree.walk(ref))

    def ancestors(self, ref: str) -> Iterator[ElementNode]:
        """Yield the ancestors of an element, nearest first."""
        return (self.elements[key] for key in self.tree.ancestors(ref))

    # Updating maps, indices and document order together

    def _elements(self, keys: Iterable[str]) -> tuple[ElementNode, ...]:
        return tuple(self.elements[key] for key in keys)

    def _clear(self) -> None:
        for table in self._tables.values():
            table.clear()
        self.index, self.scope_index, self.tree = ElementIndex(), ScopeIndex(), DocumentTree()

    def _set_revision(self, of: PageGraph | PageGraphDelta) -> None:
        self.revision, self.seq, self.captured_at = of.revision, of.seq, of.captured_at

    def _step(self) -> RevisionStep:
        return RevisionStep(self.revision, self._facts)

    def _request_snapshot(self, reason: str, delta: PageGraphDelta) -> NeedsResync:
        self._awaited_seq = max(self._awaited_seq or 0, delta.seq)
        return NeedsResync(reason, self._awaited_seq)

    def _commit(self, plan: DeltaPlan, step: RevisionStep) -> None:
        for kind, nodes in plan.nodes.items():
            before: dict[str, GraphNode | None] = {}
            for key in (*nodes.removed, *nodes.added, *nodes.updated):
                before.setdefault(key, self._tables[kind].get(key))
            step.nodes[kind] = before
            for key in nodes.removed:
                if key not in nodes.added:  # a node that is replaced keeps its descendants
                    self._remove(kind, key)
            for key, node in nodes.added.items():
                if key in nodes.removed:
                    self._update(kind, node, moved=True)
                else:
                    self._add(kind, key, node)
            for node in nodes.updated.values():
                self._update(kind, node)
        for key in plan.nodes["elements"].added if "elements" in plan.nodes else ():
            self._move_to_parent(self.elements[key])

    def _add(self, kind: NodeKind, key: str, node: Any) -> bool:
        """Add a node. Return False for an element whose parent is not in the graph yet."""
        table = self._tables[kind]
        if key in table:  # only a snapshot can repeat a key: the first one counts
            return True
        table[key] = node
        if kind == "scopes":
            self.scope_index.add(node)
        elif kind == "documents":
            self.tree.set_host(key, node.host_instance_id or None)
        if kind != "elements":
            return True
        parent = node.parent_instance_id or None
        early = parent is not None and parent not in self.tree
        self.index.add(node)
        self.tree.append(key, parent, node.document_id)
        if node.metadata is not UNSET:
            self._apply_sibling_order(node)
        return not early

    def _load_elements(self, elements: Iterable[ElementNode]) -> list[ElementNode]:
        """Add all elements of a snapshot. Return those whose parent comes later in the snapshot.

        The order of a snapshot counts. A position in `metadata.after` may be older: it came with a delta.
        """
        table, tree, late, loaded = self._tables["elements"], self.tree, [], []
        for node in elements:
            key = node.instance_id
            if key in table:  # only a snapshot can repeat a key: the first one counts
                continue
            table[key] = node
            parent = node.parent_instance_id or None
            if parent is not None and parent not in table:
                late.append(node)
            loaded.append(node)
            tree.append(key, parent, node.document_id)
        self.index.load(loaded)
        return late

    def _apply_sibling_order(self, element: ElementNode) -> None:
        """Move an element behind the sibling that its publisher names in `metadata.after`. Null means first."""
        if element.metadata is not UNSET and "after" in element.metadata:
            sibling = element.metadata["after"]
            if sibling is None or isinstance(sibling, str):
                self.tree.put_after(element.instance_id, sibling)

    def _remove(self, kind: NodeKind, key: str) -> None:
        node = self._tables[kind].pop(key)
        if kind == "scopes":
            self.scope_index.discard(node)
        elif kind == "documents":
            self.tree.set_host(key, None)
        elif kind == "elements":
            self.index.discard(node)
            self.tree.remove(key)

    def _move_to_parent(self, element: ElementNode) -> None:
        """Move an element below its parent, which the publisher may have sent later."""
        parent = element.parent_instance_id or None
        if parent is not None and self.tree.parent(element.instance_id) != parent:
            self.tree.move(element.instance_id, parent, element.document_id)

    def _update(self, kind: NodeKind, node: Any, *, moved: bool = False) -> None:
        key = getattr(node, KEY_OF[kind])
        old = self._tables[kind][key]
        self._tables[kind][key] = node
        if kind == "scopes":
            self.scope_index.discard(old)
            self.scope_index.add(node)
        elif kind == "documents":
            self.tree.set_host(key, node.host_instance_id or None)
        elif kind == "elements":
            self.index.replace(old, node)
            parent = (node.parent_instance_id, node.document_id)
            if moved or parent != (old.parent_instance_id, old.document_id):
                self.tree.move(key, node.parent_instance_id or None, node.document_id)
                self._apply_sibling_order(node)

    def _dependents(self, kind: NodeKind, key: str) -> Iterator[tuple[NodeKind, str]]:
        if kind == "elements":
            yield from (("elements", child) for child in self.tree.children(key))
        elif kind == "scopes":
            yield from (("elements", member) for member in self.index.by_scope[key])
            yield from (("scopes", child) for child in self.scope_index.by_parent[key])
        elif (
            kind == "documents"
        ):  # rare: a removed frame removes its whole page, so all nodes are checked anyway
            kinds: tuple[NodeKind, ...] = ("elements", "scopes", "documents")
            yield from ((other, node) for other in kinds for node in self._tables[other])


def _facts_after(facts: PageFacts, delta: PageGraphDelta) -> PageFacts:
    return PageFacts(
        route=facts.route if delta.route is UNSET else delta.route,
        viewport=facts.viewport if delta.viewport is UNSET else delta.viewport,
        focus=facts.focus if delta.focus is UNSET else delta.focus,
        modal_stack=facts.modal_stack if delta.modal_stack is UNSET else delta.modal_stack,
    )


def _record_differences(
    step: RevisionStep,
    before: Mapping[NodeKind, Mapping[str, Any]],
    now: Mapping[NodeKind, Mapping[str, Any]],
) -> None:
    """Record a resync as one step with the nodes that differ."""
    for kind, nodes in before.items():
        changed_nodes = {key: node for key, node in nodes.items() if now[kind].get(key) != node}
        added_nodes = {key: None for key in now[kind] if key not in nodes}
        step.nodes[kind] = changed_nodes | added_nodes
