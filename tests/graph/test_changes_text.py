"""The lines of changes: added, removed and changed elements, without changes that no reader acts on."""

from typing import Any

import pytest

from tests.graph.pages import Page, delta, grid, patch
from uiap.graph.diff import diff
from uiap.graph.outline import outline
from uiap.graph.store import Applied, GraphStore
from uiap.spec.capability import UIState
from uiap.spec.web import ElementNode, FocusInfo, NodeDelta, RouteInfo, ScopeNode


def made(*elements: tuple[str, dict[str, Any]]) -> tuple[ElementNode, ...]:
    page = Page()
    for role, members in elements:
        page.element(role, **members)
    return tuple(page.elements)


def changes(**members: Any) -> list[str]:
    store = GraphStore(grid(2).graph())
    done = store.apply(delta("r1", "r2", 2, **members))
    assert isinstance(done, Applied), done
    return outline(store, since="r1").splitlines()[1:]


NEW_ROW = made(
    ("row", {"instance_id": "n1", "parent_instance_id": "f0e1", "metadata": {"record": "text:eve"}}),
    ("cell", {"instance_id": "n2", "parent_instance_id": "n1", "text": "eve"}),
    ("cell", {"instance_id": "n3", "parent_instance_id": "n1"}),
    ("button", {"instance_id": "n4", "parent_instance_id": "n3", "name": "Delete"}),
)
DIALOG = ScopeNode(scope_id="f0s9", kind="dialog", document_id="f0", name="Sure?", state=UIState(modal=True))
LINES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a name": (
        {"elements": patch("f0e16", name="Change")},
        ['~ [f0e16] button "Change" in row "user-0": name "Edit" → "Change"'],
    ),
    "states": (
        {"elements": patch("f0e16", state={"enabled": False, "pressed": True})},
        ['~ [f0e16] button "Edit" in row "user-0": disabled, pressed none → yes'],
    ),
    "a row that came": (
        {"elements": NodeDelta(added=NEW_ROW)},
        ['+ "eve" | [n4] button "Delete"'],
    ),
    "a row that went": (
        {"elements": NodeDelta(removed=tuple(f"f0e{number}" for number in range(9, 18)))},
        ["- [f0e9] row with 8 inside"],
    ),
    "a toast": (
        {"elements": NodeDelta(added=made(("toast", {"instance_id": "t1", "text": "Saved"})))},
        ['+ toast "Saved"'],
    ),
    "a route": (
        {"route": RouteInfo(url="http://app.test/users/1", path="/users/1", title="User 1")},
        ['~ route "/users" → "/users/1"', '~ title "Users" → "User 1"'],
    ),
    "a dialog": (
        {"scopes": NodeDelta(added=(DIALOG,)), "modal_stack": ("f0s9",)},
        ['+ on top: dialog "Sure?" [f0s9]'],
    ),
    "a count": (
        {"collections": patch("c1", count=3)},
        ['~ [f0e1] table "Users": 2 → 3 items'],
    ),
    "focus": ({"focus": FocusInfo(target="f0e16")}, ["~ focus nowhere → [f0e16]"]),
    "hidden": ({"elements": patch("f0e16", state={"visible": False})}, ['- [f0e16] button "Edit"']),
    "geometry": (
        {
            "elements": patch(
                "f0e16", bbox={"x": 1, "y": 2, "width": 3, "height": 4}, state={"inViewport": True}
            )
        },
        ["nothing changed that can be read or acted on"],
    ),
    "nothing": ({}, ["nothing changed that can be read or acted on"]),
}


@pytest.mark.requirement("MDM-R3d")
@pytest.mark.parametrize(("members", "lines"), LINES.values(), ids=LINES)
def test_a_change_is_one_line(members: dict[str, Any], lines: list[str]) -> None:
    assert changes(**members) == lines


def test_a_new_dialog_is_written_as_in_an_outline_and_its_removal_by_name() -> None:
    page = grid(1)
    store = GraphStore(page.graph())
    asked = page.scope("dialog", "Sure?", text="It cannot be undone.", state=UIState(modal=True, open=True))
    page.element("button", "Delete", scope_id=asked)
    page.more["modal_stack"] = (asked,)
    store.apply(diff(store.snapshot(), page.graph("r2", 2)))
    assert outline(store, since="r1").splitlines()[1:] == [
        '+ on top: dialog "Sure?" [f0e18] (open)',
        '    "It cannot be undone."',
        '    [f0e19] button "Delete"',
    ]
    store.apply(diff(store.snapshot(), grid(1).graph("r3", 3)))
    assert outline(store, since="r2").splitlines()[1:] == [
        '- no longer on top: dialog "Sure?" [f0s2]',
        '- [f0e18] dialog "Sure?"',
        '- [f0e19] button "Delete"',
    ]


def test_many_removed_elements_are_reported_in_one_line() -> None:
    page = Page()
    for number in range(9):
        page.element("button", f"Button {number}")
    store = GraphStore(page.graph())
    store.apply(diff(store.snapshot(), Page().graph("r2", 2)))
    (line,) = outline(store, since="r1").splitlines()[1:]
    assert line.startswith('- 9 elements: [f0e1] button "Button 0", ')
    assert line.endswith("… 5 more")


def test_many_changes_are_cut_at_the_budget_and_counted() -> None:
    store = GraphStore(grid(200).graph())
    updates = tuple(
        one for number in range(100) for one in patch(f"f0e{10 + 9 * number}", text="new").updated or ()
    )
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(updated=updates)))
    text = outline(store, since="r1", budget=150)
    assert len(text) <= 600
    assert "more lines" in text


def test_an_element_added_and_removed_in_between_is_not_reported() -> None:
    store = GraphStore(grid(1).graph())
    toast = made(("toast", {"instance_id": "t1", "text": "Saved"}))
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(added=toast)))
    store.apply(delta("r2", "r3", 3, elements=NodeDelta(removed=("t1",))))
    assert outline(store, since="r1").endswith("nothing changed that can be read or acted on")
    assert outline(store, since="r2").endswith('- [t1] toast "Saved"')
