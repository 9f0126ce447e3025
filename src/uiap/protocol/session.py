"""The state machine of one session, on the side that answers `session.initialize`.

`Session.handle` takes an event and returns commands. It decides states, checks, heartbeat, resume and limits; the host
carries the commands out. It decides whether a message may pass, and leaves its meaning to the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from uiap.ids import IdMaker
from uiap.instant import Instant
from uiap.protocol import codec
from uiap.protocol.codec import Inbound
from uiap.protocol.commands import (
    Admit,
    CloseTransport,
    Command,
    Deliver,
    Finish,
    Note,
    Resume,
    SendText,
    Settle,
    Suspend,
    WakeAt,
)
from uiap.protocol.events import (
    Admitted,
    Answered,
    Asked,
    Declined,
    Ended,
    Event,
    Garbled,
    Published,
    Received,
    Resumed,
    TransportLost,
    TurnedAway,
    Woke,
)
from uiap.protocol.memory import Outbox, SeenIds
from uiap.protocol.negotiation import Agreement, Support, negotiate
from uiap.protocol.refusal import Refusal
from uiap.spec.aliases import canonical_type
from uiap.spec.core import (
    BUFFERED_EVENTS,
    Envelope,
    ErrorPayload,
    ParticipantInfo,
    ParticipantRef,
    SessionApp,
    SessionInitializedPayload,
    SessionInitializePayload,
    SessionLimits,
    SessionPingPayload,
    SessionPongPayload,
    SessionState,
    SessionTerminatedPayload,
    SessionTerminatePayload,
    TerminateReason,
)
from uiap.spec.messages import MESSAGES
from uiap.spec.policy import PolicyPrincipal
from uiap.timeouts import HEARTBEAT_S, RESUME_S, SESSION_IDLE_S

CLOSE_NORMAL, CLOSE_HEARTBEAT, CLOSE_SUPERSEDED = 1000, 4408, 4409


class SessionTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a session. Together with its events they are all that a replay needs."""

    session_id: str
    seed: str
    me: ParticipantInfo
    support: Support
    max_message_bytes: int = 1_048_576
    max_pending_requests: int = 32
    heartbeat_s: float = HEARTBEAT_S
    idle_s: float = SESSION_IDLE_S
    resume_s: float = RESUME_S
    app: SessionApp | None = None
    served: frozenset[str] | None = None
    """Message types the host has a handler for; None means every known one."""


class Session:
    """A session is in exactly one `SessionState` at a time."""

    def __init__(self, terms: SessionTerms) -> None:
        self.terms = terms
        self.state: SessionState = "new"
        self.agreement: Agreement | None = None
        self.principal: PolicyPrincipal | None = None
        self.metadata: dict[str, Any] = {}
        """The `metadata` of the peer's `session.initialize`."""
        self._ids = IdMaker(terms.seed)
        self._seen_ids = SeenIds()
        self._outbox = Outbox(BUFFERED_EVENTS, terms.resume_s)
        self._open_requests: set[str] = set()
        self._asked_types: dict[str, str] = {}
        self._initialize: tuple[str, SessionInitializePayload] | None = None
        self._terminate_id: str | None = None
        self._received_at = self._worked_at = self._lost_at = 0.0
        self._pinged_at: float | None = None
        self._wake_at: float | None = None

    def handle(self, event: Event) -> list[Command]:
        return self._HANDLERS[type(event)](self, event)

    # -- incoming messages ----------------------------------------------------------------------------------

    def _on_received(self, event: Received) -> list[Command]:
        self._received_at = event.at.mono
        self._pinged_at = None
        if len(event.text) > self.terms.max_message_bytes:
            return self._refuse(event.at, self._too_large_refusal())
        read = codec.read_envelope(event.text, self._versions())
        if isinstance(read, Refusal):
            return self._refuse(event.at, read)
        return self._check_and_handle(event.at, read)

    def _on_garbled(self, event: Garbled) -> list[Command]:
        if event.size > self.terms.max_message_bytes:
            return self._refuse(event.at, self._too_large_refusal())
        message = "the message is not UTF-8 text; send one JSON object"
        return self._refuse(event.at, Refusal("invalid_envelope", message, announce=True))

    def _check_and_handle(self, at: Instant, inbound: Inbound) -> list[Command]:
        """Run the checks that depend on the session, in the order of the specification, then handle the message."""
        refusal = self._session_refusal(inbound)
        if refusal is not None:
            return self._refuse(at, refusal)
        if not self._seen_ids.add_if_new(inbound.id):
            if self._seen_ids.is_resend(inbound.id):
                return []
            return self._refuse(
                at, self._refusal(inbound, "duplicate_message", "message id was used before", "/id")
            )
        type = canonical_type(inbound.type)
        if type == "error":
            return self._handle_error(inbound)
        if not self._accepts_type(type, inbound.kind):
            message = f"`{inbound.type}` is not a {inbound.kind} of this session"
            return self._refuse(at, self._refusal(inbound, "unsupported_type", message, "/type"))
        payload = codec.read_payload(inbound, MESSAGES[type].payload)
        if isinstance(payload, Refusal):
            return self._refuse(at, payload)
        return self._handle_message(at, type, inbound, payload)

    def _session_refusal(self, inbound: Inbound) -> Refusal | None:
        initialize = inbound.type == "session.initialize"
        fresh = initialize and inbound.session_id is UNSET
        if inbound.session_id is UNSET and not fresh and not self._is_early_error(inbound):
            return self._refusal(inbound, "session_required", "`sessionId` is missing", "/sessionId")
        if initialize and self.state != "new":
            message = f"the session is {self.state}; initialize opens a new or suspended one"
            return self._refusal(inbound, "invalid_state", message, "/type")
        if initialize or self._is_early_error(inbound):
            return None
        if self.state == "new" or inbound.session_id != self.terms.session_id:
            message = f"no session `{inbound.session_id}` here; it may have ended"
            return self._refusal(inbound, "session_not_found", message, "/sessionId")
        if self.state != "active":
            return self._refusal(inbound, "session_not_active", f"the session is {self.state}", "/sessionId")
        return None

    def _is_early_error(self, inbound: Inbound) -> bool:
        return inbound.type == "error" and self.state in ("new", "initializing")

    def _accepts_type(self, type: str, kind: str) -> bool:
        message = MESSAGES.get(type)
        if message is None or kind not in message.kinds:
            return False
        if kind == "request" and self.terms.served is not None and type not in self.terms.served:
            return False
        if message.owner == "core" or self.agreement is None:
            return message.owner == "core"
        if message.owner in ("web", "action"):
            return bool(self.agreement.profiles)
        return message.owner in self.agreement.canonical

    def _handle_message(self, at: Instant, type: str, inbound: Inbound, payload: Any) -> list[Command]:
        if inbound.kind == "response":
            return self._handle_response(inbound, type, payload)
        if type == "session.initialize":
            return self._handle_initialize(at, inbound, payload)
        if type == "session.ping":
            nonce = payload.nonce if isinstance(payload, SessionPingPayload) else UNSET
            return [
                self._compose(at, "response", "session.pong", SessionPongPayload(nonce=nonce), inbound.id)
            ]
        self._worked_at = at.mono
        if type == "session.terminate":
            return self._handle_terminate(inbound, payload)
        if inbound.kind == "request":
            if len(self._open_requests) >= self.terms.max_pending_requests:
                message = f"{len(self._open_requests)} requests are waiting; send the next after an answer"
                return self._refuse(at, self._refusal(inbound, "busy", message, None))
            self._open_requests.add(inbound.id)
        return [Deliver(inbound.id, inbound.kind, type, payload, inbound.source)]

    def _handle_response(self, inbound: Inbound, type: str, payload: Any) -> list[Command]:
        correlation = str(inbound.correlation_id)
        asked = self._asked_types.pop(correlation, None)
        if asked is None:
            return [Note(f"`{type}` answers no open request", "invalid_state")]
        if asked == "session.ping":
            return []
        return [Deliver(inbound.id, "response", type, payload, inbound.source, correlation)]

    def _handle_error(self, inbound: Inbound) -> list[Command]:
        """Deliver an error as the answer to its request. An error is never answered itself."""
        payload = codec.read_payload(inbound, ErrorPayload)
        correlation = None if inbound.correlation_id is UNSET else inbound.correlation_id
        if (
            isinstance(payload, Refusal)
            or correlation is None
            or self._asked_types.pop(correlation, None) is None
        ):
            return [Note("an error that answers no open request", "invalid_state")]
        return [Deliver(inbound.id, "response", "error", payload, inbound.source, correlation)]

    # -- opening --------------------------------------------------------------------------------------------

    def _handle_initialize(
        self, at: Instant, inbound: Inbound, payload: SessionInitializePayload
    ) -> list[Command]:
        self.state = "initializing"
        self._initialize = (inbound.id, payload)
        if payload.resume is not UNSET:
            return [Resume(payload.resume.session_id)]
        self.metadata = {} if payload.metadata is UNSET else payload.metadata
        agreed = negotiate(payload, self.terms.support)
        if isinstance(agreed, Refusal):
            self.state = "new"
            return self._refuse(at, agreed.about(inbound.id))
        self.agreement = agreed
        return [Admit(payload)]

    def _on_admitted(self, event: Admitted) -> list[Command]:
        self.principal = event.principal
        return self._activate(event.at, resumed=False)

    def _on_turned_away(self, event: TurnedAway) -> list[Command]:
        self.state = "new"
        self.agreement = None
        request_id = self._initialize[0] if self._initialize else None
        return [self._compose(event.at, "response", "error", event.error, request_id)]

    def _activate(self, at: Instant, *, resumed: bool) -> list[Command]:
        assert self._initialize is not None and self.agreement is not None
        self.state = "active"
        self._received_at = self._worked_at = at.mono
        reply = self._compose(
            at, "response", "session.initialized", self._initialized_payload(resumed), self._initialize[0]
        )
        return [reply, *self._schedule_wake(at.mono)]

    def _initialized_payload(self, resumed: bool) -> SessionInitializedPayload:
        assert self.agreement is not None
        terms = self.terms
        return SessionInitializedPayload(
            session_id=terms.session_id,
            selected_version=self.agreement.version,
            selected_profiles=self.agreement.profiles,
            selected_extensions=self.agreement.extensions,
            participant=terms.me,
            app=terms.app or UNSET,
            principal=self.principal if self.principal else UNSET,
            limits=SessionLimits(
                max_message_bytes=terms.max_message_bytes,
                max_pending_requests=terms.max_pending_requests,
                heartbeat_interval_ms=round(terms.heartbeat_s * 1000),
                idle_timeout_ms=round(terms.idle_s * 1000),
                resume_window_ms=round(terms.resume_s * 1000),
            ),
            resumed=resumed if resumed else UNSET,
        )

    def _on_resumed(self, event: Resumed) -> list[Command]:
        """Continue on a second transport, and send again the messages that the peer has not received."""
        read = codec.read_envelope(event.text, self._versions())
        assert isinstance(read, Inbound), "the host resumes with a valid envelope"
        payload = codec.read_payload(read, SessionInitializePayload)
        assert isinstance(payload, SessionInitializePayload) and payload.resume is not UNSET
        last = payload.resume.last_message_id
        missed = self._outbox.after(None if last is UNSET else last)
        self._initialize = (read.id, payload)
        self._seen_ids.mark_resumed()
        self._seen_ids.add_if_new(read.id)
        first, *rest = self._activate(event.at, resumed=True)
        return [first, *map(SendText, missed), *rest]

    # -- outgoing messages ----------------------------------------------------------------------------------

    def _on_answered(self, event: Answered) -> list[Command]:
        self._open_requests.discard(event.request_id)
        return self._if_connected(
            self._compose(event.at, "response", event.type, event.payload, event.request_id)
        )

    def _on_declined(self, event: Declined) -> list[Command]:
        self._open_requests.discard(event.request_id)
        return self._if_connected(self._compose(event.at, "response", "error", event.error, event.request_id))

    def _on_published(self, event: Published) -> list[Command]:
        self._worked_at = event.at.mono
        return self._if_connected(self._compose(event.at, "event", event.type, event.payload, None))

    def _on_asked(self, event: Asked) -> list[Command]:
        return self._if_connected(self._compose(event.at, "request", event.type, event.payload, None))

    def _if_connected(self, sent: SendText) -> list[Command]:
        """Send the text if there is a transport. A suspended session keeps it in the outbox only."""
        return [sent] if self.state in ("active", "terminating") else []

    def _compose(
        self, at: Instant, kind: Any, type: str, payload: Any, correlation_id: str | None
    ) -> SendText:
        id = self._ids.next("msg")
        if kind == "request":
            self._asked_types[id] = type
        text = codec.write(
            Envelope(
                uiap=self.agreement.version if self.agreement else self.terms.support.versions[0],
                kind=kind,
                type=self._peer_type(type),
                id=id,
                correlation_id=correlation_id or UNSET,
                session_id=self.terms.session_id if self.state != "new" else UNSET,
                ts=at.wall,
                source=ParticipantRef(role=self.terms.me.role, id=self.terms.me.id),
                payload=msgspec.to_builtins(payload) if isinstance(payload, msgspec.Struct) else payload,
            )
        )
        if self.state in ("active", "suspended") and type not in ("session.ping", "session.pong"):
            self._outbox.add(id, at.mono, text)
        return SendText(text)

    def _peer_type(self, type: str) -> str:
        """Return the message type in the peer's spelling, which may be the alias of the policy extension."""
        if self.agreement is not None and self.agreement.policy_alias and type.startswith("uiap.policy."):
            return "uicp" + type.removeprefix("uiap")
        return type

    def _refuse(self, at: Instant, refusal: Refusal) -> list[Command]:
        if refusal.correlation_id is not None:
            return [self._compose(at, "response", "error", error_payload(refusal), refusal.correlation_id)]
        if refusal.announce and self.state != "terminated":
            return [self._compose(at, "event", "error", error_payload(refusal), None)]
        return [Note(refusal.message, refusal.code)]

    def _refusal(self, inbound: Inbound, code: str, message: str, path: str | None) -> Refusal:
        return Refusal(code, message, path, {}, inbound.answerable)

    def _too_large_refusal(self) -> Refusal:
        limit = self.terms.max_message_bytes
        message, detail = f"a message may have at most {limit} bytes", {"maxMessageBytes": limit}
        return Refusal("payload_too_large", message, detail=detail, announce=True)

    def _versions(self) -> tuple[str, ...]:
        return (self.agreement.version,) if self.agreement else self.terms.support.versions

    # -- time and ending ------------------------------------------------------------------------------------

    def _on_transport_lost(self, event: TransportLost) -> list[Command]:
        if (
            self.state in ("active", "initializing")
            and self.terms.resume_s > 0
            and self.agreement is not None
        ):
            self.state = "suspended"
            self._lost_at = event.at.mono
            return [Suspend(), *self._schedule_wake(event.at.mono)]
        if self.state == "terminated":
            return []
        self.state = "terminated"
        return [Finish("error")]

    def _on_woke(self, event: Woke) -> list[Command]:
        self._wake_at = None
        now, terms = event.at.mono, self.terms
        if self.state == "suspended" and now >= self._lost_at + terms.resume_s:
            self.state = "terminated"
            return [Finish("idle_timeout")]
        if self.state != "active":
            return self._schedule_wake(now)
        if terms.idle_s and not self._open_requests and now >= self._worked_at + terms.idle_s:
            return [Settle("idle_timeout")]
        if terms.heartbeat_s and now >= self._received_at + 2 * terms.heartbeat_s:
            self.state = "suspended"  # two missed heartbeats
            self._lost_at = now
            return [CloseTransport(CLOSE_HEARTBEAT, "no heartbeat"), Suspend(), *self._schedule_wake(now)]
        if terms.heartbeat_s and self._pinged_at is None and now >= self._received_at + terms.heartbeat_s:
            self._pinged_at = now
            ping = self._compose(event.at, "request", "session.ping", SessionPingPayload(), None)
            return [ping, *self._schedule_wake(now)]
        return self._schedule_wake(now)

    def _schedule_wake(self, now: float) -> list[Command]:
        """Set the timer for the next deadline. There is one timer; traffic moves deadlines, not the timer."""
        due = self._next_deadline()
        if due is None or (self._wake_at is not None and self._wake_at <= due):
            return []
        self._wake_at = max(due, now)
        return [WakeAt(self._wake_at)]

    def _next_deadline(self) -> float | None:
        terms = self.terms
        if self.state == "suspended":
            return self._lost_at + terms.resume_s
        if self.state != "active":
            return None
        beats = 2 if self._pinged_at is not None else 1
        moments = [self._received_at + beats * terms.heartbeat_s] if terms.heartbeat_s else []
        if terms.idle_s and not self._open_requests:
            moments.append(self._worked_at + terms.idle_s)
        elif terms.idle_s:
            moments.append(self._received_at + terms.idle_s)
        return min(moments, default=None)

    def _handle_terminate(self, inbound: Inbound, payload: SessionTerminatePayload) -> list[Command]:
        self.state = "terminating"
        self._terminate_id = inbound.id
        return [Settle(payload.reason)]

    def _on_ended(self, event: Ended) -> list[Command]:
        if self.state == "terminated":
            return []
        reason: TerminateReason = event.reason
        payload = SessionTerminatedPayload(reason=reason, message=event.message or UNSET)
        kind = "response" if self._terminate_id else "event"
        sent = self._if_connected(
            self._compose(event.at, kind, "session.terminated", payload, self._terminate_id)
        )
        self.state = "terminated"
        return [*sent, CloseTransport(CLOSE_NORMAL, reason), Finish(reason)]

    _HANDLERS: ClassVar[Mapping[type[Event], Callable[[Any, Any], list[Command]]]] = MappingProxyType(
        {
            Received: _on_received,
            Garbled: _on_garbled,
            Admitted: _on_admitted,
            TurnedAway: _on_turned_away,
            Resumed: _on_resumed,
            TransportLost: _on_transport_lost,
            Woke: _on_woke,
            Answered: _on_answered,
            Declined: _on_declined,
            Published: _on_published,
            Asked: _on_asked,
            Ended: _on_ended,
        }
    )


def error_payload(refusal: Refusal) -> ErrorPayload:
    """Return the refusal as an `error` payload, with the pointer in `detail.path`."""
    from uiap.errors import CoreFault

    known = CoreFault.by_code.get(refusal.code)
    detail = dict(refusal.detail) if refusal.path is None else {**refusal.detail, "path": refusal.path}
    return ErrorPayload(
        code=refusal.code,
        message=refusal.message,
        retryable=True if known is not None and known.retryable else UNSET,
        detail=detail or UNSET,
    )
