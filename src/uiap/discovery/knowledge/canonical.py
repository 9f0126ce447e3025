"""The canonical form of a page: numbered in reading order, without times, positions and session-specific data.

The same state gives the same bytes, whether a click or an address led to it. `CanonicalPage.live_ids` maps a number
back to the instance id in the live page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.safety.redaction import redact_graph
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode, FocusInfo, PageGraph

_NO_TIME = "1970-01-01T00:00:00.000Z"
_GENERATED_ID = re.compile(r"d\d+[sec]\w*|s\d+")
_TRANSIENT_METADATA = ("after", "was", "closedShadowCandidate")


@dataclass(frozen=True, slots=True)
class CanonicalPage:
    graph: PageGraph
    live_ids: Mapping[str, str]
    """Canonical element id to the instance id in the live page."""

    @property
    def data(self) -> bytes:
        return msgspec.json.encode(self.graph, order="sorted")


def canonical_page(store: GraphStore) -> CanonicalPage:
    """Return the canonical page. It is redacted, so that private data never leaves this function."""
    return _Renumbering(store).result()


class _Renumbering:
    def __init__(self, store: GraphStore) -> None:
        self._graph = redact_graph(store.snapshot())
        self._elements = {one.instance_id: f"e{n}" for n, one in enumerate(self._graph.elements, 1)}
        order = {id: n for n, id in enumerate(self._elements)}
        last = len(order)
        frames = sorted(
            self._graph.documents,
            key=lambda one: (one.kind != "root", order.get(one.host_instance_id or "", last)),
        )
        self._graph = msgspec.structs.replace(self._graph, documents=tuple(frames))
        self._documents = {one.document_id: f"doc{n}" for n, one in enumerate(frames, 1)}
        self._scope_order = sorted(
            self._graph.scopes, key=lambda one: (order.get(one.host_instance_id or "", last), one.scope_id)
        )
        self._scopes: dict[str, str] = {}
        for n, one in enumerate(self._scope_order, 1):
            made_up = one.source != "annotation" and _GENERATED_ID.fullmatch(one.scope_id)
            self._scopes[one.scope_id] = f"s{n}" if made_up else one.scope_id
        self._order, self._last = order, last

    def result(self) -> CanonicalPage:
        graph = self._graph
        collections = sorted(
            graph.collections or (), key=lambda one: self._order.get(one.owner_instance_id, self._last)
        )
        regions = sorted(
            graph.opaque_regions or (),
            key=lambda one: (self._order.get(one.host_instance_id or "", self._last), one.kind),
        )
        graph = msgspec.structs.replace(
            graph,
            revision="rev_0",
            seq=0,
            captured_at=_NO_TIME,
            viewport=UNSET,
            metadata=UNSET,
            documents=tuple(map(self._document, graph.documents)),
            scopes=tuple(self._scope(one) for one in self._scope_order),
            elements=tuple(self._element(one) for one in graph.elements),
            collections=tuple(
                msgspec.structs.replace(
                    one,
                    collection_id=f"c{n}"
                    if _GENERATED_ID.fullmatch(one.collection_id)
                    else one.collection_id,
                    owner_instance_id=self._elements.get(one.owner_instance_id, ""),
                    signature=UNSET,
                )
                for n, one in enumerate(collections, 1)
            ),
            opaque_regions=tuple(
                msgspec.structs.replace(
                    one,
                    region_id=f"o{n}",
                    document_id=self._documents.get(one.document_id, ""),
                    host_instance_id=self._ref(one.host_instance_id),
                    scope_id=self._scope_ref(one.scope_id),
                    bbox=UNSET,
                )
                for n, one in enumerate(regions, 1)
            ),
            focus=self._focus(graph.focus),
            modal_stack=tuple(self._scopes.get(one, one) for one in graph.modal_stack or ()) or UNSET,
        )
        return CanonicalPage(graph, {number: id for id, number in self._elements.items()})

    def _document(self, one: Any) -> Any:
        return msgspec.structs.replace(
            one,
            document_id=self._documents[one.document_id],
            parent_document_id=self._documents.get(one.parent_document_id, UNSET)
            if one.parent_document_id
            else UNSET,
            host_instance_id=self._ref(one.host_instance_id),
            frame_rect=UNSET,
        )

    def _scope(self, one: Any) -> Any:
        return msgspec.structs.replace(
            one,
            scope_id=self._scopes[one.scope_id],
            document_id=self._documents.get(one.document_id, ""),
            parent_scope_id=self._scope_ref(one.parent_scope_id),
            host_instance_id=self._ref(one.host_instance_id),
            bbox=UNSET,
        )

    def _element(self, one: ElementNode) -> ElementNode:
        return msgspec.structs.replace(
            one,
            instance_id=self._elements[one.instance_id],
            document_id=self._documents.get(one.document_id, ""),
            scope_id=self._scope_ref(one.scope_id),
            parent_instance_id=self._ref(one.parent_instance_id),
            shadow_host_instance_id=self._ref(one.shadow_host_instance_id),
            state=_stable_state(one),
            bbox=UNSET,
            hints=UNSET,
            metadata=_stable_metadata(one.metadata),
        )

    def _ref(self, id: Any) -> Any:
        return self._elements.get(id, UNSET) if id else UNSET

    def _scope_ref(self, id: Any) -> Any:
        return self._scopes.get(id, UNSET) if id else UNSET

    def _focus(self, focus: Any) -> Any:
        if not focus:
            return UNSET
        return FocusInfo(target=self._ref(focus.target), stable_id=focus.stable_id)


def _stable_state(one: ElementNode) -> Any:
    """Return the state without pointer, focus and viewport, which are not part of a discovered state."""
    return msgspec.structs.replace(
        one.state,
        focused=UNSET,
        hovered=UNSET,
        obscured=UNSET,
        in_viewport=UNSET,
        stable=UNSET,
        attached=UNSET,
    )


def _stable_metadata(metadata: Any) -> Any:
    if not metadata:
        return UNSET
    return {key: value for key, value in metadata.items() if key not in _TRANSIENT_METADATA} or UNSET
