"""The envelope and `action.request` once more, in pydantic v2: the same members, constraints and unions.

Kept beside the benchmark that uses it. Optional members default to None without admitting null, as UNSET does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from uiap.spec.capability import ExecutionMode, UIRole
from uiap.spec.core import ParticipantRole

Identifier = Annotated[str, Field(min_length=1, max_length=128)]
Version = Annotated[str, Field(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}$")]
MessageType = Annotated[str, Field(pattern=r"^(error|[a-z][A-Za-z0-9_-]*(\.[a-z][A-Za-z0-9_-]*)+)$")]
Timestamp = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        r"T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?Z$"
    ),
]
Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)]
JsonObject = dict[str, Any]
ActionId = Annotated[str, Field(min_length=1)]
ABSENT: Any = None


class Model(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, frozen=True, strict=True, extra="ignore", populate_by_name=True
    )


class ParticipantRef(Model):
    role: ParticipantRole
    id: Identifier


class StableIdRef(Model):
    by: Literal["stableId"]
    value: str


class ScopeRef(Model):
    by: Literal["scope"]
    value: str


class RouteRef(Model):
    by: Literal["route"]
    value: str


class SemanticRef(Model):
    by: Literal["semantic"]
    role: UIRole
    name: str = ABSENT
    scope: str = ABSENT


class CustomRef(Model):
    by: Literal["custom"]
    value: str


class InstanceIdRef(Model):
    by: Literal["instanceId"]
    value: str


WebTargetRef = Annotated[
    StableIdRef | ScopeRef | RouteRef | SemanticRef | CustomRef | InstanceIdRef, Field(discriminator="by")
]


class UIState(Model):
    visible: bool = ABSENT
    enabled: bool = ABSENT
    focusable: bool = ABSENT
    focused: bool = ABSENT
    editable: bool = ABSENT
    readonly: bool = ABSENT
    required: bool = ABSENT
    busy: bool = ABSENT
    loading: bool = ABSENT
    blocked: bool = ABSENT
    selected: bool = ABSENT
    checked: bool | Literal["mixed"] = ABSENT
    pressed: bool = ABSENT
    expanded: bool = ABSENT
    open: bool = ABSENT
    modal: bool = ABSENT
    hovered: bool = ABSENT
    dragged: bool = ABSENT
    current: Literal[False, "page", "step", "location", "date", "time"] = ABSENT
    invalid: bool | Literal["grammar", "spelling"] = ABSENT
    multiline: bool = ABSENT
    has_popup: Literal[False, "menu", "listbox", "dialog", "grid", "tree"] = ABSENT
    orientation: Literal["horizontal", "vertical"] = ABSENT
    text_value: str = ABSENT
    numeric_value: int | float = ABSENT
    min: int | float = ABSENT
    max: int | float = ABSENT
    step: int | float = ABSENT
    placeholder: str = ABSENT
    description: str = ABSENT
    sensitive: bool = ABSENT
    obscured: bool = ABSENT


class ElementAppeared(Model):
    kind: Literal["element.appeared"]
    target: WebTargetRef


class ElementDisappeared(Model):
    kind: Literal["element.disappeared"]
    target: WebTargetRef


class ElementState(Model):
    kind: Literal["element.state"]
    target: WebTargetRef
    state: UIState


class ValueEquals(Model):
    kind: Literal["value.equals"]
    target: WebTargetRef
    value: str | int | float | bool


class RouteChanged(Model):
    kind: Literal["route.changed"]
    pattern: str = ABSENT
    exact: str = ABSENT


class DialogOpened(Model):
    kind: Literal["dialog.opened"]
    target: WebTargetRef = ABSENT


class DialogClosed(Model):
    kind: Literal["dialog.closed"]
    target: WebTargetRef = ABSENT


class ToastContains(Model):
    kind: Literal["toast.contains"]
    text: str


class StatusContains(Model):
    kind: Literal["status.contains"]
    text: str


class ValidationNone(Model):
    kind: Literal["validation.none"]
    scope: str = ABSENT


class CollectionCount(Model):
    kind: Literal["collection.count"]
    target: WebTargetRef
    op: Literal["eq", "gte", "lte"]
    value: int | float


class EntityCreated(Model):
    kind: Literal["entity.created"]
    entity_type: str
    id_path: str = ABSENT


class EntityUpdated(Model):
    kind: Literal["entity.updated"]
    entity_type: str
    id_path: str = ABSENT


class EntityDeleted(Model):
    kind: Literal["entity.deleted"]
    entity_type: str
    id_path: str = ABSENT


class NetworkResponse(Model):
    kind: Literal["network.response"]
    url_pattern: str = ABSENT
    status: Count = ABSENT


class CustomSuccess(Model):
    kind: Literal["custom"]
    name: str
    payload: JsonObject = ABSENT


SuccessSignal = Annotated[
    ElementAppeared
    | ElementDisappeared
    | ElementState
    | ValueEquals
    | RouteChanged
    | DialogOpened
    | DialogClosed
    | ToastContains
    | StatusContains
    | ValidationNone
    | CollectionCount
    | EntityCreated
    | EntityUpdated
    | EntityDeleted
    | NetworkResponse
    | CustomSuccess,
    Field(discriminator="kind"),
]


class ActionTarget(Model):
    ref: WebTargetRef = ABSENT
    expected_role: UIRole = ABSENT
    expected_name: str = ABSENT
    expected_scope_id: str = ABSENT
    expected_document_id: str = ABSENT
    allow_ambiguous: Literal[False] = ABSENT


class VerificationSpec(Model):
    policy: Literal["capability-default", "any", "all", "none"] = ABSENT
    signals: tuple[SuccessSignal, ...] = ABSENT
    timeout_ms: Milliseconds = ABSENT
    require_revision_advance: bool = ABSENT


class PresentationHints(Model):
    ghost_cursor: bool = ABSENT
    highlight: Literal["none", "outline", "spotlight"] = ABSENT
    narration: str = ABSENT
    pace: Literal["instant", "humanized"] = ABSENT


class ActionRequestPayload(Model):
    action_id: ActionId
    target: ActionTarget = ABSENT
    args: JsonObject = ABSENT
    preferred_execution_modes: tuple[ExecutionMode, ...] = ABSENT
    verification: VerificationSpec = ABSENT
    presentation: PresentationHints = ABSENT
    timeout_ms: Milliseconds = ABSENT
    idempotency_key: str = ABSENT
    metadata: JsonObject = ABSENT


class SessionPingPayload(Model):
    nonce: str = ABSENT


class ActionCancelPayload(Model):
    action_handle: str
    reason: str = ABSENT


class Header(Model):
    """Everything but `type` and `payload`."""

    uiap: Version
    kind: Literal["request", "response", "event"]
    id: Identifier
    correlation_id: Identifier = ABSENT
    session_id: Identifier = ABSENT
    ts: Timestamp
    source: ParticipantRef
    target: ParticipantRef = ABSENT
    extensions: dict[Annotated[str, Field(min_length=1)], JsonObject] = ABSENT


class Envelope(Header):
    """Read in two steps: the payload becomes an object first, and is validated once its type is known."""

    type: MessageType
    payload: JsonObject


class ActionRequest(Header):
    """Read in one step, where the type is one of a closed union."""

    type: Literal["action.request"]
    payload: ActionRequestPayload


class SessionPing(Header):
    type: Literal["session.ping"]
    payload: SessionPingPayload


class ActionCancel(Header):
    type: Literal["action.cancel"]
    payload: ActionCancelPayload


AnyEnvelope = Annotated[ActionRequest | SessionPing | ActionCancel, Field(discriminator="type")]
PAYLOADS: dict[str, type[Model]] = {
    "action.request": ActionRequestPayload,
    "session.ping": SessionPingPayload,
    "action.cancel": ActionCancelPayload,
}
