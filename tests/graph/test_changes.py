"""Changes of single nodes, member by member."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from tests.graph.pages import Page
from uiap.graph.changes import Changes, NodeChanges, changed_members, node_update
from uiap.spec.web import ElementNode, WebElementState


def box() -> ElementNode:
    page = Page()
    page.element("checkbox", "Subtitles", state={"checked": False})
    return page.elements[0]


def test_a_changed_member_has_its_old_and_new_value() -> None:
    assert changed_members(box(), replace(box(), name="Captions")) == {"name": ("Subtitles", "Captions")}
    assert changed_members(box(), box()) == {}


def test_states_are_compared_one_by_one_and_an_absent_one_is_unset() -> None:
    after = replace(box(), state=WebElementState(expanded=True))
    assert changed_members(box(), after) == {"state.checked": (False, UNSET), "state.expanded": (UNSET, True)}


def test_changes_are_false_only_if_nothing_differs() -> None:
    assert not Changes(base="r1", revision="r2")
    update = node_update("f0e1", box(), replace(box(), name="Captions"))
    assert Changes(base="r1", revision="r2", elements=NodeChanges(updated=(update,)))
    assert Changes(base="r1", revision="r2", modal_stack=((), ("s",)))
