"""UIAP Web Profile v0.1: the PageGraph, its deltas, web signals and the observe messages.

The graph is flat: documents, scopes and elements refer to each other by ids. `uiap.graph` applies deltas and checks
references.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar, get_args

from msgspec import UNSET, Meta, UnsetType, field

from uiap.spec.base import Count, JsonObject, KindTagged, Milliseconds, Number, Struct, Timestamp
from uiap.spec.capability import (
    ActionId,
    ProfileId,
    RiskDescriptor,
    ScopeId,
    StableId,
    SuccessSignal,
    UIAffordance,
    UIRole,
    UIState,
    UIStateKey,
)
from uiap.spec.capability import InstanceIdRef as InstanceIdRef
from uiap.spec.capability import WebTargetRef as WebTargetRef
from uiap.spec.vocabulary import SCOPE_KINDS as SCOPE_KINDS
from uiap.spec.vocabulary import DataClass, RedactionMode
from uiap.spec.vocabulary import DocumentId as DocumentId
from uiap.spec.vocabulary import ElementInstanceId as ElementInstanceId
from uiap.spec.vocabulary import RevisionId as RevisionId
from uiap.spec.vocabulary import ScopeKind as ScopeKind

SemanticSource: TypeAlias = Literal[
    "annotation", "app_registry", "native", "aria", "text", "heuristic", "vision"
]
DocumentAccess: TypeAlias = Literal["full", "bridged", "opaque"]
CollectionRole: TypeAlias = Literal["list", "table", "grid", "tree", "listbox", "menu", "tablist", "custom"]
OpaqueKind: TypeAlias = Literal["cross_origin_frame", "closed_shadow", "canvas", "plugin", "unknown"]
SnapshotReason: TypeAlias = Literal["requested", "initial", "resync", "navigation"]
ObserveChannel: TypeAlias = Literal["delta", "signal"]
ToastLevel: TypeAlias = Literal["info", "success", "warning", "error"]

SEMANTIC_SOURCES: tuple[SemanticSource, ...] = get_args(SemanticSource)
OPAQUE_KINDS: tuple[OpaqueKind, ...] = get_args(OpaqueKind)


class DOMRectLike(Struct, gc=False):
    """CSS pixels, relative to the viewport of the element's own document."""

    x: Number
    y: Number
    width: Number
    height: Number


class RouteInfo(Struct):
    route_id: str | UnsetType = UNSET
    url: str
    path: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    params: dict[str, str] | UnsetType = UNSET
    status: Literal["idle", "loading", "error"] | UnsetType = UNSET


class ViewportInfo(Struct):
    width: Number
    height: Number
    scroll_x: Number | UnsetType = UNSET
    scroll_y: Number | UnsetType = UNSET
    device_pixel_ratio: Number | UnsetType = UNSET


class DocumentNode(Struct):
    document_id: DocumentId
    kind: Literal["root", "frame"]
    parent_document_id: DocumentId | UnsetType = UNSET
    host_instance_id: ElementInstanceId | UnsetType = UNSET
    url: str | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    access: DocumentAccess
    frame_rect: DOMRectLike | UnsetType = UNSET


class ScopeNode(Struct, gc=False):
    scope_id: ScopeId
    kind: ScopeKind
    document_id: DocumentId
    parent_scope_id: ScopeId | UnsetType = UNSET
    stable_id: StableId | UnsetType = UNSET
    host_instance_id: ElementInstanceId | UnsetType = UNSET
    name: str | UnsetType = UNSET
    route_id: str | UnsetType = UNSET
    state: UIState | UnsetType = UNSET
    bbox: DOMRectLike | UnsetType = UNSET
    source: SemanticSource | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class WebElementState(UIState, gc=False):
    """UIState and three facts that ACT-9.2 checks and the Capability Model does not define."""

    attached: bool | UnsetType = UNSET
    stable: bool | UnsetType = UNSET
    in_viewport: bool | UnsetType = UNSET


class ElementRedaction(Struct, gc=False):
    mode: RedactionMode
    keys: tuple[UIStateKey, ...]
    data_class: DataClass | UnsetType = UNSET


class ElementHints(Struct, gc=False):
    """Local: it is not sent unless a snapshot asks for it."""

    css: str | UnsetType = UNSET
    xpath: str | UnsetType = UNSET


class ElementNode(Struct, gc=False):
    instance_id: ElementInstanceId
    stable_id: StableId | UnsetType = UNSET
    document_id: DocumentId
    scope_id: ScopeId | UnsetType = UNSET
    parent_instance_id: ElementInstanceId | UnsetType = UNSET
    shadow_host_instance_id: ElementInstanceId | UnsetType = UNSET
    role: UIRole
    custom_role: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    meaning: str | UnsetType = UNSET
    state: WebElementState
    affordances: tuple[UIAffordance, ...]
    supported_actions: tuple[ActionId, ...] | UnsetType = UNSET
    default_action: ActionId | UnsetType = UNSET
    risk: RiskDescriptor | UnsetType = UNSET
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    success: tuple[SuccessSignal, ...] | UnsetType = UNSET
    bbox: DOMRectLike | UnsetType = UNSET
    redaction: ElementRedaction | UnsetType = UNSET
    hints: ElementHints | UnsetType = UNSET
    source: SemanticSource | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class FocusInfo(Struct):
    """The focused element. `ui.focus` is verified against `target` (ACT-11.2)."""

    target: ElementInstanceId | UnsetType = UNSET
    stable_id: StableId | UnsetType = UNSET
    document_id: DocumentId | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET


class CollectionNode(Struct, gc=False):
    collection_id: str
    owner_instance_id: ElementInstanceId
    stable_id: StableId | UnsetType = UNSET
    role: CollectionRole
    count: Count
    total_count: Count | UnsetType = UNSET
    signature: str | UnsetType = UNSET
    entity_type: str | UnsetType = UNSET


class OpaqueRegion(Struct):
    region_id: str
    kind: OpaqueKind
    document_id: DocumentId
    host_instance_id: ElementInstanceId | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    bbox: DOMRectLike | UnsetType = UNSET
    bridge_available: bool | UnsetType = UNSET


class Truncation(Struct):
    reason: Literal["max_elements", "budget"]
    omitted_elements: Count


class PageGraph(Struct):
    model_version: Literal["0.1"]
    profile: ProfileId
    revision: RevisionId
    seq: Count
    captured_at: Timestamp
    route: RouteInfo
    viewport: ViewportInfo | UnsetType = UNSET
    documents: Annotated[tuple[DocumentNode, ...], Meta(min_length=1)]
    scopes: tuple[ScopeNode, ...]
    elements: tuple[ElementNode, ...]
    collections: tuple[CollectionNode, ...] | UnsetType = UNSET
    focus: FocusInfo | UnsetType = UNSET
    modal_stack: tuple[ScopeId, ...] | UnsetType = UNSET
    opaque_regions: tuple[OpaqueRegion, ...] | UnsetType = UNSET
    redacted: bool | UnsetType = UNSET
    truncated: Truncation | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


Node = TypeVar("Node")


class NodePatch(Struct, gc=False):
    """An RFC 7396 merge patch of the node with this key. Arrays are replaced as a whole."""

    key: str
    patch: JsonObject


class NodeDelta(Struct, Generic[Node]):
    """The changed nodes of one kind, applied in the order removed, added, updated."""

    removed: tuple[str, ...] | UnsetType = UNSET
    added: tuple[Node, ...] | UnsetType = UNSET
    updated: tuple[NodePatch, ...] | UnsetType = UNSET


class DeltaCause(Struct):
    action_handle: str | UnsetType = UNSET


class PageGraphDelta(Struct):
    base_revision: RevisionId
    revision: RevisionId
    seq: Count
    captured_at: Timestamp
    route: RouteInfo | UnsetType = UNSET
    viewport: ViewportInfo | UnsetType = UNSET
    focus: FocusInfo | UnsetType | None = UNSET  # None: nothing has the focus; UNSET: it did not change
    modal_stack: tuple[ScopeId, ...] | UnsetType = UNSET
    documents: NodeDelta[DocumentNode] | UnsetType = UNSET
    scopes: NodeDelta[ScopeNode] | UnsetType = UNSET
    elements: NodeDelta[ElementNode] | UnsetType = UNSET
    collections: NodeDelta[CollectionNode] | UnsetType = UNSET
    opaque_regions: NodeDelta[OpaqueRegion] | UnsetType = UNSET
    caused_by: DeltaCause | UnsetType = UNSET


# The wire name of each node kind's key, by the member of PageGraph that holds it.
NODE_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "documentId",
        "scopes": "scopeId",
        "elements": "instanceId",
        "collections": "collectionId",
        "opaqueRegions": "regionId",
    }
)
KEPT_REVISIONS = 16


class ValidationIssue(Struct):
    instance_id: ElementInstanceId | UnsetType = UNSET
    stable_id: StableId | UnsetType = UNSET
    message: str
    code: str | UnsetType = UNSET


class RouteChangedSignal(KindTagged, tag="route.changed"):
    from_: RouteInfo | UnsetType = field(default=UNSET, name="from")
    to: RouteInfo


class ToastShownSignal(KindTagged, tag="toast.shown"):
    text: str
    level: ToastLevel | UnsetType = UNSET
    instance_id: ElementInstanceId | UnsetType = UNSET


class ToastHiddenSignal(KindTagged, tag="toast.hidden"):
    instance_id: ElementInstanceId | UnsetType = UNSET


class StatusUpdatedSignal(KindTagged, tag="status.updated"):
    text: str
    instance_id: ElementInstanceId | UnsetType = UNSET


class ValidationChangedSignal(KindTagged, tag="validation.changed"):
    scope_id: ScopeId | UnsetType = UNSET
    errors: tuple[ValidationIssue, ...]


class FocusChangedSignal(KindTagged, tag="focus.changed"):
    focus: FocusInfo


class DialogOpenedSignal(KindTagged, tag="dialog.opened"):
    scope_id: ScopeId
    stable_id: StableId | UnsetType = UNSET


class DialogClosedSignal(KindTagged, tag="dialog.closed"):
    scope_id: ScopeId
    stable_id: StableId | UnsetType = UNSET


class ElementAppearedSignal(KindTagged, tag="element.appeared"):
    instance_id: ElementInstanceId
    stable_id: StableId | UnsetType = UNSET


class ElementDisappearedSignal(KindTagged, tag="element.disappeared"):
    instance_id: ElementInstanceId
    stable_id: StableId | UnsetType = UNSET


class EntityCreatedSignal(KindTagged, tag="entity.created"):
    entity_type: str
    id: str | UnsetType = UNSET
    data: JsonObject | UnsetType = UNSET


class EntityUpdatedSignal(KindTagged, tag="entity.updated"):
    entity_type: str
    id: str | UnsetType = UNSET
    data: JsonObject | UnsetType = UNSET


class EntityDeletedSignal(KindTagged, tag="entity.deleted"):
    entity_type: str
    id: str | UnsetType = UNSET
    data: JsonObject | UnsetType = UNSET


class NetworkResponseSignal(KindTagged, tag="network.response"):
    url: str
    method: str | UnsetType = UNSET
    status: Count


class UserActivationSignal(KindTagged, tag="user.activation"):
    trusted: bool


class CustomSignal(KindTagged, tag="custom"):
    name: str
    payload: JsonObject | UnsetType = UNSET


WebSignal: TypeAlias = (
    RouteChangedSignal
    | ToastShownSignal
    | ToastHiddenSignal
    | StatusUpdatedSignal
    | ValidationChangedSignal
    | FocusChangedSignal
    | DialogOpenedSignal
    | DialogClosedSignal
    | ElementAppearedSignal
    | ElementDisappearedSignal
    | EntityCreatedSignal
    | EntityUpdatedSignal
    | EntityDeletedSignal
    | NetworkResponseSignal
    | UserActivationSignal
    | CustomSignal
)
WebSignalKind: TypeAlias = Literal[
    "route.changed",
    "toast.shown",
    "toast.hidden",
    "status.updated",
    "validation.changed",
    "focus.changed",
    "dialog.opened",
    "dialog.closed",
    "element.appeared",
    "element.disappeared",
    "entity.created",
    "entity.updated",
    "entity.deleted",
    "network.response",
    "user.activation",
    "custom",
]
WEB_SIGNALS: tuple[type[KindTagged], ...] = get_args(WebSignal)
WEB_SIGNAL_KINDS: tuple[WebSignalKind, ...] = get_args(WebSignalKind)
# The signals that every publisher must send; the others are optional.
MANDATORY_SIGNAL_KINDS: frozenset[WebSignalKind] = frozenset(
    {"route.changed", "toast.shown", "validation.changed", "focus.changed"}
)


class SnapshotOptions(Struct):
    document_ids: tuple[DocumentId, ...] | UnsetType = UNSET
    scope_ids: tuple[ScopeId, ...] | UnsetType = UNSET
    include_hidden: bool | UnsetType = UNSET
    include_bbox: bool | UnsetType = field(default=UNSET, name="includeBBox")
    include_text: bool | UnsetType = UNSET
    include_hints: bool | UnsetType = UNSET
    values: Literal["none", "redacted", "full"] | UnsetType = UNSET
    max_elements: Count | UnsetType = UNSET


SNAPSHOT_DEFAULTS = SnapshotOptions(
    include_hidden=False,
    include_bbox=True,
    include_text=True,
    include_hints=False,
    values="redacted",
    max_elements=500,
)
OBSERVE_THROTTLE_MS = 100


class WebStateGetPayload(Struct):
    options: SnapshotOptions | UnsetType = UNSET


class WebStateSnapshotPayload(Struct):
    graph: PageGraph
    reason: SnapshotReason | UnsetType = UNSET


class WebObservePayload(Struct):
    channels: tuple[ObserveChannel, ...]
    options: SnapshotOptions | UnsetType = UNSET
    signal_kinds: tuple[WebSignalKind, ...] | UnsetType = UNSET
    throttle_ms: Milliseconds | UnsetType = UNSET
    send_initial_snapshot: bool | UnsetType = UNSET


class WebObservingPayload(Struct):
    subscription_id: str
    revision: RevisionId


class WebUnobservePayload(Struct):
    subscription_id: str


class WebUnobservedPayload(Struct):
    subscription_id: str


class WebStateDeltaPayload(Struct):
    subscription_id: str | UnsetType = UNSET
    delta: PageGraphDelta


class WebSignalPayload(Struct):
    signal: WebSignal
    ts: Timestamp
    revision: RevisionId | UnsetType = UNSET
    action_handle: str | UnsetType = UNSET


class FrameBridgeMessage(Struct):
    """A message between parent and child documents through `postMessage`."""

    uiap_bridge: Literal["0.1"]
    op: Literal["hello", "welcome", "graph", "delta", "signal", "execute", "result"]
    nonce: str
    payload: JsonObject | UnsetType = UNSET


ANNOTATION_PREFIX = "data-uiap-"
# Attribute names without their prefix, and the member of the graph that each fills.
ANNOTATIONS: Mapping[str, str] = MappingProxyType(
    {
        "id": "stableId",
        "scope": "ScopeNode.scopeId",
        "scope-kind": "ScopeNode.kind",
        "route": "route.routeId",
        "role": "role",
        "name": "name",
        "meaning": "meaning",
        "affordances": "affordances",
        "action": "defaultAction",
        "actions": "supportedActions",
        "risk": "risk.level",
        "risk-tags": "risk.tags",
        "data-class": "dataClasses",
        "sensitive": "state.sensitive",
        "success": "success",
        "collection": "CollectionNode.collectionId",
        "entity": "metadata.entity",
        "ignore": "",
        "opaque": "OpaqueRegion",
    }
)
