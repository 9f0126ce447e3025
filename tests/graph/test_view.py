"""The context of an element: its scopes, the source of its text, and the reading tree."""

import msgspec
import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.graph.view import (
    MAX_DEPTH,
    OutlineNode,
    foreign_origin,
    is_actionable,
    is_hidden,
    is_inside_scope,
    is_user_generated,
    is_visually_hidden,
    reading_tree,
    scope_path,
)
from uiap.spec.web import DocumentNode, ScopeNode


def shape(node: OutlineNode) -> list[object]:
    """Return the refs of all nodes inside, nested."""
    return [[child.element.instance_id if child.element else None, *shape(child)] for child in node.children]


def framed() -> Page:
    page = Page()
    main = page.scope("region", "Main")
    frame = page.element("custom", "Plan", scope_id=main)
    page.element("button", "After", scope_id=main)
    page.documents.append(
        DocumentNode(
            document_id="f1",
            kind="frame",
            access="bridged",
            parent_document_id="f0",
            host_instance_id=frame,
            origin="https://other.test",
        )
    )
    page.element("button", "Inside", instance_id="f1e1", document_id="f1")
    return page


def test_the_page_of_a_frame_is_inside_the_element_that_holds_it() -> None:
    assert shape(reading_tree(GraphStore(framed().graph()))) == [["f0e1", ["f0e2", ["f1e1"]], ["f0e3"]]]


def test_only_documents_of_another_origin_are_foreign() -> None:
    page = framed()
    store = GraphStore(page.graph())
    assert foreign_origin(store, store.elements["f1e1"]) == "https://other.test"
    assert foreign_origin(store, store.elements["f0e2"]) is None
    page.documents[1] = msgspec.structs.replace(page.documents[1], origin="http://app.test")
    same = GraphStore(page.graph())
    assert foreign_origin(same, same.elements["f1e1"]) is None


def test_a_scope_is_at_its_hosts_position_and_an_empty_one_is_included() -> None:
    page = Page()
    outer = page.scope("region", "Outer")
    inner = page.scope("form", "Inner", parent=outer)
    page.element("button", "Outer again", scope_id=outer)
    page.element("button", "In the form", scope_id=inner)
    page.scope("toolbar", "Empty", parent=outer)
    store = GraphStore(page.graph())
    assert shape(reading_tree(store)) == [["f0e1", ["f0e2", ["f0e4"]], ["f0e3"], ["f0e5"]]]
    assert [scope.scope_id for scope in scope_path(store, inner)] == [outer, inner]
    assert is_inside_scope(store, store.elements["f0e4"], outer)
    assert not is_inside_scope(store, store.elements["f0e3"], inner)


def test_a_cycle_of_parent_scopes_does_not_hang() -> None:
    page = Page()
    for own, other in (("a", "b"), ("b", "a")):
        page.scopes.append(ScopeNode(scope_id=own, kind="form", document_id="f0", parent_scope_id=other))
    store = GraphStore(page.graph())
    assert len(scope_path(store, "a")) == 2
    assert sum(1 for _ in reading_tree(store).below()) == 2


def test_the_reading_tree_is_never_deeper_than_it_can_be_read() -> None:
    page = Page()
    above: dict[str, str] = {}
    for _ in range(300):
        above = {"parent_instance_id": page.element("group", **above)}
    tree = reading_tree(GraphStore(page.graph()))
    assert max(node.depth for node in tree.below()) == MAX_DEPTH
    assert sum(1 for _ in tree.below()) == 300


@pytest.mark.requirement("CAP-5")
def test_only_visible_false_hides_an_element() -> None:
    page = Page()
    page.element("button", "Gone", state={"visible": False, "enabled": True})
    page.element("button", "Unknown")
    store = GraphStore(page.graph())
    assert [is_hidden(element) for element in store] == [True, False]
    assert shape(reading_tree(store)) == [["f0e2"]]


@pytest.mark.requirement("CAP-6")
def test_affordances_and_not_roles_make_an_element_actionable() -> None:
    page = Page()
    page.element("button", "Painted", affordances=("read", "focus"))
    page.element("cell", text="Pressable", affordances=("read", "activate"))
    assert [is_actionable(element) for element in GraphStore(page.graph())] == [False, True]


def test_text_of_users_and_text_that_is_not_painted_is_recognised() -> None:
    page = Page()
    page.element("label", "a", metadata={"text": {"visible": True, "userGenerated": True}})
    page.element("label", "b", metadata={"text": {"visible": False}})
    page.element("label", "c", metadata={"text": "no facts"})
    elements = list(GraphStore(page.graph()))
    assert [is_user_generated(one) for one in elements] == [True, False, False]
    assert [is_visually_hidden(one) for one in elements] == [False, True, False]
