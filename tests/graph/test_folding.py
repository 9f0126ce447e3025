"""How much of a page an outline shows."""

from __future__ import annotations

from tests.graph.pages import Page, grid
from uiap.graph.folding import actions_of, collection_of, is_header, role_runs, shared_actions
from uiap.graph.store import GraphStore
from uiap.graph.view import OutlineNode, collections_by_owner, reading_tree


def table(rows: int) -> tuple[OutlineNode, dict[str, object]]:
    store = GraphStore(grid(rows).graph())
    owners = collections_by_owner(store)
    node = next(
        one for one in reading_tree(store).below() if one.element and one.element.instance_id in owners
    )
    return node, owners  # type: ignore[return-value]


def test_a_table_has_its_header_its_rows_and_their_number() -> None:
    node, owners = table(3)
    found = collection_of(node, owners)  # type: ignore[arg-type]
    assert found is not None
    assert found.header is not None and is_header(found.header)
    assert len(found.items) == 3 and found.total == 3 and found.noun == "row"


def test_actions_that_all_rows_share_are_named_once() -> None:
    node, owners = table(2)
    found = collection_of(node, owners)  # type: ignore[arg-type]
    assert found is not None
    assert actions_of(found.items[0]) == [("button", "Edit"), ("button", "Delete")]
    assert shared_actions(found.items) == [("button", "Edit"), ("button", "Delete")]


def test_rows_with_different_controls_share_no_actions() -> None:
    page = Page()
    scope = page.scope("list", "Mixed")
    first = page.element("listitem", scope_id=scope, parent_instance_id=page.host(scope))
    second = page.element("listitem", scope_id=scope, parent_instance_id=page.host(scope))
    page.element("button", "Edit", scope_id=scope, parent_instance_id=first)
    page.element("link", "Open", scope_id=scope, parent_instance_id=second)
    items = [
        one
        for one in reading_tree(GraphStore(page.graph())).below()
        if one.element and one.element.role == "listitem"
    ]
    assert shared_actions(items) is None


def test_a_long_run_of_equal_siblings_is_cut_and_counted() -> None:
    page = Page()
    for number in range(10):
        page.element("button", f"Day {number}")
    page.element("heading", "End")
    runs = list(role_runs(reading_tree(GraphStore(page.graph())).children, 4))
    assert [(len(shown), more) for shown, more in runs] == [(4, 6), (1, 0)]


def test_rows_in_the_scrolled_area_of_a_table_are_its_rows() -> None:
    page = Page()
    scope = page.scope("table", "Users")
    area = page.element("custom", scope_id=scope, parent_instance_id=page.host(scope))
    page.element("row", scope_id=scope, parent_instance_id=area)
    tables = [
        one
        for one in reading_tree(GraphStore(page.graph())).below()
        if one.element and one.element.role == "table"
    ]
    found = collection_of(tables[0], {})
    assert found is not None and len(found.items) == 1
