"""The publisher's messages as types, and the checks each must pass before it is believed.

One JSON text per message, `t` says which. A message that is no JSON, has an unknown shape, or speaks of ids
outside its own document is refused as a whole. See web/sdk/PROTOCOL.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from uiap.spec.base import JsonObject, Struct
from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    ElementNode,
    FocusInfo,
    NodeDelta,
    OpaqueRegion,
    RouteInfo,
    ScopeNode,
    Truncation,
    ViewportInfo,
    WebSignal,
)


class Refusal(Exception):
    """The message is not one our publisher would send."""


class Push(Struct, tag_field="t"):
    """What every message carries: its number, the page's clock, and the secret given at boot."""

    seq: int = 0
    at: float | None = None
    key: str = ""


class Hello(Push, tag="hello"):
    """The bundle runs here; it publishes once it is booted."""


class Bye(Push, tag="bye"):
    """The document is being left; its end is the browser's to tell."""


class OriginRefused(Push, tag="refused"):
    """The publisher itself found that it may not read this document."""

    origin: str = ""


class GuardVerdict(Push, tag="guard"):
    """What the armed guard did with an input event."""

    ok: bool
    token: str = ""
    node: str = ""
    event: str = ""
    reason: str = ""
    got: JsonObject | None = None


class SignalPush(Push, tag="signal"):
    signal: WebSignal
    attribution: JsonObject | None = None


class PaintPush(Push, tag="paint"):
    """What an input event led to later, as the browser itself follows it through timers and requests."""

    kind: Literal["paint", "route"]
    token: str
    node: str = ""
    text: str = ""


class FrameGraph(Struct):
    """What one document publishes of itself; revision numbers are the tab's to give."""

    route: RouteInfo
    viewport: ViewportInfo | UnsetType = UNSET
    documents: tuple[DocumentNode, ...]
    scopes: tuple[ScopeNode, ...] = ()
    elements: tuple[ElementNode, ...] = ()
    collections: tuple[CollectionNode, ...] = ()
    opaque_regions: tuple[OpaqueRegion, ...] = ()
    focus: FocusInfo | None = None
    modal_stack: tuple[str, ...] = ()
    truncated: Truncation | UnsetType = UNSET


class FrameDelta(Struct):
    route: RouteInfo | UnsetType = UNSET
    viewport: ViewportInfo | UnsetType = UNSET
    focus: FocusInfo | UnsetType | None = UNSET
    modal_stack: tuple[str, ...] | UnsetType = UNSET
    truncated: Truncation | UnsetType | None = UNSET
    """How many elements are left out now; null: none any more."""
    documents: NodeDelta[DocumentNode] | UnsetType = UNSET
    scopes: NodeDelta[ScopeNode] | UnsetType = UNSET
    elements: NodeDelta[ElementNode] | UnsetType = UNSET
    collections: NodeDelta[CollectionNode] | UnsetType = UNSET
    opaque_regions: NodeDelta[OpaqueRegion] | UnsetType = UNSET


class PartPush(Push, tag="part"):
    """The first elements of a graph that follows; a big one comes in several, to be read while the next is written."""

    elements: tuple[ElementNode, ...]


class GraphPush(Push, tag="graph"):
    graph: FrameGraph


class DeltaPush(Push, tag="delta"):
    base: int
    delta: FrameDelta
    caused_by: str | None = None


AnyPush: TypeAlias = (
    Hello | Bye | OriginRefused | GuardVerdict | SignalPush | PaintPush | PartPush | GraphPush | DeltaPush
)
_typed: msgspec.json.Decoder[AnyPush] = msgspec.json.Decoder(AnyPush)
_untyped = msgspec.json.Decoder(dict[str, Any])


def read_push(payload: str, key: str, *, root: bool) -> AnyPush:
    """One message of the document `key`; ids that an app chose in a child frame get the document's prefix."""
    try:
        push = _typed.decode(payload) if root else _convert(_prefixed(_untyped.decode(payload), key))
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refusal(f"not a message of the publisher: {error}") from error
    if isinstance(push, GraphPush):
        _check_graph(push.graph, key)
    elif isinstance(push, PartPush):
        _check_elements(push.elements, key)
    elif isinstance(push, DeltaPush):
        _check_delta(push.delta, key)
    elif isinstance(push, PaintPush) and push.node:
        _own(key, (push.node,))
    return push


def _convert(message: Any) -> AnyPush:
    push: AnyPush = msgspec.convert(message, AnyPush)
    return push


def _check_graph(graph: FrameGraph, key: str) -> None:
    _check_elements(graph.elements, key)
    _of(key, graph.scopes, graph.opaque_regions, graph.documents)


def _check_elements(elements: tuple[ElementNode, ...], key: str) -> None:
    _own(key, (element.instance_id for element in elements))
    _of(key, elements)


def _check_delta(delta: FrameDelta, key: str) -> None:
    if elements := delta.elements or None:
        _own(key, (node.instance_id for node in elements.added or ()))
        _own(key, elements.removed or ())
        _own(key, (change.key for change in elements.updated or ()))
        _of(key, elements.added or ())
    if scopes := delta.scopes or None:
        _of(key, scopes.added or ())
    if regions := delta.opaque_regions or None:
        _of(key, regions.added or ())
    if documents := delta.documents or None:
        _of(key, documents.added or ())
        if documents.removed or any(change.key != key for change in documents.updated or ()):
            raise Refusal("a document speaks for another one")


def _own(key: str, ids: Iterable[str]) -> None:
    prefix = f"{key}e"
    for instance_id in ids:
        if not instance_id.startswith(prefix):
            raise Refusal(f"`{instance_id[:80]}` is not an id of document `{key}`")


def _of(key: str, *groups: Iterable[Any]) -> None:
    for nodes in groups:
        for node in nodes:
            if node.document_id != key:
                raise Refusal(f"a node of `{node.document_id[:80]}` came from document `{key}`")


_SCOPE_MEMBERS = ("scopeId", "parentScopeId", "collectionId")


def _prefixed(value: Any, key: str) -> Any:
    """companions §4.10: ids a child frame chose itself are prefixed with its document id."""
    if isinstance(value, list):
        return [_prefixed(item, key) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: _prefixed(item, key) for name, item in value.items()}
    for name in _SCOPE_MEMBERS:
        if isinstance(changed.get(name), str):
            changed[name] = _prefix(changed[name], key)
    if isinstance(changed.get("modalStack"), list):
        changed["modalStack"] = [_prefix(str(item), key) for item in changed["modalStack"]]
    for group in ("scopes", "collections"):
        if isinstance(changed.get(group), dict):
            changed[group] = _prefixed_keys(changed[group], key)
    return changed


def _prefixed_keys(delta: dict[str, Any], key: str) -> dict[str, Any]:
    if isinstance(delta.get("removed"), list):
        delta["removed"] = [_prefix(str(item), key) for item in delta["removed"]]
    for change in delta.get("updated") or ():
        change["key"] = _prefix(str(change.get("key", "")), key)
    return delta


def _prefix(name: str, key: str) -> str:
    if name.startswith((f"{key}e", f"{key}s", f"{key}c", f"{key}/")):
        return name
    return f"{key}/{name}"
