"""The effect of a delta on a graph, computed before anything changes, so that an invalid delta changes nothing.

Checks keys, patches and references of the nodes that the delta names. The rest of the page is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.graph.changes import KEY_OF, KINDS, NodeKind
from uiap.graph.patch import patched
from uiap.spec.web import PageGraphDelta


class InvalidDelta(Exception):
    """The delta does not fit the graph; the message says why."""


@dataclass(slots=True)
class NodeDeltaPlan:
    """The nodes of one kind that a delta removes, adds and updates, with their new values."""

    removed: dict[str, None] = field(default_factory=dict)
    added: dict[str, Any] = field(default_factory=dict)
    updated: dict[str, Any] = field(default_factory=dict)

    def written(self) -> list[Any]:
        """Return the new values of all nodes that are added or updated."""
        return [
            *(node for key, node in self.added.items() if key not in self.updated),
            *self.updated.values(),
        ]


Dependents: TypeAlias = Callable[[NodeKind, str], Iterable[tuple[NodeKind, str]]]
"""Returns the nodes that name a given node as their document, scope or parent."""


class DeltaPlan:
    """All nodes that a valid delta changes."""

    def __init__(
        self, tables: Mapping[NodeKind, Mapping[str, Any]], dependents: Dependents, delta: PageGraphDelta
    ) -> None:
        self._tables = tables
        self.nodes: dict[NodeKind, NodeDeltaPlan] = {}
        for kind in KINDS:
            change = getattr(delta, kind)
            if change is not UNSET:
                self.nodes[kind] = self._node_plan(kind, change)
        self._check_references()
        self._check_orphans(dependents)

    def has(self, kind: NodeKind, key: str) -> bool:
        """Return whether the graph holds this node after the delta."""
        plan = self.nodes.get(kind)
        if plan is None:
            return key in self._tables[kind]
        return key in plan.added or (key in self._tables[kind] and key not in plan.removed)

    def after(self, kind: NodeKind, key: str) -> Any:
        """Return the node after the delta, or None."""
        if not self.has(kind, key):
            return None
        plan = self.nodes.get(kind) or NodeDeltaPlan()
        return plan.updated.get(key) or plan.added.get(key) or self._tables[kind][key]

    def _node_plan(self, kind: NodeKind, change: Any) -> NodeDeltaPlan:
        # removed, added, updated, in this order
        table, plan = self._tables[kind], NodeDeltaPlan()
        for key in change.removed or ():
            if key not in table or key in plan.removed:
                raise InvalidDelta(f"`{key}` is removed from {kind} but is not there")
            plan.removed[key] = None
        for node in change.added or ():
            key = getattr(node, KEY_OF[kind])
            if key in plan.added or (key in table and key not in plan.removed):
                raise InvalidDelta(f"`{key}` is added to {kind} but is already there")
            plan.added[key] = node
        for one in change.updated or ():
            plan.updated[one.key] = self._patched(kind, plan, one.key, one.patch)
        return plan

    def _patched(self, kind: NodeKind, plan: NodeDeltaPlan, key: str, patch: Mapping[str, Any]) -> Any:
        node = plan.updated.get(key) or plan.added.get(key)
        if node is None and key not in plan.removed:
            node = self._tables[kind].get(key)
        if node is None:
            raise InvalidDelta(f"`{key}` is updated in {kind} but is not there")
        try:
            after = patched(node, patch)
        except msgspec.ValidationError as error:
            raise InvalidDelta(f"the patch of `{key}` in {kind} is not valid: {error}") from error
        if getattr(after, KEY_OF[kind]) != key:
            raise InvalidDelta(f"the patch of `{key}` in {kind} changes its key")
        return after

    def _check_references(self) -> None:
        for kind, references in REFERENCES.items():
            for node in self.nodes[kind].written() if kind in self.nodes else ():
                for member, other in references.items():
                    key = getattr(node, member)
                    if key is not UNSET and not self.has(other, key):
                        raise InvalidDelta(
                            f"{member} `{key}` of `{getattr(node, KEY_OF[kind])}` is not in {other}"
                        )

    def _check_orphans(self, dependents: Dependents) -> None:
        for kind, plan in self.nodes.items():
            for key in plan.removed:
                if key in plan.added:
                    continue
                for other, orphan in dependents(kind, key):
                    if self._still_refers(other, orphan, kind, key):
                        raise InvalidDelta(
                            f"`{key}` is removed from {kind} but `{orphan}` still refers to it"
                        )

    def _still_refers(self, kind: NodeKind, node: str, other: NodeKind, key: str) -> bool:
        after = self.after(kind, node)
        members = REFERENCES.get(kind, {}).items()
        return after is not None and any(
            where == other and getattr(after, member) == key for member, where in members
        )


# Every reference must resolve inside the graph. Hosts, focus and the modal stack may be one flush late: they are
# looked up when needed and count as absent if they do not resolve.
REFERENCES: Mapping[NodeKind, Mapping[str, NodeKind]] = {
    "documents": {"parent_document_id": "documents"},
    "scopes": {"document_id": "documents", "parent_scope_id": "scopes"},
    "elements": {"document_id": "documents", "scope_id": "scopes", "parent_instance_id": "elements"},
    "opaque_regions": {"document_id": "documents"},
}
