"""UIAP HTTP/REST binding v0.1 and the WebSocket binding: configuration, paths, status and close codes.

The transports send and receive the bytes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from uiap.spec.base import Count, Milliseconds, Number, Struct
from uiap.spec.core import CoreErrorCode

BindingId: TypeAlias = Literal["http@0.1", "ws@0.1"]
UIAP_HTTP_MEDIA_TYPE: Final = "application/uiap+json"
WS_SUBPROTOCOL: Final = "uiap.v0.1"
SSE_EVENT_NAME: Final = "uiap"
SSE_KEEP_ALIVE_MS: Final = 15_000


class ReconnectPolicy(Struct):
    enabled: bool | UnsetType = UNSET
    max_attempts: Count | UnsetType = UNSET  # 0: no limit
    initial_delay_ms: Milliseconds | UnsetType = UNSET
    max_delay_ms: Milliseconds | UnsetType = UNSET
    factor: Number | UnsetType = UNSET
    jitter: Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    resume_session: bool | UnsetType = UNSET


RECONNECT_DEFAULTS = ReconnectPolicy(
    enabled=True,
    max_attempts=10,
    initial_delay_ms=500,
    max_delay_ms=15_000,
    factor=2,
    jitter=0.2,
    resume_session=True,
)


class HTTPBindingConfig(Struct):
    base_url: str
    session_path: str | UnsetType = UNSET
    message_path_template: str | UnsetType = UNSET
    event_stream_path_template: str | UnsetType = UNSET
    event_delivery: Literal["sse"] | UnsetType = UNSET
    reconnect: ReconnectPolicy | UnsetType = UNSET


SESSION_PATH: Final = "/uiap/sessions"
MESSAGE_PATH_TEMPLATE: Final = "/uiap/sessions/{sessionId}/messages"
EVENT_STREAM_PATH_TEMPLATE: Final = "/uiap/sessions/{sessionId}/events"


class WSBindingConfig(Struct):
    url: str
    subprotocol: Literal["uiap.v0.1"] | UnsetType = UNSET
    heartbeat_interval_ms: Milliseconds | UnsetType = UNSET
    reconnect: ReconnectPolicy | UnsetType = UNSET


# Faults of the transport. An error that answers a well-formed request has status 200.
HTTP_STATUS: Mapping[CoreErrorCode, int] = MappingProxyType(
    {
        "invalid_envelope": 400,
        "invalid_payload": 400,
        "unauthorized": 401,
        "forbidden": 403,
        "session_not_found": 404,
        "duplicate_message": 409,
        "invalid_state": 409,
        "conflict": 409,
        "payload_too_large": 413,
        "rate_limited": 429,
        "internal_error": 500,
        "busy": 503,
    }
)
HTTP_OK: Final = 200
HTTP_ACCEPTED: Final = 202
HTTP_REPLAY_GONE: Final = 410
HTTP_WRONG_MEDIA_TYPE: Final = 415

WS_CLOSE_NORMAL: Final = 1000
WS_CLOSE_INVALID_ENVELOPE: Final = 4400
WS_CLOSE_UNAUTHORIZED: Final = 4401
WS_CLOSE_HEARTBEAT_TIMEOUT: Final = 4408
WS_CLOSE_SUPERSEDED: Final = 4409
