from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.spec.web import ElementHints, PageGraph, SnapshotOptions


def element(number: int, **members: Any) -> dict[str, Any]:
    return {
        "instanceId": f"d1e{number}",
        "documentId": "d1",
        "role": "textbox",
        "text": "words",
        "state": {"textValue": "typed"},
        "affordances": [],
        "bbox": {"x": 0, "y": 0, "width": 1, "height": 1},
        **members,
    }


GRAPH = msgspec.convert(
    {
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "revision": "rev_1",
        "seq": 1,
        "capturedAt": "2026-01-01T00:00:00Z",
        "route": {"url": "http://x/"},
        "documents": [{"documentId": "d1", "kind": "root", "access": "full"}],
        "scopes": [{"scopeId": "s1", "kind": "form", "documentId": "d1"}],
        "elements": [
            element(1),
            element(2, parentInstanceId="d1e1", scopeId="s1"),
            element(3, documentId="d2"),
        ],
        "collections": [{"collectionId": "c", "ownerInstanceId": "d1e1", "role": "list", "count": 1}],
    },
    PageGraph,
)


def ids(graph: PageGraph) -> list[str]:
    return [node.instance_id for node in graph.elements]


def test_no_options_change_nothing() -> None:
    assert apply_snapshot_options(GRAPH, None) is GRAPH
    assert apply_snapshot_options(GRAPH, SnapshotOptions()).elements == GRAPH.elements


def test_documents_and_scopes_select_their_elements() -> None:
    assert ids(apply_snapshot_options(GRAPH, SnapshotOptions(document_ids=("d2",)))) == ["d1e3"]
    assert ids(apply_snapshot_options(GRAPH, SnapshotOptions(scope_ids=("s1",)))) == ["d1e2"]


def test_hidden_elements_and_hints_are_left_out_on_request() -> None:
    hints = msgspec.convert({"css": "#a"}, ElementHints)
    first, hidden, *rest = GRAPH.elements
    unseen = replace(hidden, state=replace(hidden.state, visible=False))
    graph = replace(GRAPH, elements=(replace(first, hints=hints), unseen, *rest))
    shown = apply_snapshot_options(graph, SnapshotOptions(include_hidden=False, include_hints=False))
    assert ids(shown) == ["d1e1", "d1e3"] and shown.elements[0].hints is UNSET
    assert apply_snapshot_options(graph, SnapshotOptions(include_hidden=True)).elements == graph.elements


def test_references_to_omitted_elements_are_dropped() -> None:
    graph = apply_snapshot_options(GRAPH, SnapshotOptions(scope_ids=("s1",)))
    assert graph.elements[0].parent_instance_id is msgspec.UNSET
    assert graph.collections is msgspec.UNSET


def test_truncation_at_max_elements_is_reported() -> None:
    graph = apply_snapshot_options(GRAPH, SnapshotOptions(max_elements=1))
    assert ids(graph) == ["d1e1"]
    assert graph.truncated and graph.truncated.omitted_elements == 2


def test_text_values_and_boxes_are_omitted_on_request() -> None:
    options = SnapshotOptions(include_text=False, include_bbox=False, values="none")
    first = apply_snapshot_options(GRAPH, options).elements[0]
    assert (first.text, first.bbox, first.state.text_value) == (msgspec.UNSET,) * 3
