"""The nested form of the integration guide is converted to the flat one."""

from typing import Any

import msgspec
import pytest

from uiap.errors import InvalidPayload
from uiap.graph.nested import flatten

GUIDE: dict[str, Any] = {
    "route": {"routeId": "videos.list", "url": "/videos"},
    "documents": [
        {
            "scopes": [
                {
                    "id": "video.list",
                    "kind": "list",
                    "elements": [
                        {
                            "stableId": "video.new",
                            "role": "button",
                            "name": "New video",
                            "affordances": ["activatable"],
                            "state": {"enabled": True, "visible": True},
                            "defaultAction": "ui.activate",
                        }
                    ],
                }
            ]
        }
    ],
}


def test_the_nested_sample_of_the_guide_becomes_flat() -> None:
    graph = flatten(GUIDE)
    assert (graph.revision, graph.seq) == ("rev_0", 0)
    assert [one.document_id for one in graph.documents] == ["doc_root"]
    (scope,) = graph.scopes
    assert (scope.scope_id, scope.kind, scope.document_id) == ("video.list", "list", "doc_root")
    (element,) = graph.elements
    assert (element.instance_id, element.scope_id) == ("el_1", "video.list")
    assert element.affordances == ("activate",)


def test_a_flat_graph_is_returned_unchanged() -> None:
    graph = flatten(GUIDE)
    assert flatten(msgspec.json.decode(msgspec.json.encode(graph))) == graph


def test_scopes_in_scopes_and_elements_in_elements_keep_their_place() -> None:
    inner = {"id": "b", "kind": "form", "elements": [{"role": "row", "elements": [{"role": "button"}]}]}
    graph = flatten({"route": {"url": "/"}, "documents": [{"scopes": [{"id": "a", "scopes": [inner]}]}, {}]})
    assert [(one.scope_id, one.kind) for one in graph.scopes] == [("a", "custom"), ("b", "form")]
    assert graph.scopes[1].parent_scope_id == "a"
    assert graph.elements[1].parent_instance_id == "el_1"
    assert [(one.document_id, one.kind) for one in graph.documents] == [
        ("doc_root", "root"),
        ("doc_1", "frame"),
    ]


def test_of_two_equal_stable_ids_the_later_one_is_moved_to_metadata() -> None:
    twice = [{"role": "button", "stableId": "x"}, {"role": "button", "stableId": "x"}]
    graph = flatten({"route": {"url": "/"}, "documents": [{"elements": twice}]})
    assert graph.elements[0].stable_id == "x"
    assert graph.elements[1].stable_id is msgspec.UNSET
    assert graph.elements[1].metadata == {"duplicateStableId": "x"}


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"documents": []},
        {"route": {"url": "/"}, "documents": ["x"]},
        {"route": {"url": "/"}, "documents": [{"elements": [{"role": "spaceship"}]}]},
    ],
)
def test_an_object_that_is_no_graph_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidPayload):
        flatten(broken)
