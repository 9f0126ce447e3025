"""The result of `ui.read` (ACT-11.1). A masked value stays masked: the page never published it."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.graph.store import GraphStore
from uiap.graph.table_rows import no_table_message, table_of, table_rows

FIELD_ROLES = frozenset({"textbox", "textarea", "searchbox", "spinbutton", "datepicker", "timepicker"})
"""Roles whose text is what was entered."""


class NothingToRead(Exception):
    """The element has no such part; the message says which elements have it."""


def read_element(store: GraphStore, node: str, what: str) -> dict[str, Any]:
    """Return what was asked for. Raise NothingToRead if rows of an element without rows are wanted."""
    element = store.element(node)
    if element is None:
        return {}
    plain: dict[str, Any] = msgspec.to_builtins(element)
    state: dict[str, Any] = plain.get("state", {})
    match what:
        case "text":
            inner = [t for e in store.below(node) for t in (e.text or e.name,) if isinstance(t, str)]
            entered = state.get("textValue") if element.role in FIELD_ROLES else None
            own = plain.get("text") or (plain.get("name") or "" if entered is None else entered)
            return {"text": "\n".join([own, *inner]).strip() if inner else own}
        case "value":
            return {"value": state.get("numericValue", state.get("textValue", state.get("checked")))}
        case "rows":
            table = table_of(store, node)
            if table is None:
                raise NothingToRead(no_table_message(store, node))
            return {"rows": table_rows(store, table.instance_id)}
        case "description":
            return {"description": plain.get("description", "")}
    return {"role": element.role, "name": plain.get("name", ""), "state": state}
