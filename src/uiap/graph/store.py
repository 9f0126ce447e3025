"""The current graph of one tab: mutable maps, indices and a ring of steps, never a copy per revision.

A delta that does not fit changes nothing and asks for a snapshot (companions §4.6). Knows no browser and sends
nothing: the caller acts on `NeedsResync`.
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
    revision: str
    seq: int
    touched: int
    """How many nodes were added, removed or updated."""


@dataclass(frozen=True, slots=True)
class NeedsResync:
    """The graph is unchanged; ask for a snapshot whose `seq` is at least this."""

    reason: str
    seq: int


class GraphStore:
    def __init__(self, graph: PageGraph | None = None, *, keep: int = 256) -> None:
        self._tables: dict[NodeKind, dict[str, Any]] = {kind: {} for kind in KINDS}
        self.documents: Mapping[str, DocumentNode] = MappingProxyType(self._tables["documents"])
        self.scopes: Mapping[str, ScopeNode] = MappingProxyType(self._tables["scopes"])
        self.elements: Mapping[str, ElementNode] = MappingProxyType(self._tables["elements"])
        self.collections: Mapping[str, CollectionNode] = MappingProxyType(self._tables["collections"])
        self.opaque_regions: Mapping[str, OpaqueRegion] = MappingProxyType(self._tables["opaque_regions"])
        self._history = History(keep)
        self._baselines: WeakSet[Baseline] = WeakSet()
        self._facts = PageFacts(RouteInfo(url=""), UNSET, None, ())
        self._frame: PageGraph | None = None
        self._awaited: int | None = None
        self.revision, self.seq, self.captured_at = "", -1, ""
        self._clear()
        if graph is not None:
            self.load(graph)

    # What the revision says outside its nodes

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
        """Bottom to top; only scopes that are there."""
        return tuple(scope for scope in self._facts.modal_stack if scope in self.scopes)

    @property
    def frame(self) -> PageGraph | None:
        """The snapshot members that deltas do not carry: profile, redacted, truncated, metadata."""
        return self._frame

    @property
    def needs_resync(self) -> bool:
        return self._awaited is not None

    # Changing

    def load(self, graph: PageGraph, reason: SnapshotReason = "initial") -> Applied | NeedsResync:
        """Take a whole graph. A resync keeps the history; a new page starts one."""
        same_page = reason in ("resync", "requested") and self._frame is not None
        if same_page and self._awaited is not None and graph.seq < self._awaited:
            # companions §4.6: only a snapshot at least as new as the dropped delta ends the waiting
            return NeedsResync(
                f"the snapshot `{graph.revision}` is older than the dropped delta", self._awaited
            )
        if same_page and graph.seq < self.seq:
            return Applied(self.revision, self.seq, 0)  # it would bring back what a later delta changed
        step = self._step() if same_page else None
        before = {kind: dict(table) for kind, table in self._tables.items()} if same_page else {}
        for baseline in self._baselines:
            baseline.left()
        self._clear()
        for kind in KINDS:
            if kind != "elements":
                for node in getattr(graph, kind) or ():
                    self._add(kind, getattr(node, KEY_OF[kind]), node)
        for element in self._fill(graph.elements):
            self._reseat(element)
        self._frame = msgspec.structs.replace(
            graph,
            documents=graph.documents[:1],
            scopes=(),
            elements=(),
            collections=UNSET,
            opaque_regions=UNSET,
        )
        self._stamp(graph)
        self._facts = PageFacts(graph.route, graph.viewport, graph.focus or None, graph.modal_stack or ())
        self._awaited = None
        if step is None:
            self._history.clear()
        elif step.base != graph.revision:
            _record(step, before, self._tables)
            self._history.push(step)
        return Applied(graph.revision, graph.seq, sum(map(len, self._tables.values())))

    def apply(self, delta: PageGraphDelta) -> Applied | NeedsResync:
        """Take the step to the next revision, or none at all."""
        if self._awaited is not None:
            return self._lost("a snapshot is awaited", delta)
        if self._frame is None or delta.base_revision != self.revision:
            return self._lost(
                f"the delta starts from `{delta.base_revision}`, we hold `{self.revision}`", delta
            )
        if delta.seq <= self.seq:
            return self._lost(f"the delta has seq {delta.seq}, we hold {self.seq}", delta)
        try:
            plan = DeltaPlan(self._tables, self._dependents, delta)
        except InvalidDelta as broken:
            return self._lost(str(broken), delta)
        step = self._step(delta)
        self._commit(plan, step)
        for baseline in self._baselines:
            baseline.stepped(step.nodes)
        self._facts = _facts_after(self._facts, delta)
        self._stamp(delta)
        self._history.push(step)
        return Applied(delta.revision, delta.seq, step.size)

    # Reading

    def snapshot(self) -> PageGraph:
        """The graph as one value, elements in document order."""
        if self._frame is None:
            raise LookupError("no graph was loaded yet; load a snapshot first")
        optional = {
            kind: tuple(self._tables[kind].values()) or (UNSET if getattr(self._frame, kind) is UNSET else ())
            for kind in ("collections", "opaque_regions")
        }
        return msgspec.structs.replace(
            self._frame,
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
        """The nodes as they are now, to be asked later; what happens after `release` is not told it."""
        baseline = Baseline(self._tables)
        self._baselines.add(baseline)
        return baseline

    def release(self, baseline: Baseline) -> None:
        self._baselines.discard(baseline)

    def since(self, revision: str) -> Changes | None:
        """The net change from a revision to now; None when the ring no longer reaches it."""
        steps = [] if revision == self.revision else self._history.after(revision)
        return (
            None if steps is None else net_changes(revision, self.revision, steps, self._tables, self._facts)
        )

    def __iter__(self) -> Iterator[ElementNode]:
        """Every element in document order."""
        return (self.elements[key] for key in self.tree.walk())

    def __len__(self) -> int:
        return len(self.elements)

    def element(self, ref: str) -> ElementNode | None:
        """By instance id: the short ref an outline prints."""
        return self.elements.get(ref)

    def scope(self, scope_id: str) -> ScopeNode | None:
        return self.scopes.get(scope_id)

    def by_stable_id(self, stable_id: str) -> tuple[ElementNode, ...]:
        """H2: more than one is a page that repeats an id; the caller must not pick silently."""
        return self._elements(self.index.by_stable_id[stable_id])

    def by_role(self, role: str) -> tuple[ElementNode, ...]:
        return self._elements(self.index.by_role[role])

    def names(self, role: str) -> Mapping[str, str]:
        """Normalised names by instance id."""
        return self.index.names(role, self.elements)

    def by_scope(self, scope_id: str) -> tuple[ElementNode, ...]:
        """Directly in this scope."""
        return self._elements(self.index.by_scope[scope_id])

    def by_record(self, key: str) -> tuple[ElementNode, ...]:
        """Carrying this published record key themselves."""
        return self._elements(self.index.by_record[key])

    def children(self, ref: str) -> tuple[ElementNode, ...]:
        return self._elements(self.tree.children(ref))

    def below(self, ref: str) -> Iterator[ElementNode]:
        """Everything inside an element, in document order."""
        return (self.elements[key] for key in self.tree.walk(ref))

    def ancestors(self, ref: str) -> Iterator[ElementNode]:
        """Nearest first."""
        return (self.elements[key] for key in self.tree.ancestors(ref))

    # Keeping the maps in step

    def _elements(self, keys: Iterable[str]) -> tuple[ElementNode, ...]:
        return tuple(self.elements[key] for key in keys)

    def _clear(self) -> None:
        for table in self._tables.values():
            table.clear()
        self.index, self.scope_index, self.tree = ElementIndex(), ScopeIndex(), DocumentTree()

    def _stamp(self, of: PageGraph | PageGraphDelta) -> None:
        self.revision, self.seq, self.captured_at = of.revision, of.seq, of.captured_at

    def _step(self, delta: PageGraphDelta | None = None) -> RevisionStep:
        cause = delta.caused_by if delta is not None else UNSET
        handle = cause.action_handle if cause is not UNSET else UNSET
        return RevisionStep(self.revision, self._facts, action_handle=handle or None)

    def _lost(self, reason: str, delta: PageGraphDelta) -> NeedsResync:
        self._awaited = max(self._awaited or 0, delta.seq)
        return NeedsResync(reason, self._awaited)

    def _commit(self, plan: DeltaPlan, step: RevisionStep) -> None:
        for kind, nodes in plan.nodes.items():
            before: dict[str, GraphNode | None] = {}
            for key in (*nodes.removed, *nodes.added, *nodes.updated):
                before.setdefault(key, self._tables[kind].get(key))
            step.nodes[kind] = before
            for key in nodes.removed:
                if key not in nodes.added:  # what stays below a node that is replaced keeps its place
                    self._remove(kind, key)
            for key, node in nodes.added.items():
                if key in nodes.removed:
                    self._update(kind, node, moved=True)
                else:
                    self._add(kind, key, node)
            for node in nodes.updated.values():
                self._update(kind, node)
        for key in plan.nodes["elements"].added if "elements" in plan.nodes else ():
            self._reseat(self.elements[key])

    def _add(self, kind: NodeKind, key: str, node: Any) -> bool:
        """False: an element that names a parent which is not there yet."""
        table = self._tables[kind]
        if key in table:  # only a snapshot can repeat a key: the first one counts
            return True
        table[key] = node
        if kind == "scopes":
            self.scope_index.add(node)
        if kind != "elements":
            return True
        parent = node.parent_instance_id or None
        early = parent is not None and parent not in self.tree
        self.index.add(node)
        self.tree.append(key, parent, node.document_id)
        if node.metadata is not UNSET:
            self._settle(node)
        return not early

    def _fill(self, elements: Iterable[ElementNode]) -> list[ElementNode]:
        """A whole page at once; back come those that name a parent which stands behind them."""
        table, tree, index, late = self._tables["elements"], self.tree, self.index, []
        for node in elements:
            key = node.instance_id
            if key in table:  # only a snapshot can repeat a key: the first one counts
                continue
            table[key] = node
            parent = node.parent_instance_id or None
            if parent is not None and parent not in table:
                late.append(node)
            index.add(node)
            tree.append(key, parent, node.document_id)
            if node.metadata is not UNSET and "after" in node.metadata:
                self._settle(node)
        return late

    def _settle(self, element: ElementNode) -> None:
        """The publisher may name the sibling in front of an element; null means it comes first."""
        if element.metadata is not UNSET and "after" in element.metadata:
            sibling = element.metadata["after"]
            if sibling is None or isinstance(sibling, str):
                self.tree.put_after(element.instance_id, sibling)

    def _remove(self, kind: NodeKind, key: str) -> None:
        node = self._tables[kind].pop(key)
        if kind == "scopes":
            self.scope_index.discard(node)
        elif kind == "elements":
            self.index.discard(node)
            self.tree.remove(key)

    def _reseat(self, element: ElementNode) -> None:
        """A publisher may name a parent before it sends it."""
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
        elif kind == "elements":
            self.index.replace(old, node)
            place = (node.parent_instance_id, node.document_id)
            if moved or place != (old.parent_instance_id, old.document_id):
                self.tree.move(key, node.parent_instance_id or None, node.document_id)
                self._settle(node)

    def _dependents(self, kind: NodeKind, key: str) -> Iterator[tuple[NodeKind, str]]:
        if kind == "elements":
            yield from (("elements", child) for child in self.tree.children(key))
        elif kind == "scopes":
            yield from (("elements", member) for member in self.index.by_scope[key])
            yield from (("scopes", child) for child in self.scope_index.by_parent[key])
        elif kind == "documents":  # a frame that goes takes its page along, so looking at all is no dearer
            kinds: tuple[NodeKind, ...] = ("elements", "scopes", "documents")
            yield from ((other, node) for other in kinds for node in self._tables[other])


def _facts_after(facts: PageFacts, delta: PageGraphDelta) -> PageFacts:
    return PageFacts(
        route=facts.route if delta.route is UNSET else delta.route,
        viewport=facts.viewport if delta.viewport is UNSET else delta.viewport,
        focus=facts.focus if delta.focus is UNSET else delta.focus,
        modal_stack=facts.modal_stack if delta.modal_stack is UNSET else delta.modal_stack,
    )


def _record(
    step: RevisionStep,
    before: Mapping[NodeKind, Mapping[str, Any]],
    now: Mapping[NodeKind, Mapping[str, Any]],
) -> None:
    """A resync as one step: only the nodes that differ."""
    for kind, nodes in before.items():
        gone = {key: node for key, node in nodes.items() if now[kind].get(key) != node}
        new = {key: None for key in now[kind] if key not in nodes}
        step.nodes[kind] = gone | new
