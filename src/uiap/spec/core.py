"""UIAP Core v0.1: the envelope, the session messages, errors and the capability messages.

Validation order, negotiation and the transitions between session states are left to `uiap.protocol`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from uiap.spec.base import Count, Identifier, Milliseconds, Struct
from uiap.spec.base import ExtensionId as ExtensionId
from uiap.spec.base import JsonObject as JsonObject
from uiap.spec.base import MessageId as MessageId
from uiap.spec.base import MessageType as MessageType
from uiap.spec.base import SessionId as SessionId
from uiap.spec.base import Timestamp as Timestamp
from uiap.spec.base import Version as Version
from uiap.spec.capability import ActionId, CapabilityDocument
from uiap.spec.capability import ProfileId as ProfileId
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.vocabulary import RevisionId
from uiap.timeouts import HEARTBEAT_MS, RESUME_MS, SESSION_IDLE_MS

MessageKind: TypeAlias = Literal["request", "response", "event"]
ParticipantRole: TypeAlias = Literal["app", "agent", "bridge", "observer", "user", "system"]
SessionState: TypeAlias = Literal["new", "initializing", "active", "suspended", "terminating", "terminated"]
TerminateReason: TypeAlias = Literal[
    "completed", "user_request", "idle_timeout", "policy", "superseded", "shutdown", "error"
]
CoreErrorCode: TypeAlias = Literal[
    "invalid_envelope",
    "invalid_payload",
    "unsupported_version",
    "unsupported_profile",
    "unsupported_extension",
    "required_extension_unavailable",
    "unsupported_type",
    "session_required",
    "session_not_found",
    "session_not_active",
    "invalid_state",
    "duplicate_message",
    "unauthorized",
    "forbidden",
    "policy_denied",
    "not_found",
    "conflict",
    "stale_revision",
    "rate_limited",
    "payload_too_large",
    "timeout",
    "busy",
    "internal_error",
]

MESSAGE_KINDS: tuple[MessageKind, ...] = get_args(MessageKind)
PARTICIPANT_ROLES: tuple[ParticipantRole, ...] = get_args(ParticipantRole)
SESSION_STATES: tuple[SessionState, ...] = get_args(SessionState)
TERMINATE_REASONS: tuple[TerminateReason, ...] = get_args(TerminateReason)
CORE_ERROR_CODES: tuple[CoreErrorCode, ...] = get_args(CoreErrorCode)
CORE_ERROR_RETRYABLE: Mapping[CoreErrorCode, bool] = MappingProxyType(
    {
        code: code in {"conflict", "stale_revision", "rate_limited", "timeout", "busy"}
        for code in CORE_ERROR_CODES
    }
)


class ParticipantRef(Struct):
    role: ParticipantRole
    id: Identifier


class ParticipantInfo(ParticipantRef):
    name: str | UnsetType = UNSET
    vendor: str | UnsetType = UNSET
    version: str | UnsetType = UNSET


class Envelope(Struct):
    """One message. The codec checks when `correlationId` and `sessionId` are required."""

    uiap: Version
    kind: MessageKind
    type: MessageType
    id: MessageId
    correlation_id: MessageId | UnsetType = UNSET
    session_id: SessionId | UnsetType = UNSET
    ts: Timestamp
    source: ParticipantRef
    target: ParticipantRef | UnsetType = UNSET
    payload: JsonObject
    extensions: dict[ExtensionId, JsonObject] | UnsetType = UNSET


class EnvelopeHeader(Struct):
    """A message with an undecoded payload, which is decoded when its type is known."""

    uiap: Version
    kind: MessageKind
    type: MessageType
    id: MessageId
    correlation_id: MessageId | UnsetType = UNSET
    session_id: SessionId | UnsetType = UNSET
    ts: Timestamp
    source: ParticipantRef
    target: ParticipantRef | UnsetType = UNSET
    payload: msgspec.Raw
    extensions: dict[ExtensionId, JsonObject] | UnsetType = UNSET


class ExtensionOffer(Struct):
    id: ExtensionId
    versions: Annotated[tuple[Version, ...], Meta(min_length=1)]
    required: bool | UnsetType = UNSET


class ExtensionSelection(Struct):
    id: ExtensionId
    version: Version


class SessionAuth(Struct):
    """Opaque to Core. It is never logged."""

    scheme: str
    token: str | UnsetType = UNSET


class SessionResume(Struct):
    session_id: SessionId
    last_message_id: MessageId | UnsetType = UNSET
    last_revision: RevisionId | UnsetType = UNSET


class SessionInitializePayload(Struct):
    supported_versions: Annotated[tuple[Version, ...], Meta(min_length=1)]
    supported_profiles: tuple[ProfileId, ...]
    supported_extensions: tuple[ExtensionOffer, ...] | UnsetType = UNSET
    participant: ParticipantInfo
    principal: PolicyPrincipal | UnsetType = UNSET
    locale: str | UnsetType = UNSET
    auth: SessionAuth | UnsetType = UNSET
    resume: SessionResume | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class SessionApp(Struct):
    id: str
    version: str | UnsetType = UNSET
    locale: str | UnsetType = UNSET


class CapabilitySummary(Struct):
    model_version: Literal["0.1"]
    profile: ProfileId
    revision: str | UnsetType = UNSET
    action_ids: tuple[ActionId, ...] | UnsetType = UNSET


class SessionLimits(Struct):
    max_message_bytes: Count | UnsetType = UNSET
    max_pending_requests: Count | UnsetType = UNSET
    heartbeat_interval_ms: Milliseconds | UnsetType = UNSET
    idle_timeout_ms: Milliseconds | UnsetType = UNSET
    resume_window_ms: Milliseconds | UnsetType = UNSET


SESSION_LIMIT_DEFAULTS = SessionLimits(
    max_message_bytes=1_048_576,
    max_pending_requests=32,
    heartbeat_interval_ms=HEARTBEAT_MS,
    idle_timeout_ms=SESSION_IDLE_MS,
    resume_window_ms=RESUME_MS,
)
BUFFERED_EVENTS = 256  # kept by a suspended session and sent again after a resume


class SessionInitializedPayload(Struct):
    session_id: SessionId
    selected_version: Version
    selected_profiles: tuple[ProfileId, ...]
    selected_extensions: tuple[ExtensionSelection, ...]
    participant: ParticipantInfo
    app: SessionApp | UnsetType = UNSET
    principal: PolicyPrincipal | UnsetType = UNSET
    capabilities: CapabilitySummary | UnsetType = UNSET
    limits: SessionLimits | UnsetType = UNSET
    resumed: bool | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class SessionPingPayload(Struct):
    nonce: str | UnsetType = UNSET


class SessionPongPayload(Struct):
    nonce: str | UnsetType = UNSET


class SessionTerminatePayload(Struct):
    reason: TerminateReason
    message: str | UnsetType = UNSET


class SessionTerminatedPayload(Struct):
    reason: TerminateReason
    message: str | UnsetType = UNSET


class ErrorPayload(Struct):
    """`code` is a CoreErrorCode, a RuntimeErrorCode or `<extensionId>/<code>`. Receivers accept any code."""

    code: str
    message: str
    retryable: bool | UnsetType = UNSET
    detail: JsonObject | UnsetType = UNSET


class CapabilitiesListPayload(Struct):
    """A request. `revision` and `document` are set only if the app sends it as an event."""

    profile: ProfileId | UnsetType = UNSET
    known_revision: str | UnsetType = UNSET
    revision: str | UnsetType = UNSET
    document: CapabilityDocument | UnsetType = UNSET


class CapabilitiesListedPayload(Struct):
    revision: str
    unchanged: bool | UnsetType = UNSET
    document: CapabilityDocument | UnsetType = UNSET


class CapabilitiesChangedPayload(Struct):
    revision: str
    added_actions: tuple[ActionId, ...] | UnsetType = UNSET
    removed_actions: tuple[ActionId, ...] | UnsetType = UNSET
