"""The messages of the page script as types, and the checks that each must pass.

A message is one JSON text; `t` is its type. A message that is not JSON, has an unknown shape, or uses ids of another
document is rejected as a whole. See web/sdk/PROTOCOL.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from uiap.drivers.chromium.page.element_ids import document_key
from uiap.drivers.events import InputKind
from uiap.signals.refusal import Answer
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


class PushRejected(Exception):
    """The message is not valid for our page script."""


class Push(Struct, tag_field="t"):
    """The members of every message: its number, the page's time, and the secret given at boot."""

    seq: int = 0
    at: float | None = None
    key: str = ""


class Hello(Push, tag="hello"):
    """The page script is loaded; it publishes after it is booted."""


class Bye(Push, tag="bye"):
    """The document is being unloaded; the browser reports its end."""


class OriginRefused(Push, tag="refused"):
    """The page script found that it may not read this document."""

    origin: str = ""


class GuardVerdict(Push, tag="guard"):
    """The result of the armed guard for one input event."""

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
    """A later effect of an input event, as the browser attributes it through timers and requests."""

    kind: Literal["paint", "route"]
    token: str
    node: str = ""
    text: str = ""


class WorkPush(Push, tag="work"):
    """The unfinished work of one input, as the tracer reports it: kind, age in ms, detail and source of each."""

    token: str
    work: tuple[tuple[str, float, str | float, str], ...] = ()


class AnswerPush(Push, tag="answer"):
    """An answer to a message of one input, as the tracer read it."""

    token: str
    answer: Answer


class OutsidePush(Push, tag="outside"):
    """An effect that the graph does not show: a tab, a download, the clipboard, a print, the look of the page."""

    kind: Literal[
        "tab", "download", "navigation", "clipboard", "print", "look", "look_undone", "style", "style_undone"
    ]  # fmt: skip
    token: str | None = None
    detail: str = ""


class InputPush(Push, tag="input"):
    """An input of a person, before the page reacts."""

    kind: InputKind
    node: str = ""
    role: str = ""
    name: str = ""
    value: str | None = None
    secret: bool = False
    input_key: str = msgspec.field(default="", name="inputKey")
    by_key: bool = False


class FrameGraph(Struct):
    """The graph of one document; the tab assigns the revision numbers."""

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
    """The number of omitted elements; null if the document is complete again."""
    documents: NodeDelta[DocumentNode] | UnsetType = UNSET
    scopes: NodeDelta[ScopeNode] | UnsetType = UNSET
    elements: NodeDelta[ElementNode] | UnsetType = UNSET
    collections: NodeDelta[CollectionNode] | UnsetType = UNSET
    opaque_regions: NodeDelta[OpaqueRegion] | UnsetType = UNSET


class PartPush(Push, tag="part"):
    """The first elements of a large graph, sent early so that we decode them while the page writes the rest."""

    elements: tuple[ElementNode, ...]


class GraphPush(Push, tag="graph"):
    graph: FrameGraph


class DeltaPush(Push, tag="delta"):
    base: int
    delta: FrameDelta
    caused_by: str | None = None
    not_caused: tuple[str, ...] = ()
    """Elements and scopes of the delta that other code changed."""
    dismissed: tuple[str, ...] = ()
    """Nodes in a layer that closed because the press went elsewhere."""


AnyPush: TypeAlias = (
    Hello
    | Bye
    | OriginRefused
    | GuardVerdict
    | SignalPush
    | PaintPush
    | WorkPush
    | AnswerPush
    | OutsidePush
    | InputPush
    | PartPush
    | GraphPush
    | DeltaPush
)
_root_decoder: msgspec.json.Decoder[AnyPush] = msgspec.json.Decoder(AnyPush)
_child_decoder = msgspec.json.Decoder(dict[str, Any])


def read_push(payload: str, key: str, *, root: bool) -> AnyPush:
    """Decode and check one message of the document `key`; in a child frame, prefix the ids that the app chose."""
    try:
        push = (
            _root_decoder.decode(payload)
            if root
            else _convert(_add_prefixes(_child_decoder.decode(payload), key))
        )
    except (msgspec.DecodeError, RecursionError) as error:
        raise PushRejected(f"this is not a message of the page script: {error}") from error
    if isinstance(push, GraphPush):
        _check_graph(push.graph, key)
    elif isinstance(push, PartPush):
        _check_elements(push.elements, key)
    elif isinstance(push, DeltaPush):
        _check_delta(push.delta, key)
    elif isinstance(push, PaintPush | InputPush) and push.node:
        _check_element_ids(key, (push.node,))
    return push


def _convert(message: Any) -> AnyPush:
    push: AnyPush = msgspec.convert(message, AnyPush)
    return push


def _check_graph(graph: FrameGraph, key: str) -> None:
    _check_elements(graph.elements, key)
    _check_document_ids(key, graph.scopes, graph.opaque_regions, graph.documents)


def _check_elements(elements: tuple[ElementNode, ...], key: str) -> None:
    _check_element_ids(key, (element.instance_id for element in elements))
    _check_document_ids(key, elements)


def _check_delta(delta: FrameDelta, key: str) -> None:
    if elements := delta.elements or None:
        _check_element_ids(key, (node.instance_id for node in elements.added or ()))
        _check_element_ids(key, elements.removed or ())
        _check_element_ids(key, (change.key for change in elements.updated or ()))
        _check_document_ids(key, elements.added or ())
    if scopes := delta.scopes or None:
        _check_document_ids(key, scopes.added or ())
    if regions := delta.opaque_regions or None:
        _check_document_ids(key, regions.added or ())
    if documents := delta.documents or None:
        _check_document_ids(key, documents.added or ())
        if documents.removed or any(change.key != key for change in documents.updated or ()):
            raise PushRejected("a document reports changes of another document")


def _check_element_ids(key: str, ids: Iterable[str]) -> None:
    for instance_id in ids:
        if document_key(instance_id) != key:
            raise PushRejected(f"`{instance_id[:80]}` is not an id of document `{key}`")


def _check_document_ids(key: str, *groups: Iterable[Any]) -> None:
    for nodes in groups:
        for node in nodes:
            if node.document_id != key:
                raise PushRejected(f"a node of `{node.document_id[:80]}` came from document `{key}`")


_SCOPE_MEMBERS = ("scopeId", "parentScopeId", "collectionId")


def _add_prefixes(value: Any, key: str) -> Any:
    """Prefix the ids that the app chose in a child frame with its document id."""
    if isinstance(value, list):
        return [_add_prefixes(item, key) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: _add_prefixes(item, key) for name, item in value.items()}
    for name in _SCOPE_MEMBERS:
        if isinstance(changed.get(name), str):
            changed[name] = _prefix(changed[name], key)
    if isinstance(changed.get("modalStack"), list):
        changed["modalStack"] = [_prefix(str(item), key) for item in changed["modalStack"]]
    for group in ("scopes", "collections"):
        if isinstance(changed.get(group), dict):
            changed[group] = _prefix_delta_keys(changed[group], key)
    return changed


def _prefix_delta_keys(delta: dict[str, Any], key: str) -> dict[str, Any]:
    if isinstance(delta.get("removed"), list):
        delta["removed"] = [_prefix(str(item), key) for item in delta["removed"]]
    for change in delta.get("updated") or ():
        change["key"] = _prefix(str(change.get("key", "")), key)
    return delta


def _prefix(name: str, key: str) -> str:
    if name.startswith((f"{key}s", f"{key}c", f"{key}/")) or document_key(name) == key:
        return name
    return f"{key}/{name}"
