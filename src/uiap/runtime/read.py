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
            return {"text": _text(store, plain, state)}
        case "value":
            value = state.get("numericValue", state.get("textValue", state.get("checked")))
            return {
                "value": _text(store, plain, state) if value is None and element.role == "cell" else value
            }
        case "rows":
            table = table_of(store, node)
            if table is None:
                raise NothingToRead(no_table_message(store, node))
            return {"rows": table_rows(store, table.instance_id)}
        case "description":
            return {"description": plain.get("description", "")}
    read = {"role": element.role, "name": plain.get("name", ""), "state": state}
    text = _text(store, plain, state) if element.role == "cell" else plain.get("text", "")
    return {**read, "text": text} if text and text != read["name"] else read


def _text(store: GraphStore, plain: dict[str, Any], state: dict[str, Any]) -> str:
    """Return the text of an element and of everything in it; for a field, its entered text."""
    inner = [t for e in store.below(plain["instanceId"]) for t in (e.text or e.name,) if isinstance(t, str)]
    entered = state.get("textValue") if plain["role"] in FIELD_ROLES else None
    own = plain.get("text") or (plain.get("name") or "" if entered is None else entered)
    return "\n".join([own, *inner]).strip() if inner else own
