"""A naive second implementation of `uiap.graph.store`: plain JSON that is copied at every revision."""

import copy
from typing import Any

KEYS = {
    "documents": "documentId",
    "scopes": "scopeId",
    "elements": "instanceId",
    "collections": "collectionId",
    "opaqueRegions": "regionId",
}


def merge(target: Any, patch: Any) -> Any:
    """RFC 7396, as its section 2 writes it."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = merge(target.get(name), value)
    return target


def apply(graph: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any] | None:
    """Return the next graph, or None if the delta starts from another revision."""
    if delta["baseRevision"] != graph["revision"]:
        return None
    after = copy.deepcopy(graph)
    for member in ("revision", "seq", "capturedAt", "route", "viewport", "modalStack"):
        if member in delta:
            after[member] = delta[member]
    if "focus" in delta:
        after["focus"] = delta["focus"]
        if delta["focus"] is None:
            del after["focus"]
    for member, key in KEYS.items():
        change = delta.get(member, {})
        nodes = {node[key]: node for node in after.get(member, [])}
        for gone in change.get("removed", []):
            del nodes[gone]
        for node in change.get("added", []):
            assert node[key] not in nodes
            nodes[node[key]] = node
        for update in change.get("updated", []):
            nodes[update["key"]] = merge(nodes[update["key"]], update["patch"])
        after[member] = list(nodes.values())
    return after


def changed_nodes(before: Any, after: Any, member: str) -> tuple[set[str], set[str], set[str]]:
    """Return the keys of the added, removed and changed nodes."""
    key = KEYS[member]
    old = {node[key]: node for node in before.get(member, [])}
    new = {node[key]: node for node in after.get(member, [])}
    both = old.keys() & new.keys()
    return new.keys() - old.keys(), old.keys() - new.keys(), {k for k in both if old[k] != new[k]}
