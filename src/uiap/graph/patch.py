"""RFC 7396 merge patches on one node. Knows nothing of graphs.

Only the patched node is converted to plain objects and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

Node = TypeVar("Node", bound=Struct)


def merged(value: Any, patch: Any) -> Any:
    """Return the value after the patch (RFC 7396 §2): objects merge, null deletes, anything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(value) if isinstance(value, Mapping) else {}
    for member, change in patch.items():
        if change is None:
            result.pop(member, None)
        else:
            result[member] = merged(result.get(member), change)
    return result


def patched(node: Node, patch: Mapping[str, Any]) -> Node:
    """Return the node after the patch, or raise `msgspec.ValidationError` if the result is not valid."""
    return msgspec.convert(merged(msgspec.to_builtins(node), patch), type(node))


def patch_between(before: Node, after: Node) -> dict[str, Any] | None:
    """Return the patch from one node to the other, or None if no merge patch can express it (a null inside)."""
    if type(before) is not type(after):
        return None
    patch = _difference(msgspec.to_builtins(before), msgspec.to_builtins(after))
    return patch if patched(before, patch) == after else None


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {member: None for member in before if member not in after}
    for member, new in after.items():
        old = before.get(member)
        if member not in before or old != new:
            both = isinstance(old, Mapping) and isinstance(new, Mapping)
            patch[member] = _difference(old, new) if both else new  # type: ignore[arg-type]
    return patch
