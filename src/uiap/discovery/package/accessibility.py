"""Redacts Chromium's accessibility tree for evidence: roles and masked names, without entered values."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.discovery.safety.redaction import mask_text

_KEPT_MEMBERS = ("role", "name")


def redact_tree(data: bytes) -> bytes:
    """Return role and name of each node that is not ignored, in the order of the tree."""
    nodes: list[dict[str, Any]] = msgspec.json.decode(data)
    lines = []
    for node in nodes:
        if node.get("ignored"):
            continue
        members = {member: _value(node.get(member)) for member in _KEPT_MEMBERS}
        lines.append({key: value for key, value in members.items() if value})
    return msgspec.json.encode(lines)


def _value(member: Any) -> str | None:
    if isinstance(member, str):
        return mask_text(member)
    value = member.get("value") if isinstance(member, dict) else None
    return mask_text(value) if isinstance(value, str) else None
