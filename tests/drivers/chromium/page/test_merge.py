"""Merging documents into one graph: a consumer's store can apply every emitted revision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from uiap.drivers.chromium.page.merge import MAX_PENDING_DELTAS, TabGraph
from uiap.drivers.chromium.page.messages import FrameDelta, FrameGraph
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import DocumentNode, ElementNode, FocusInfo, PageGraphDelta

NOW = "2026-01-01T00:00:00.000Z"


def tab_graph() -> TabGraph:
    return TabGraph(lambda: NOW)


def document(
    key: str, parent: str | None = None, host: str | None = None, access: str = "full"
) -> DocumentNode:
    node: dict[str, Any] = {"documentId": key, "kind": "frame" if parent else "root", "access": access}
    if parent:
        node |= {"parentDocumentId": parent, "hostInstanceId": host}
    return msgspec.convert(node, DocumentNode)


def element(instance_id: str, **members: Any) -> dict[str, Any]:
    key = instance_id.split("e")[0]
    return {
        "instanceId": instance_id,
        "documentId": key,
        "role": "button",
        "state": {},
        "affordances": [],
        **members,
    }


def graph(*elements: dict[str, Any], **members: Any) -> FrameGraph:
    content = {"route": {"url": "http://x/"}, "documents": [], "elements": list(elements), **members}
    return msgspec.convert(content, FrameGraph)


def delta(**members: Any) -> FrameDelta:
    return msgspec.convert(members, FrameDelta)


def root_with_frame() -> tuple[TabGraph, GraphStore]:
    """Return a graph with the root d1 and its frame element d1e2, and the store of a consumer."""
    merged = tab_graph()
    whole = merged.begin(document("d1"), graph(element("d1e1"), element("d1e2"), focus={"target": "d1e1"}))
    return merged, GraphStore(whole)


def test_first_graph_is_revision_one() -> None:
    merged, store = root_with_frame()
    assert (merged.revision, merged.seq, store.revision) == ("rev_1", 1, "rev_1")
    assert list(store.elements) == ["d1e1", "d1e2"]


def test_change_of_a_document_is_one_delta_from_the_previous_revision() -> None:
    merged, store = root_with_frame()
    result = merged.apply_delta("d1", delta(elements={"removed": ["d1e1"], "added": [element("d1e3")]}))
    assert (result.base_revision, result.revision, result.seq) == ("rev_1", "rev_2", 2)
    assert isinstance(store.apply(result), Applied)
    assert list(store.elements) == ["d1e2", "d1e3"]


def test_child_document_joins_and_leaves_with_everything_in_it() -> None:
    merged, store = root_with_frame()
    joined = merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e1")))
    assert isinstance(store.apply(joined), Applied)
    assert list(store.documents) == ["d1", "d2"] and "d2e1" in store.elements
    left = merged.remove_documents(["d2"])
    assert left is not None and isinstance(store.apply(left), Applied)
    assert list(store.documents) == ["d1"] and list(store.elements) == ["d1e1", "d1e2"]


def test_removing_an_unknown_document_is_no_revision() -> None:
    merged, _ = root_with_frame()
    assert merged.remove_documents(["d9"]) is None
    assert merged.seq == 1


def test_route_and_viewport_of_a_child_are_ignored() -> None:
    merged, _ = root_with_frame()
    merged.publish(document("d2", "d1", "d1e2"), graph())
    result = merged.apply_delta(
        "d2", delta(route={"url": "http://x/inner"}, viewport={"width": 1, "height": 1})
    )
    assert result.route is msgspec.UNSET and result.viewport is msgspec.UNSET
    assert merged.route is not None and merged.route.url == "http://x/"


def test_focus_is_followed_into_the_frame() -> None:
    merged, _ = root_with_frame()
    merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e1"), focus={"target": "d2e1"}))
    into = merged.apply_delta("d1", delta(focus={"target": "d1e2"}))
    assert into.focus == FocusInfo(target="d2e1")
    out = merged.apply_delta("d1", delta(focus={"target": "d1e1"}))
    assert out.focus == FocusInfo(target="d1e1")
    assert merged.apply_delta("d1", delta(focus=None)).focus is None


def test_modal_of_an_inner_document_is_above_the_outer_ones() -> None:
    merged, _ = root_with_frame()
    merged.publish(document("d2", "d1", "d1e2"), graph(modalStack=["d2/inner"]))
    assert merged.apply_delta("d1", delta(modalStack=["outer"])).modal_stack == ("outer", "d2/inner")


def test_duplicate_stable_id_is_removed_and_reported() -> None:
    merged = tab_graph()
    merged.begin(document("d1"), graph(element("d1e1", stableId="save"), element("d1e2")))
    result = merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e1", stableId="save")))
    assert result.elements and result.elements.added
    loser: ElementNode = result.elements.added[0]
    assert loser.stable_id is msgspec.UNSET
    assert loser.metadata == {"duplicateStableId": "save"}


def test_opaque_document_has_one_region() -> None:
    merged, store = root_with_frame()
    result = merged.publish(document("d2", "d1", "d1e2", "opaque"), None)
    assert isinstance(store.apply(result), Applied)
    assert [(r.kind, r.host_instance_id, r.document_id) for r in store.opaque_regions.values()] == [
        ("cross_origin_frame", "d1e2", "d1")
    ]
    region = {"regionId": "d1e2o", "kind": "cross_origin_frame", "documentId": "d1", "hostInstanceId": "d1e2"}
    later = merged.apply_delta("d1", delta(opaqueRegions={"added": [region]}))
    assert isinstance(store.apply(later), Applied)
    assert list(store.opaque_regions) == ["d1e2o"]
    assert list(merged.current().documents) == list(store.documents.values())


def test_reread_document_replaces_its_own_nodes_only() -> None:
    merged, store = root_with_frame()
    store.apply(merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e1"))))
    result = merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e5")))
    assert isinstance(store.apply(result), Applied)
    assert sorted(store.elements) == ["d1e1", "d1e2", "d2e5"]


def test_full_reading_is_a_new_revision_for_resync() -> None:
    merged, store = root_with_frame()
    whole = merged.replace_all([(document("d1"), graph(element("d1e7")))])
    assert isinstance(store.load(whole, "resync"), Applied)
    assert list(store.elements) == ["d1e7"] and whole.seq == 2


def test_position_given_in_a_delta_is_not_in_the_whole_graph() -> None:
    merged, _ = root_with_frame()
    moved = element("d1e3", metadata={"after": None, "record": "7"})
    result = merged.apply_delta("d1", delta(elements={"added": [moved]}))
    assert (
        result.elements
        and result.elements.added
        and result.elements.added[0].metadata == {"after": None, "record": "7"}
    )
    assert [node.instance_id for node in merged.current().elements] == ["d1e3", "d1e1", "d1e2"]
    assert merged.current().elements[0].metadata == {"record": "7"}


def test_delta_that_does_not_apply_is_detected() -> None:
    merged, _ = root_with_frame()
    merged.apply_delta("d1", delta(elements={"updated": [{"key": "d1e99", "patch": {"name": "?"}}]}))
    assert merged.is_consistent is False
    merged.replace_all([(document("d1"), graph())])
    assert merged.is_consistent is True


def test_omitted_elements_are_summed_over_all_documents_and_updated_by_deltas() -> None:
    merged, _ = root_with_frame()
    assert merged.truncated is None and merged.current().truncated is UNSET
    merged.apply_delta("d1", delta(truncated={"reason": "max_elements", "omittedElements": 3}))
    merged.publish(
        document("d2", "d1", "d1e1"), graph(truncated={"reason": "max_elements", "omittedElements": 4})
    )
    whole = merged.current()
    assert whole.truncated and whole.truncated.omitted_elements == 7
    merged.apply_delta("d1", delta(truncated=None))
    assert merged.truncated is not None and merged.truncated.omitted_elements == 4


def test_too_many_pending_deltas_are_applied_automatically() -> None:
    merged, _ = root_with_frame()
    merged.apply_delta("d1", delta(elements={"updated": [{"key": "d1e99", "patch": {"name": "?"}}]}))
    assert not merged.known_inconsistent
    for _ in range(MAX_PENDING_DELTAS):
        merged.apply_delta("d1", delta(viewport={"width": 1, "height": 1}))
    assert merged.known_inconsistent


Step = Callable[[TabGraph], PageGraphDelta | None]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["join", "leave", "add", "remove", "focus", "reread"]), max_size=25))
def test_consumer_can_follow_any_sequence_of_revisions(walk: list[str]) -> None:
    merged, store = root_with_frame()
    counter = 10
    for step in walk:
        counter += 1
        child = merged.parts.get("d2")
        result: PageGraphDelta | None = None
        if step == "join" and child is None:
            result = merged.publish(document("d2", "d1", "d1e2"), graph(element("d2e1")))
        elif step == "leave":
            result = merged.remove_documents(["d2"])
        elif step == "add":
            key = "d2" if child else "d1"
            result = merged.apply_delta(key, delta(elements={"added": [element(f"{key}e{counter}")]}))
        elif step == "remove" and child and child.elements:
            result = merged.apply_delta("d2", delta(elements={"removed": [sorted(child.elements)[0]]}))
        elif step == "focus":
            result = merged.apply_delta("d1", delta(focus={"target": "d1e2"}))
        elif step == "reread" and child:
            result = merged.publish(document("d2", "d1", "d1e2"), graph(element(f"d2e{counter}")))
        if result is not None:
            assert isinstance(store.apply(result), Applied)
    assert store.snapshot().elements == merged.current().elements
    assert set(store.elements) == {key for part in merged.parts.values() for key in part.elements}


@pytest.mark.parametrize("key", ["d1", "d2"])
def test_ids_of_a_document_are_updated_by_its_deltas(key: str) -> None:
    merged, _ = root_with_frame()
    merged.publish(document("d2", "d1", "d1e2"), graph())
    merged.apply_delta(key, delta(elements={"added": [element(f"{key}e50")]}))
    assert f"{key}e50" in merged.parts[key].elements
    merged.apply_delta(key, delta(elements={"removed": [f"{key}e50"]}))
    assert f"{key}e50" not in merged.parts[key].elements
