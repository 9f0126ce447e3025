"""Rows of tables and lists as dictionaries."""

from __future__ import annotations

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.graph.table_rows import no_table_message, table_of, table_rows


def loans() -> tuple[GraphStore, str]:
    page = Page()
    table = page.element("table", "Loans")
    head = page.element("row", parent_instance_id=table)
    for name in ("Book", "Due", ""):
        page.element("cell", name, parent_instance_id=head, metadata={"header": "column"})
    for book, due, back in (("Dune", "Monday", True), ("Emma", "Friday", False)):
        row = page.element("row", parent_instance_id=table)
        page.element("cell", book, parent_instance_id=row, metadata={"header": "row"})
        page.element("cell", text=due, parent_instance_id=row)
        last = page.element("cell", parent_instance_id=row)
        page.element("checkbox", "Returned", parent_instance_id=last, state={"checked": back})
    return GraphStore(page.graph()), table


def test_each_row_is_a_dictionary_by_column_name():
    store, table = loans()
    assert table_rows(store, table) == [
        {"Book": "Dune", "Due": "Monday", "column 3": "checked"},
        {"Book": "Emma", "Due": "Friday", "column 3": "unchecked"},
    ]


def test_an_item_of_a_list_has_one_column():
    page = Page()
    shelf = page.element("list", "Shelf")
    item = page.element("listitem", parent_instance_id=shelf)
    page.element("link", "Dune", parent_instance_id=item)
    page.element("listitem", "Emma", parent_instance_id=shelf)
    assert table_rows(GraphStore(page.graph()), shelf) == [{"text": "Dune"}, {"text": "Emma"}]


def test_two_columns_with_one_name_stay_apart():
    page = Page()
    table = page.element("table")
    head = page.element("row", parent_instance_id=table)
    row = page.element("row", parent_instance_id=table)
    for name in ("Name", "Name"):
        page.element("cell", name, parent_instance_id=head, metadata={"header": "column"})
    for text in ("a", "b", "c"):
        page.element("cell", text=text, parent_instance_id=row)
    assert table_rows(GraphStore(page.graph()), table) == [{"Name": "a", "Name 2": "b", "column 3": "c"}]


def test_a_heading_or_tab_means_the_table_after_it():
    page = Page()
    page.element("list", "Menu")
    tab = page.element("tab", "Statistics")
    field = page.element("textbox", "Filter")
    table = page.element("table", None)
    page.element("row", parent_instance_id=table)
    store = GraphStore(page.graph())
    found = table_of(store, tab)
    assert found is not None and found.instance_id == table
    assert table_of(store, field) is None
    assert no_table_message(store, field).startswith(
        "textbox “Filter” has no rows; tables and lists of this page: list “Menu”"
    )
