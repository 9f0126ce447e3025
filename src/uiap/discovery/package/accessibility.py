"""Redacts Chromium's accessibility tree for evidence: roles and masked names, without entered values."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.discovery.safety.redaction import is_data, mask_text
from uiap.graph.store import GraphStore

_KEPT_MEMBERS = ("role", "name")


def redact_tree(data: bytes, readable: str) -> bytes:
    """Return role and name of each node that is not ignored, in the order of the tree.

    The browser's tree also has the inside of closed shadow roots and of foreign frames. A name that is not part of the
    readable text of the page is therefore left out (DISC-2.5).
    """
    nodes: list[dict[str, Any]] = msgspec.json.decode(data)
    lines = []
    for node in nodes:
        if node.get("ignored"):
            continue
        members = {member: _value(node.get(member)) for member in _KEPT_MEMBERS}
        if (members["name"] or "") not in readable:
            members["name"] = None
        lines.append({key: value for key, value in members.items() if value})
    return msgspec.json.encode(lines)


def readable_text(store: GraphStore) -> str:
    """Return every name and text of a page that its script may read, masked and without the data of cells."""
    shown = (one for one in store.elements.values() if not is_data(one))
    texts = (text for one in shown for text in (one.name, one.text, one.description) if text)
    return mask_text("\n".join((store.route.title or "", *texts)))


def named_nodes(redacted: bytes) -> tuple[str, ...]:
    """Return `role|name` of each node with a name, from a redacted tree; each once."""
    nodes: list[dict[str, str]] = msgspec.json.decode(redacted)
    found = (f"{one['role']}|{one['name']}" for one in nodes if "role" in one and "name" in one)
    return tuple(dict.fromkeys(found))


def _value(member: Any) -> str | None:
    if isinstance(member, str):
        return mask_text(member)
    value = member.get("value") if isinstance(member, dict) else None
    return mask_text(value) if isinstance(value, str) else None
