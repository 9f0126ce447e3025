"""The rows of a table or list as dictionaries: column name to text.

A column without a name is called by its number, `column 3`. Rows that the page has not drawn are not part of the graph.
"""

from __future__ import annotations

from itertools import dropwhile

from uiap.graph.folding import header_of, is_corner, is_header_row, is_unseen
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.spec.web import ElementNode

TABLE_ROLES = frozenset({"table", "grid", "list", "listbox", "tree", "menu"})
LABELS = frozenset({"label", "tab", "button", "link", "menuitem"})
"""Elements that name the table which follows them: a heading, a tab, the item of a menu."""
ROW_ROLES = frozenset({"row", "listitem", "option", "treeitem"})
CELL_ROLES = frozenset({"cell"})
MAX_NAMED = 6


def table_of(store: GraphStore, ref: str) -> ElementNode | None:
    """Return the table or list that is meant: the element itself, one around rows, or the next one after a label."""
    element = store.element(ref)
    if element is None or element.role in TABLE_ROLES:
        return element
    if any(one.role in ROW_ROLES and not is_hidden(one) for one in store.below(ref)):
        return element
    if element.role not in LABELS:
        return None
    after = dropwhile(lambda one: one.instance_id != ref, store)
    return next((one for one in after if one.role in TABLE_ROLES and not is_hidden(one)), None)


def no_table_message(store: GraphStore, ref: str) -> str:
    """Say that an element is no table, and name those that the page has."""
    element = store.element(ref)
    called = "the element" if element is None else f"{element.role} “{element.name or element.text or ''}”"
    tables = [one for one in store if one.role in TABLE_ROLES and not is_hidden(one)][:MAX_NAMED]
    named = ", ".join(
        f"{one.role} “{one.name}” [{one.instance_id}]" if one.name else f"{one.role} [{one.instance_id}]"
        for one in tables
    )
    return f"{called} has no rows; tables and lists of this page: {named or 'none'}"


def table_rows(store: GraphStore, table: str) -> list[dict[str, str]]:
    """Return the data rows of a table, each by column name; an item of a list has one column, `text`."""
    rows = [one for one in store.below(table) if one.role in ROW_ROLES and not is_hidden(one)]
    lines = [(row, _cells(store, row)) for row in rows]
    headers = next((cells for _, cells in lines if is_header_row(cells)), None) or _loose_headers(
        store, table
    )
    data = [(row, cells) for row, cells in lines if not is_header_row(cells)]
    if any(cells and not _is_margin(cells) for _, cells in data):
        data = [(row, cells) for row, cells in data if not cells or not _is_margin(cells)]
    widest = max((len(cells) for _, cells in data), default=0)
    if headers and is_corner(headers[0]) and widest < len(headers):
        headers = headers[1:]
    columns = _column_names(store, headers)
    return [_row(store, row, cells, columns) for row, cells in data]


def _cells(store: GraphStore, row: ElementNode) -> list[ElementNode]:
    return [one for one in store.children(row.instance_id) if one.role in CELL_ROLES and not is_hidden(one)]


def _loose_headers(store: GraphStore, table: str) -> list[ElementNode]:
    """Return the column headers of a table that has no header row: some grids draw them in boxes of their own."""
    cells = [one for one in store.below(table) if one.role in CELL_ROLES and not is_hidden(one)]
    return [one for one in cells if header_of(one) == "column"]


def _is_margin(cells: list[ElementNode]) -> bool:
    """Return whether a row has only row headers. Grids draw these a second time, so that they stay while it scrolls."""
    return all(header_of(cell) == "row" or is_unseen(cell) for cell in cells)


def _column_names(store: GraphStore, cells: list[ElementNode]) -> list[str]:
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        name = cell_text(store, cell) or f"column {number}"
        names.append(name if name not in names else f"{name} {number}")
    return names


def _row(store: GraphStore, row: ElementNode, cells: list[ElementNode], columns: list[str]) -> dict[str, str]:
    if not cells:
        return {"text": cell_text(store, row)}
    names = [*columns, *(f"column {number}" for number in range(len(columns) + 1, len(cells) + 1))]
    return {name: cell_text(store, cell) for name, cell in zip(names, cells, strict=False)}


def cell_text(store: GraphStore, cell: ElementNode) -> str:
    """Return the text of a cell: its own, else those of the elements in it, with values of fields and check marks."""
    own = cell.text or cell.name
    if own:
        return own
    return " ".join(text for one in store.below(cell.instance_id) if (text := _own_text(one)))


def _own_text(element: ElementNode) -> str:
    state = element.state
    if isinstance(state.checked, bool) and element.role in ("checkbox", "switch", "radio"):
        return "checked" if state.checked else "unchecked"
    return state.text_value or element.text or element.name or ""
