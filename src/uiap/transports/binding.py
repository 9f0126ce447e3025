"""Definitions of the http@0.1 binding: paths, media type, and the envelope members that decide the route.

The rest of an envelope stays text here. `http` is the client, `http_endpoints` the server.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from uiap.ids import new_secret
from uiap.instant import timestamp
from uiap.spec.http import (
    EVENT_STREAM_PATH_TEMPLATE,
    MESSAGE_PATH_TEMPLATE,
    RECONNECT_DEFAULTS,
    SESSION_PATH,
    UIAP_HTTP_MEDIA_TYPE,
    HTTPBindingConfig,
    ReconnectPolicy,
)
from uiap.transports.transport import (
    CLOSE_INTERNAL,
    Accept,
    Transport,
    TransportClosed,
)

MEDIA_TYPE = UIAP_HTTP_MEDIA_TYPE
SEQUENCE_HEADER = (
    "UIAP-Sequence"  # our own optional header: the order of POSTs that travel on several sockets
)
VERSION = "0.1"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """The paths and the reconnect policy of a deployment, with every default filled in."""

    session_path: str = SESSION_PATH
    message_path_template: str = MESSAGE_PATH_TEMPLATE
    event_stream_path_template: str = EVENT_STREAM_PATH_TEMPLATE
    websocket_path: str = "/uiap/ws"
    reconnect: ReconnectPolicy = RECONNECT_DEFAULTS

    @classmethod
    def of(cls, config: HTTPBindingConfig | HttpBinding | None) -> HttpBinding:
        """Return the binding of a configuration, or the default one."""
        if isinstance(config, HttpBinding):
            return config
        names = ("session_path", "message_path_template", "event_stream_path_template", "reconnect")
        given = {name: getattr(config, name, msgspec.UNSET) for name in names}
        return cls(**{name: value for name, value in given.items() if value is not msgspec.UNSET})


def retry_delay(policy: ReconnectPolicy, attempt: int, chance: float) -> float | None:
    """Return the seconds to wait before retry `attempt` (from 1), or None to give up.

    `chance` is a random number in 0..1 that spreads clients apart.
    """
    rule = RECONNECT_DEFAULTS.__class__(**{**_set_members(RECONNECT_DEFAULTS), **_set_members(policy)})
    if not rule.enabled or (rule.max_attempts and attempt > int(rule.max_attempts)):
        return None
    first, longest = float(rule.initial_delay_ms or 0), float(rule.max_delay_ms or 0)
    plain = min(longest, first * float(rule.factor or 1) ** min(attempt - 1, 64)) / 1000
    return plain * (1 + float(rule.jitter or 0) * (2 * chance - 1))


def _set_members(policy: ReconnectPolicy) -> dict[str, Any]:
    return {
        name: value for name, value in msgspec.structs.asdict(policy).items() if value is not msgspec.UNSET
    }


MessageId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]


class Routing(msgspec.Struct, frozen=True):
    """The envelope members that an HTTP server needs for routing; all others are skipped."""

    id: MessageId
    kind: str
    type: str = ""
    uiap: str = VERSION
    correlationId: str | None = None  # noqa: N815
    sessionId: str | None = None  # noqa: N815
    source: msgspec.Raw = msgspec.Raw(b'{"role":"system","id":"http"}')


class _RoutedPayload(msgspec.Struct, frozen=True):
    code: str = ""
    sessionId: str = ""  # noqa: N815


class _PayloadEnvelope(msgspec.Struct, frozen=True):
    payload: _RoutedPayload


_routing_decoder = msgspec.json.Decoder(Routing)
_payload_decoder = msgspec.json.Decoder(_PayloadEnvelope)


def read_routing(text: str | bytes) -> Routing | None:
    """Return the routing members of an envelope, or None if the text is not an envelope."""
    try:
        return _routing_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def error_code(text: str | bytes) -> str:
    """Return the code of an `error` envelope."""
    return _read_payload(text).code


def assigned_session(text: str | bytes) -> str:
    """Return the session id that a `session.initialized` envelope assigns."""
    return _read_payload(text).sessionId


def _read_payload(text: str | bytes) -> _RoutedPayload:
    try:
        return _payload_decoder.decode(text).payload
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _RoutedPayload()


def envelope(kind: str, type_: str, payload: dict[str, Any], **members: Any) -> str:
    """Return an envelope from the binding itself, for example about a text that never reached the codec."""
    now = timestamp(datetime.now(UTC))
    members_in_order = {
        "uiap": VERSION,
        "kind": kind,
        "type": type_,
        "id": new_secret("http"),
        "ts": now,
        "source": {"role": "system", "id": "http"},
        **{name: value for name, value in members.items() if value is not None},
        "payload": payload,
    }
    return msgspec.json.encode(members_in_order).decode()


def error_envelope(code: str, message: str, correlation_id: str | None = None) -> str:
    """Return an `error` envelope: a response if it answers a request, else an event."""
    kind = "event" if correlation_id is None else "response"  # only a request can be answered
    payload = {"code": code, "message": message, "retryable": code in ("busy", "rate_limited", "timeout")}
    return envelope(kind, "error", payload, correlationId=correlation_id)


class ConnectionLimit:
    """Limits how many connections are open at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open = 0

    @contextmanager
    def acquire(self) -> Iterator[bool]:
        """Count one connection inside the block; yield False if the limit is reached."""
        if self._open >= self._limit:
            yield False
            return
        self._open += 1
        try:
            yield True
        finally:
            self._open -= 1


async def run_connection(accept: Accept, transport: Transport) -> None:
    """Run the host's handler for one connection, then close the connection even if the handler fails."""
    try:
        await accept(transport)
    except TransportClosed:
        pass
    except Exception:
        log.exception("the handler of a connection failed")
        await transport.close(CLOSE_INTERNAL, "internal error")
    finally:
        await transport.close()
