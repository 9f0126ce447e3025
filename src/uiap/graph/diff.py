"""The delta that leads from one snapshot to another, for drivers that can only take snapshots.

It compares two whole graphs. A publisher that sends deltas itself does not need it.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.graph.changes import KEY_OF, KINDS, NodeKind
from uiap.graph.patch import patch_between
from uiap.spec.web import NodeDelta, NodePatch, PageGraph, PageGraphDelta


def diff(before: PageGraph, after: PageGraph) -> PageGraphDelta:
    """Return the delta from `before` to `after`. Members that deltas do not carry are not compared."""
    changes: dict[str, Any] = {kind: _nodes(before, after, kind) for kind in KINDS}
    for fact in ("route", "viewport", "modal_stack"):
        old, new = getattr(before, fact), getattr(after, fact)
        if old != new and (new is not UNSET or fact == "modal_stack"):
            changes[fact] = new if new is not UNSET else ()
    if before.focus != after.focus:
        changes["focus"] = None if after.focus is UNSET else after.focus
    return PageGraphDelta(
        base_revision=before.revision,
        revision=after.revision,
        seq=after.seq,
        captured_at=after.captured_at,
        **changes,
    )


def is_empty(delta: PageGraphDelta) -> bool:
    """Return whether the delta carries nothing but a revision."""
    members = (*KINDS, "route", "viewport", "focus", "modal_stack")
    return all(getattr(delta, member) is UNSET for member in members)


def _nodes(before: PageGraph, after: PageGraph, kind: NodeKind) -> Any:
    old = {getattr(node, KEY_OF[kind]): node for node in getattr(before, kind) or ()}
    new = {getattr(node, KEY_OF[kind]): node for node in getattr(after, kind) or ()}
    removed = [key for key in old if key not in new]
    added = [node for key, node in new.items() if key not in old]
    updated = []
    for key, node in new.items():
        if key not in old or old[key] == node:
            continue
        patch = patch_between(old[key], node)
        if patch is None:  # a merge patch cannot write a null: replace the node
            removed.append(key)
            added.append(node)
        else:
            updated.append(NodePatch(key=key, patch=patch))
    if not (removed or added or updated):
        return UNSET
    parts = {"removed": removed, "added": added, "updated": updated}
    return NodeDelta(**{name: tuple(nodes) for name, nodes in parts.items() if nodes})
