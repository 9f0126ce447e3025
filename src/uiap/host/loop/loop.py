"""The one loop. Texts come in from transports, events go to machines, commands are carried out in order.

Nothing is decided here: a session machine says what to send, a handler says what a message means.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from uiap.drivers.errors import DriverError
from uiap.errors import TransportClosed
from uiap.host.clock import Alarm, Clock, SystemClock
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply
from uiap.host.records.journal import Journal
from uiap.host.records.store import StoreFailed
from uiap.ids import new_secret, new_seed
from uiap.protocol import commands as do
from uiap.protocol import events as when
from uiap.protocol.duplicates import scan_for_duplicate_member
from uiap.protocol.negotiation import Support
from uiap.protocol.session import Session, SessionTerms
from uiap.spec.core import (
    ErrorPayload,
    ParticipantInfo,
    SessionApp,
    SessionInitializePayload,
    TerminateReason,
)
from uiap.spec.policy import PolicyPrincipal
from uiap.transports.transport import Peer, Transport

log = logging.getLogger("uiap.host")

Admission = PolicyPrincipal | None | ErrorPayload
Admit = Callable[[SessionInitializePayload, Peer, str | None], Admission]
"""Who is the caller? Gets the claim, the transport's peer and the token, which no machine ever sees."""

SEND_QUEUE = 1024


def admit_everyone(request: SessionInitializePayload, _peer: Peer, _token: str | None) -> Admission:
    """For memory and loopback without accounts: the claim is the principal, its grants unproven and dropped."""
    if request.principal is UNSET:
        return None
    return msgspec.structs.replace(request.principal, grants=UNSET)


class SessionConnection:
    """One session in the hall, with the transport it speaks through at the moment."""

    def __init__(self, host_loop: HostLoop, session: Session, link: TransportLink) -> None:
        self.host_loop, self.session, self.link = host_loop, session, link
        self.owner = link.transport.peer.principal_id
        self.steps = 0
        self.alarm: Alarm | None = None
        self.pending_replies: dict[str, asyncio.Future[Any]] = {}

    @property
    def id(self) -> str:
        return self.session.terms.session_id

    def publish(self, type: str, payload: msgspec.Struct) -> None:
        self.host_loop.feed(self, when.Published(at=self.host_loop.clock.now(), type=type, payload=payload))

    def answer(self, request_id: str, outcome: Outcome) -> None:
        at = self.host_loop.clock.now()
        if isinstance(outcome, Reply):
            event: when.Event = when.Answered(
                at=at, request_id=request_id, type=outcome.type, payload=outcome.payload
            )
        elif isinstance(outcome, ErrorPayload):
            event = when.Declined(at=at, request_id=request_id, error=outcome)
        else:
            return
        self.host_loop.feed(self, event)


class TransportLink:
    """One transport with its outgoing queue; a peer that does not read is cut off, others do not wait for it."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.connection: SessionConnection | None = None
        self.token: str | None = None
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(SEND_QUEUE)
        self._writer = asyncio.create_task(self._write(), name="uiap-line")

    def send(self, text: str) -> None:
        self._put(text)

    def close(self, code: int, reason: str) -> None:
        self._put((code, reason))

    def _put(self, item: str | tuple[int, str]) -> None:
        try:
            self._queue.put_nowait(item)
        except asyncio.QueueFull:
            self._writer.cancel()

    async def _write(self) -> None:
        code, reason = 1013, "the peer reads too slowly"
        try:
            while isinstance(item := await self._queue.get(), str):
                await self.transport.send(item)
            code, reason = item
        except TransportClosed:
            return
        finally:
            with suppress(TransportClosed):
                await self.transport.close(code, reason)

    async def end(self) -> None:
        self._writer.cancel()
        with suppress(asyncio.CancelledError):
            await self._writer


class HostLoop:
    """Sessions, their lines, the dispatch table, the timers and the journal, on one event loop."""

    def __init__(
        self,
        handlers: Handlers,
        *,
        support: Support,
        me: ParticipantInfo,
        clock: Clock | None = None,
        journal: Journal | None = None,
        admit: Admit = admit_everyone,
        app: SessionApp | None = None,
        limits: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.handlers = handlers
        self.clock: Clock = clock or SystemClock()
        self.journal = journal
        self.connections: dict[str, SessionConnection] = {}
        self.session_end_hooks: list[Callable[[SessionConnection], Awaitable[None]]] = []
        self._support, self._me, self._app, self._admit, self._limits = support, me, app, admit, limits
        self._served = frozenset(handlers) | {"session.initialize", "session.ping", "session.terminate"}
        self._tasks: set[asyncio.Task[Any]] = set()

    # -- lines ----------------------------------------------------------------------------------------------

    async def accept(self, transport: Transport) -> None:
        """Serve one connection until it ends. This is what listeners call."""
        line = TransportLink(transport)
        line.connection = self._open(line)
        try:
            while True:
                text = await transport.receive()
                self._receive(line, text)
        except TransportClosed:
            pass
        finally:
            connection = line.connection
            if connection is not None and connection.link is line:
                self.feed(connection, when.TransportLost(at=self.clock.now()))
            await line.end()

    def _receive(self, link: TransportLink, text: str | bytes) -> None:
        assert link.connection is not None
        at = self.clock.now()
        if isinstance(text, str) and ("auth" in text or "\\u" in text or not text.isascii()):
            text = _without_token(link, text)
        if isinstance(text, str):
            self.feed(link.connection, when.Received(at=at, text=text))
        else:
            self.feed(link.connection, when.Garbled(at=at, size=len(text)))

    def _open(self, link: TransportLink) -> SessionConnection:
        heartbeat = {} if link.transport.binding != "http@0.1" else {"heartbeat_s": 0.0}
        terms = SessionTerms(
            session_id=new_secret("sess"),
            seed=new_seed(),
            me=self._me,
            support=self._support,
            app=self._app,
            served=self._served,
            **{**self._limits, **heartbeat},
        )
        connection = SessionConnection(self, Session(terms), link)
        if self.journal is not None:
            self.journal.opened(terms.session_id, "session", self.clock.now(), terms)
        return connection

    # -- events in, commands out ----------------------------------------------------------------------------

    def feed(self, connection: SessionConnection, event: when.Event) -> None:
        """The one place where a session machine is given an event and its commands are carried out."""
        commands = connection.session.handle(event)
        connection.steps += 1
        if self.journal is not None:
            self.journal.stepped(connection.id, "session", connection.steps, event, commands)
        for command in commands:
            self._COMMAND_HANDLERS[type(command)](self, connection, command, event)

    def _send(self, connection: SessionConnection, command: do.SendText, _event: when.Event) -> None:
        connection.link.send(command.text)

    def _close(self, connection: SessionConnection, command: do.CloseTransport, _event: when.Event) -> None:
        connection.link.close(command.code, command.reason)

    def _log_note(self, connection: SessionConnection, command: do.Note, _event: when.Event) -> None:
        log.info("%s: %s (%s)", connection.id, command.text, command.code)

    def _wake(self, connection: SessionConnection, command: do.WakeAt, _event: when.Event) -> None:
        if connection.alarm is not None:
            connection.alarm.cancel()
        connection.alarm = self.clock.call_at(
            command.mono, lambda: self.feed(connection, when.Woke(at=self.clock.now()))
        )

    def _admit_session(self, connection: SessionConnection, command: do.Admit, _event: when.Event) -> None:
        admission = self._admit(command.request, connection.link.transport.peer, connection.link.token)
        at = self.clock.now()
        if isinstance(admission, ErrorPayload):
            self.feed(connection, when.TurnedAway(at=at, error=admission))
            return
        self.connections[connection.id] = connection
        self.feed(connection, when.Admitted(at=at, principal=admission))

    def _resume(self, connection: SessionConnection, command: do.Resume, event: when.Event) -> None:
        """Hand the new line to the session it belongs to; only its own principal gets it back (P10)."""
        kept = self.connections.get(command.session_id)
        line = connection.link
        if (
            kept is None
            or kept.session.state != "suspended"
            or kept.owner != line.transport.peer.principal_id
        ):
            message = f"no session `{command.session_id}` waits to be resumed; open a new one"
            error = ErrorPayload(
                code="session_not_found", message=message, detail={"path": "/payload/resume/sessionId"}
            )
            self.feed(connection, when.TurnedAway(at=self.clock.now(), error=error))
            return
        assert isinstance(event, when.Received)
        kept.link, line.connection = line, kept
        self.feed(kept, when.Resumed(at=self.clock.now(), text=event.text))

    def _deliver(self, connection: SessionConnection, command: do.Deliver, _event: when.Event) -> None:
        if command.correlation_id is not None:
            self._resolve(connection, command)
            return
        handler = self.handlers.get(command.type)
        if handler is None:
            return  # an event nobody here listens to
        call = Call(connection, command.id, command.kind, command.type, command.payload, command.source)
        try:
            outcome = handler(call)
        except Exception as error:
            outcome = _broken(call, error)
        if inspect.isawaitable(outcome):
            self.spawn(self._answer_later(call, outcome))
        elif call.kind == "request":
            connection.answer(call.id, outcome)

    def _resolve(self, connection: SessionConnection, command: do.Deliver) -> None:
        waiting = connection.pending_replies.pop(str(command.correlation_id), None)
        if waiting is not None and not waiting.done():
            waiting.set_result((command.type, command.payload))

    async def _answer_later(self, call: Call, outcome: Awaitable[Outcome]) -> None:
        try:
            answer = await outcome
        except Exception as error:
            answer = _broken(call, error)
        if call.kind == "request":
            call.connection.answer(call.id, answer)

    def _suspend(self, connection: SessionConnection, _command: do.Suspend, _event: when.Event) -> None:
        log.info("%s: suspended", connection.id)

    def _settle(self, connection: SessionConnection, command: do.Settle, _event: when.Event) -> None:
        self.spawn(self._run_end_hooks(connection, command))

    async def _run_end_hooks(self, connection: SessionConnection, command: do.Settle) -> None:
        for settler in self.session_end_hooks:
            await settler(connection)
        self.feed(connection, when.Ended(at=self.clock.now(), reason=command.reason))

    def _finish(self, connection: SessionConnection, _command: do.Finish, _event: when.Event) -> None:
        self.connections.pop(connection.id, None)
        if connection.alarm is not None:
            connection.alarm.cancel()

    _COMMAND_HANDLERS: ClassVar[
        Mapping[type[do.Command], Callable[[Any, SessionConnection, Any, when.Event], None]]
    ] = MappingProxyType(
        {
            do.SendText: _send,
            do.CloseTransport: _close,
            do.Note: _log_note,
            do.WakeAt: _wake,
            do.Admit: _admit_session,
            do.Resume: _resume,
            do.Deliver: _deliver,
            do.Suspend: _suspend,
            do.Settle: _settle,
            do.Finish: _finish,
        }
    )

    # -- work that waits ------------------------------------------------------------------------------------

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something beside the loop; the hall keeps hold of it until it is done or closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def end(self, connection: SessionConnection, reason: TerminateReason) -> None:
        """End one session truthfully, from our side."""
        await self._run_end_hooks(connection, do.Settle(reason))

    async def close(self) -> None:
        """End every session truthfully, then every task."""
        for connection in list(self.connections.values()):
            await self.end(connection, "shutdown")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _broken(call: Call, error: Exception) -> ErrorPayload:
    """What a handler could not do, told without its insides; a store that is down may be up again soon."""
    if isinstance(error, StoreFailed):
        log.warning("%s: %s", call.type, error)
        message = "it could not be written down, so nothing was done; try again"
        return ErrorPayload(code="busy", message=message, retryable=True)
    if isinstance(error, DriverError):  # the interface could not be asked: that is its word, not our insides
        log.warning("%s: %s", call.type, error.message)
        return ErrorPayload(code="busy", message=error.message, retryable=True)
    log.error("handler of %s failed", call.type, exc_info=error)
    return ErrorPayload(code="internal_error", message="the request could not be completed")


def _without_token(line: TransportLink, text: str) -> str | bytes:
    """Keep credentials out of machines and journal (HOUSE §8, Secrets): what cannot be read is not repeated."""
    try:
        data = text.encode()
        body = msgspec.json.decode(data)
    except (UnicodeEncodeError, msgspec.DecodeError):
        return text.encode(errors="replace")  # only its size is told
    if ("auth" in text or "\\u" in text) and scan_for_duplicate_member(data):
        return data  # a second reading might show what the first one hid
    payload = body.get("payload") if isinstance(body, dict) else None
    if not isinstance(payload, dict) or "auth" not in payload:
        return text
    auth = payload["auth"]
    token = auth.get("token") if isinstance(auth, dict) else None
    line.token = token if isinstance(token, str) else None
    payload["auth"] = {**auth, "token": "•••"} if line.token is not None else "•••"
    return msgspec.json.encode(body).decode()
