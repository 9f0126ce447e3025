"""Indices of elements and scopes: they follow every change of a node."""

from __future__ import annotations

from msgspec.structs import replace

from tests.graph.pages import Page
from uiap.graph.index import ElementIndex, Groups, ScopeIndex
from uiap.spec.web import ElementNode


def elements(*names: str) -> dict[str, ElementNode]:
    page = Page()
    for name in names:
        page.element("button", name, stable_id=name.lower(), scope_id="s")
    return {one.instance_id: one for one in page.elements}


def test_a_group_keeps_the_order_of_its_nodes_and_ends_with_the_last() -> None:
    groups: Groups[str] = Groups()
    groups.add("k", "b")
    groups.add("k", "a")
    assert list(groups["k"]) == ["b", "a"] and "k" in groups
    groups.discard("k", "b")
    groups.discard("k", "a")
    assert list(groups["k"]) == [] and "k" not in groups


def test_an_element_is_found_by_scope_stable_id_and_role_until_it_is_discarded() -> None:
    index, known = ElementIndex(), elements("Save", "Send")
    for one in known.values():
        index.add(one)
    assert list(index.by_scope["s"]) == ["f0e1", "f0e2"]
    assert list(index.by_stable_id["send"]) == ["f0e2"]
    index.discard(known["f0e1"])
    assert list(index.by_role["button"]) == ["f0e2"]


def test_a_replaced_element_keeps_its_position_and_its_new_name_is_found() -> None:
    index, known = ElementIndex(), elements("Save", "Send")
    for one in known.values():
        index.add(one)
    assert index.names("button", known) == {"f0e1": "save", "f0e2": "send"}
    renamed = replace(known["f0e1"], name="Store", stable_id="store")
    index.replace(known["f0e1"], renamed)
    known["f0e1"] = renamed
    assert list(index.by_scope["s"]) == ["f0e1", "f0e2"]
    assert index.names("button", known)["f0e1"] == "store"
    assert list(index.by_stable_id["save"]) == [] and list(index.by_stable_id["store"]) == ["f0e1"]


def test_scopes_are_found_by_their_parent_and_their_host() -> None:
    page = Page()
    outer = page.scope("dialog", "Settings")
    inner = page.scope("form", "Name", parent=outer)
    index = ScopeIndex()
    for one in page.scopes:
        index.add(one)
    assert list(index.by_parent[outer]) == [inner]
    assert list(index.by_host[page.host(inner)]) == [inner]
    index.discard(page.scopes[1])
    assert list(index.by_parent[outer]) == []


def test_parts_of_forms_are_fields_and_controls_that_send() -> None:
    page, index = Page(), ElementIndex()
    field = page.element("textbox", "Name", affordances=("edit",))
    plain = page.element("button", "Help", affordances=("activate",))
    sender = page.element("button", "Delete", metadata={"owner": "f"})
    known = {one.instance_id: one for one in page.elements}
    index.load(page.elements)
    assert list(index.form_parts) == [field, sender]
    index.replace(known[plain], replace(known[plain], affordances=("activate", "submit")))
    index.discard(known[field])
    assert set(index.form_parts) == {plain, sender}
