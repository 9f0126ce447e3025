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


def test_headers_in_boxes_of_their_own_name_the_columns():
    page = Page()
    grid = page.element("grid")
    for name in ("Name", "City"):
        page.element("cell", name, parent_instance_id=grid, metadata={"header": "column"})
    area = page.element("custom", parent_instance_id=grid)
    row = page.element("row", parent_instance_id=area)
    for text in ("Ada", "Bern"):
        page.element("cell", text=text, parent_instance_id=row)
    assert table_rows(GraphStore(page.graph()), grid) == [{"Name": "Ada", "City": "Bern"}]


def test_a_corner_before_the_headers_and_row_headers_drawn_again_are_no_data():
    page = Page()
    grid = page.element("grid")
    data = page.element("row", parent_instance_id=grid)
    for name in ("Ada", "Bern"):
        page.element("cell", name, parent_instance_id=data)
    head = page.element("row", parent_instance_id=grid)
    page.element("cell", "Select whole grid", parent_instance_id=head, metadata={"text": {"visible": False}})
    for name in ("Name", "City"):
        page.element("cell", name, parent_instance_id=head, metadata={"header": "column"})
    margin = page.element("row", parent_instance_id=grid)
    page.element("cell", "1", parent_instance_id=margin, metadata={"header": "row"})
    assert table_rows(GraphStore(page.graph()), grid) == [{"Name": "Ada", "City": "Bern"}]


def test_a_table_of_row_headers_only_keeps_its_rows():
    page = Page()
    table = page.element("table")
    for name in ("Ada", "Bob"):
        row = page.element("row", parent_instance_id=table)
        page.element("cell", name, parent_instance_id=row, metadata={"header": "row"})
    assert table_rows(GraphStore(page.graph()), table) == [{"column 1": "Ada"}, {"column 1": "Bob"}]
