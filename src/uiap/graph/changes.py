"""The net difference between two revisions, per node and member. Knows no store.

A value that a revision does not publish is `UNSET`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    ElementNode,
    FocusInfo,
    OpaqueRegion,
    RouteInfo,
    ScopeNode,
    ViewportInfo,
)

GraphNode: TypeAlias = DocumentNode | ScopeNode | ElementNode | CollectionNode | OpaqueRegion
Node = TypeVar("Node", bound=GraphNode)
NodeKind: TypeAlias = Literal["documents", "scopes", "elements", "collections", "opaque_regions"]
KINDS: tuple[NodeKind, ...] = ("documents", "scopes", "elements", "collections", "opaque_regions")
KEY_OF: Mapping[NodeKind, str] = {
    "documents": "document_id",
    "scopes": "scope_id",
    "elements": "instance_id",
    "collections": "collection_id",
    "opaque_regions": "region_id",
}
OldNew: TypeAlias = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class NodeUpdate(Generic[Node]):
    """A node that is in both revisions and differs."""

    key: str
    before: Node
    after: Node
    members: Mapping[str, OldNew]
    """Old and new value by attribute name. Members of the state have names such as `state.checked`."""


@dataclass(frozen=True, slots=True)
class NodeChanges(Generic[Node]):
    """The changed nodes of one kind."""

    added: tuple[Node, ...] = ()
    removed: tuple[Node, ...] = ()
    updated: tuple[NodeUpdate[Node], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.updated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Everything that differs between two revisions. A node added and removed in between does not appear."""

    base: str
    revision: str
    documents: NodeChanges[DocumentNode] = field(default_factory=NodeChanges)
    scopes: NodeChanges[ScopeNode] = field(default_factory=NodeChanges)
    elements: NodeChanges[ElementNode] = field(default_factory=NodeChanges)
    collections: NodeChanges[CollectionNode] = field(default_factory=NodeChanges)
    opaque_regions: NodeChanges[OpaqueRegion] = field(default_factory=NodeChanges)
    route: tuple[RouteInfo, RouteInfo] | None = None
    viewport: tuple[ViewportInfo | UnsetType, ViewportInfo | UnsetType] | None = None
    focus: tuple[FocusInfo | None, FocusInfo | None] | None = None
    modal_stack: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    def __bool__(self) -> bool:
        page_facts = (self.route, self.viewport, self.focus, self.modal_stack)
        return any(getattr(self, kind) for kind in KINDS) or any(fact is not None for fact in page_facts)


def node_update(key: str, before: Node, after: Node) -> NodeUpdate[Node]:
    """Return the update that leads from one node to the other."""
    return NodeUpdate(key, before, after, changed_members(before, after))


def changed_members(before: msgspec.Struct, after: msgspec.Struct) -> dict[str, OldNew]:
    """Return old and new value of every member that differs, by attribute name."""
    members: dict[str, OldNew] = {}
    for name in before.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if old == new and type(old) is type(new):
            continue
        if name == "state":
            members |= _state_members(old, new)
        else:
            members[name] = (old, new)
    return members


def _state_members(old: Any, new: Any) -> dict[str, OldNew]:
    state = old if isinstance(old, msgspec.Struct) else new
    pairs = {
        f"state.{name}": (getattr(old, name, UNSET), getattr(new, name, UNSET))
        for name in state.__struct_fields__
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
