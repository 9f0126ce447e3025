"""Which changes of a graph are plausible effects of an activation."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.graph.pages import Page, delta
from uiap.graph.store import GraphStore
from uiap.signals.change import (
    NodeDifference,
    content_differences,
    difference_text,
    differences,
    is_content,
    position_key,
    shows_progress,
    touched_nodes,
)
from uiap.spec.web import ElementNode, NodeDelta, NodePatch, WebElementState


def page() -> Page:
    made = Page()
    made.element("button", "Save")
    made.element("status", "Ready")
    return made


def element(role: str, name: str = "x", **state: Any) -> ElementNode:
    made = Page()
    made.element(role, name, state=state)
    return made.elements[0]


@pytest.mark.parametrize(
    ("patch", "touches"),
    [
        ({"name": "Saved"}, True),
        ({"state": {"checked": True}}, True),
        ({"state": {"busy": True}}, True),
        ({"metadata": {"sort": "ascending"}}, True),
        ({"state": {"hovered": True}}, False),
        ({"bbox": {"x": 1, "y": 1, "width": 1, "height": 1}}, False),
    ],
)
def test_only_members_that_a_person_can_see_touch_a_node(patch: dict[str, Any], touches: bool) -> None:
    change = delta("r1", "r2", 2, elements=NodeDelta(updated=(NodePatch(key="f0e1", patch=patch),)))
    assert [one.key for one in touched_nodes(change, None)] == (["f0e1"] if touches else [])


def test_a_node_replaced_by_an_equal_one_is_no_difference() -> None:
    store = GraphStore(page().graph())
    baseline = store.baseline()
    again = replace(page().elements[0], instance_id="f0e9")
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(removed=("f0e1",), added=(again,))))
    touched = [("elements", "f0e1"), ("elements", "f0e9")]
    assert differences(touched, baseline, {"elements": store.elements}) == []


def test_a_changed_member_is_named_once() -> None:
    store = GraphStore(page().graph())
    baseline = store.baseline()
    patch = NodePatch(key="f0e2", patch={"name": "Saved"})
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(updated=(patch,))))
    (found,) = differences([("elements", "f0e2")], baseline, {"elements": store.elements})
    assert found.about == "name"
    assert difference_text(found) == 'status "Saved": name changed'


def test_a_busy_element_and_a_spinner_show_progress_and_a_measured_bar_does_not() -> None:
    assert shows_progress(element("region", busy=True))
    assert shows_progress(element("progress"))
    assert not shows_progress(element("progress", numeric_value=40))
    assert not shows_progress(element("progress", visible=False, loading=True))
    assert not shows_progress(None)


def test_added_controls_are_content_and_messages_are_not() -> None:
    button, toast = element("button"), element("status")
    assert is_content(NodeDifference("elements", "a", "added", button))
    assert not is_content(NodeDifference("elements", "a", "added", toast))
    assert not is_content(NodeDifference("elements", "a", "name", button))


def test_an_element_that_is_created_again_with_another_state_is_no_content() -> None:
    plain, pressed, row = (
        element("button", "Star"),
        element("button", "Star", pressed=True),
        element("listitem", "A"),
    )
    again = [
        NodeDifference("elements", "a", "removed", plain),
        NodeDifference("elements", "b", "added", pressed),
    ]
    new = NodeDifference("elements", "c", "added", row)
    assert content_differences([*again, new]) == [new]


def test_a_recreated_element_has_the_same_position() -> None:
    one = element("button", "Save")
    other = replace(one, instance_id="f0e9", name="Other", state=WebElementState())
    assert position_key(one) == position_key(other) != position_key(element("link"))
