"""Graphs from accessible objects that are written by hand."""

from __future__ import annotations

from typing import Any

from uiap.drivers.desktop.bus import ObjectRef
from uiap.drivers.desktop.graph import ObjectTree, build_graph
from uiap.drivers.desktop.snapshot import AccessibleObject, ObjectBox, ValueRange, in_tree_order
from uiap.drivers.desktop.vocabulary import STATE_BITS, states
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import ElementNode, PageGraph

ON_SCREEN = frozenset({"showing", "visible", "enabled", "sensitive"})


def item(number: int, parent: int, role: int, name: str = "", **properties: Any) -> AccessibleObject:
    properties = {"states": ON_SCREEN, "interfaces": frozenset({"Component"}), **properties}
    ref, parent_ref = ObjectRef(":1", f"/a/{number}"), ObjectRef(":1", f"/a/{parent}")
    return AccessibleObject(
        ref=ref, parent=parent_ref, index=number, name=name, role=role, description="", **properties
    )


WINDOW = (item(0, 0, 75, "app"), item(1, 0, 23, "Window", box=ObjectBox(0, 0, 300, 200)))


def graph(*items: AccessibleObject) -> PageGraph:
    page = build_graph(
        ObjectTree((*WINDOW, *items)), url="desktop:app", title="", seq=1, now="2026-01-01T00:00:00Z"
    )
    assert isinstance(GraphStore().load(page), Applied)
    return page


def only(page: PageGraph, role: str) -> ElementNode:
    (found,) = [one for one in page.elements if one.role == role]
    return found


def test_states_are_read_from_both_state_words():
    low, high = 1 << STATE_BITS["enabled"] | 1 << STATE_BITS["visible"], 1 << (STATE_BITS["required"] - 32)
    assert states([low, high]) == {"enabled", "visible", "required"}
    assert states([low]) == {"enabled", "visible"}


def test_parents_come_before_children_and_a_cycle_terminates():
    assert [
        one.name for one in in_tree_order([item(3, 2, 43, "c"), item(2, 1, 39, "b"), item(1, 1, 23, "a")])
    ] == [
        "a",
        "b",
        "c",
    ]
    assert in_tree_order([item(1, 2, 39), item(2, 1, 39)]) == []


def test_unnamed_field_takes_the_label_on_its_left_or_above_it():
    page = graph(
        item(2, 1, 29, "Far", box=ObjectBox(10, 10, 40, 20)),
        item(3, 1, 29, "Near", box=ObjectBox(10, 50, 40, 20)),
        item(4, 1, 61, box=ObjectBox(60, 50, 100, 20), states=ON_SCREEN | {"editable"}, text=""),
        item(5, 1, 29, "Over", box=ObjectBox(10, 100, 40, 20)),
        item(6, 1, 51, box=ObjectBox(10, 125, 100, 20), range=ValueRange(10.0, 0.0, 40.0, 2.0)),
    )
    assert (only(page, "textbox").name, only(page, "textbox").source) == ("Near", "heuristic")
    slider = only(page, "slider")
    assert (slider.name, slider.state.numeric_value, slider.state.max, slider.state.step) == (
        "Over",
        10,
        40,
        2,
    )


def test_password_field_publishes_no_value():
    page = only(graph(item(2, 1, 40, "Secret", states=ON_SCREEN | {"editable"}, text="••••")), "textbox")
    assert page.state.sensitive is True
    assert not page.state.text_value and not page.text


def test_list_named_after_its_value_takes_the_name_of_its_label():
    page = graph(
        item(2, 1, 29, "Colour", box=ObjectBox(10, 10, 40, 20)),
        item(3, 1, 11, "Red", box=ObjectBox(60, 10, 80, 20)),
        item(4, 3, 33, states=frozenset({"visible"})),
        item(5, 4, 35, "Red", states=frozenset({"visible", "enabled"})),
        item(6, 4, 35, "Green", states=frozenset({"visible", "enabled"})),
    )
    box = only(page, "combobox")
    assert (box.name, box.state.text_value) == ("Colour", "Red")
    options = [one for one in page.elements if one.role == "option"]
    assert [(one.name, one.state.visible, one.parent_instance_id) for one in options] == [
        ("Red", False, box.instance_id),
        ("Green", False, box.instance_id),
    ]


def test_invisible_objects_and_pure_containers_are_left_out():
    page = graph(
        item(2, 1, 20),
        item(3, 2, 43, "Save"),
        item(4, 2, 43, "Hidden", states=frozenset({"visible", "enabled"})),
        item(5, 1, 48),
        item(6, 1, 39, "Options"),
    )
    assert [(one.role, one.name) for one in page.elements] == [("button", "Save"), ("group", "Options")]
    assert page.elements[0].scope_id == page.scopes[0].scope_id


def test_modal_dialog_is_a_scope_on_the_modal_stack():
    page = graph(item(2, 0, 16, "Sure?", states=ON_SCREEN | {"modal"}), item(3, 2, 43, "Yes"))
    assert [(one.kind, one.name) for one in page.scopes] == [("region", "Window"), ("dialog", "Sure?")]
    assert page.modal_stack == (page.scopes[1].scope_id,)
    assert only(page, "button").scope_id == page.scopes[1].scope_id


def test_toggle_button_has_a_pressed_state():
    page = graph(item(2, 1, 62, "Bold", states=ON_SCREEN | {"checked"}), item(3, 1, 7, "Agree"))
    assert only(page, "button").state.pressed is True
    assert only(page, "checkbox").state.checked is False
