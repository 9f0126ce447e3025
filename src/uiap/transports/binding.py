"""What http@0.1 fixes (companions §9): paths, media type, statuses, and the few envelope members that route.

The rest of an envelope stays text here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from uiap.ids import new_secret
from uiap.transports.transport import (
    CLOSE_INTERNAL,
    Accept,
    Transport,
    TransportClosed,
)

MEDIA_TYPE = "application/uiap+json"
VERSION = "0.1"

log = logging.getLogger(__name__)

# companions §9.3: these codes are faults of the transport; every other answer to a request is 200
STATUS = {
    "invalid_envelope": 400,
    "invalid_payload": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "session_not_found": 404,
    "conflict": 409,
    "duplicate_message": 409,
    "invalid_state": 409,
    "payload_too_large": 413,
    "rate_limited": 429,
    "internal_error": 500,
    "busy": 503,
    "timeout": 503,
}


@dataclass(frozen=True, slots=True)
class Reconnect:
    """ReconnectPolicy of companions §9.3, in seconds."""

    enabled: bool = True
    max_attempts: int = 10  # 0 = unlimited
    initial_delay: float = 0.5
    max_delay: float = 15.0
    factor: float = 2.0
    jitter: float = 0.2

    def delay(self, attempt: int, chance: float) -> float:
        """Seconds before the `attempt`-th try (from 1); `chance` in 0..1 spreads clients apart."""
        plain = min(self.max_delay, self.initial_delay * self.factor ** (attempt - 1))
        return plain * (1 + self.jitter * (2 * chance - 1))


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """HTTPBindingConfig of companions §9.1 without the base URL, which each side knows from elsewhere."""

    session_path: str = "/uiap/sessions"
    message_path_template: str = "/uiap/sessions/{sessionId}/messages"
    event_stream_path_template: str = "/uiap/sessions/{sessionId}/events"
    websocket_path: str = "/uiap/ws"
    reconnect: Reconnect = field(default_factory=Reconnect)


MessageId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]


class Routing(msgspec.Struct, frozen=True):
    """The members an HTTP server must look at to route; all others are skipped."""

    id: MessageId
    kind: str
    type: str = ""
    uiap: str = VERSION
    correlationId: str | None = None  # noqa: N815
    sessionId: str | None = None  # noqa: N815
    source: msgspec.Raw = msgspec.Raw(b'{"role":"system","id":"http"}')


class _Payload(msgspec.Struct, frozen=True):
    code: str = ""
    sessionId: str = ""  # noqa: N815


class _Inside(msgspec.Struct, frozen=True):
    payload: _Payload


_routing = msgspec.json.Decoder(Routing)
_inside = msgspec.json.Decoder(_Inside)


def route(text: str | bytes) -> Routing | None:
    """What routes this envelope, or None when it is no envelope at all."""
    try:
        return _routing.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def error_code(text: str | bytes) -> str:
    """The code of an `error` envelope."""
    return _look_inside(text).code


def assigned_session(text: str | bytes) -> str:
    """The session id that a `session.initialized` envelope assigns."""
    return _look_inside(text).sessionId


def _look_inside(text: str | bytes) -> _Payload:
    try:
        return _inside.decode(text).payload
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _Payload()


def envelope(kind: str, type_: str, payload: dict[str, Any], **members: Any) -> str:
    """An envelope that the binding itself must say, e.g. because the text never reached a codec."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said = {
        "uiap": VERSION,
        "kind": kind,
        "type": type_,
        "id": new_secret("http"),
        "ts": now,
        "source": {"role": "system", "id": "http"},
        **{name: value for name, value in members.items() if value is not None},
        "payload": payload,
    }
    return msgspec.json.encode(said).decode()


def error_envelope(code: str, message: str, correlation_id: str | None = None) -> str:
    kind = "event" if correlation_id is None else "response"  # companions §3.6
    payload = {"code": code, "message": message, "retryable": code in ("busy", "rate_limited", "timeout")}
    return envelope(kind, "error", payload, correlationId=correlation_id)


class Seats:
    """How many connections may be open at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.taken = 0

    @contextmanager
    def take(self) -> Iterator[bool]:
        if self.taken >= self._limit:
            yield False
            return
        self.taken += 1
        try:
            yield True
        finally:
            self.taken -= 1


async def attend(accept: Accept, transport: Transport) -> None:
    """Run a host's handler for one connection; whatever it does, the connection is closed afterwards."""
    try:
        await accept(transport)
    except TransportClosed:
        pass
    except Exception:
        log.exception("the handler of a connection failed")
        await transport.close(CLOSE_INTERNAL, "internal error")
    finally:
        await transport.close()
