"""RFC 7396 on nodes: the table of the RFC, and patches between random nodes."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from tests.graph import walks
from uiap.graph.patch import merged, patch_between, patched
from uiap.spec.web import ElementNode, WebElementState

RFC_TABLE: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("before", "patch", "after"), RFC_TABLE)
def test_merging_follows_the_table_of_the_rfc(before: Any, patch: Any, after: Any) -> None:
    assert merged(before, patch) == after


def button(**members: Any) -> ElementNode:
    return ElementNode(
        instance_id="e1",
        document_id="d",
        role="button",
        affordances=("read",),
        **{"state": WebElementState()} | members,
    )


def test_null_removes_a_member_and_arrays_are_replaced_as_a_whole() -> None:
    before = button(name="Save", state=WebElementState(enabled=False, checked=True))
    after = patched(before, {"name": None, "state": {"enabled": None}, "affordances": ["activate"]})
    assert after == msgspec.structs.replace(
        before, name=msgspec.UNSET, state=WebElementState(checked=True), affordances=("activate",)
    )


def test_a_patch_that_breaks_the_type_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        patched(button(), {"affordances": ["fly"]})


def test_a_merge_patch_cannot_express_a_nested_null() -> None:
    assert patch_between(button(), button(metadata={"a": None})) is None


@settings(max_examples=80, deadline=None, derandomize=True)
@given(walks.elements("e1", ["p"], ["s"]), walks.elements("e1", ["p"], ["s"]))
def test_the_patch_between_two_nodes_leads_from_one_to_the_other(one: Any, other: Any) -> None:
    before, after = msgspec.convert(one, ElementNode), msgspec.convert(other, ElementNode)
    patch = patch_between(before, after)
    assert patch is not None
    assert patched(before, patch) == after
