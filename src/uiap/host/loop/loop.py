"""The event loop of the host: receives texts from transports, feeds session machines, carries out their commands.

It makes no decisions. A session machine decides what to send, and a handler decides what a message means.
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

from uiap.drivers.errors import DriverError, PageGone
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
"""Authenticates a caller. Gets its request, the transport's peer and the token, which no machine ever sees."""

SEND_QUEUE = 1024


def admit_everyone(request: SessionInitializePayload, _peer: Peer, _token: str | None) -> Admission:
    """Admit every caller as the principal it claims to be, without the grants it claims.

    This is for in-memory and loopback transports without accounts.
    """
    if request.principal is UNSET:
        return None
    return msgspec.structs.replace(request.principal, grants=UNSET)


class SessionConnection:
    """One session of the loop, with the transport link it currently uses."""

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
    """One transport and its outgoing queue. A peer that reads too slowly is disconnected, so others never wait."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.connection: SessionConnection | None = None
        self.token: str | None = None
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue(SEND_QUEUE)
        self._writer = asyncio.create_task(self._write(), name="uiap-link")

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
        """Send the queued texts, then close with the queued code. A full queue cancels this task."""
        code, reason = 1013, "the peer reads too slowly"  # the close code if the task is cancelled
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
    """All sessions of a process, with their links, timers, dispatch table and journal, on one asyncio loop."""

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

    # -- links ----------------------------------------------------------------------------------------------

    async def accept(self, transport: Transport) -> None:
        """Serve one transport until it closes. Listeners call this."""
        link = TransportLink(transport)
        link.connection = self._open(link)
        try:
            while True:
                text = await transport.receive()
                self._receive(link, text)
        except TransportClosed:
            pass
        finally:
            connection = link.connection
            if connection is not None and connection.link is link:
                self.feed(connection, when.TransportLost(at=self.clock.now()))
            await link.end()

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
        """Feed an event to a session machine, journal the step, and carry out the machine's commands."""
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
        """Give the new link to the suspended session; only the session's own principal may resume it."""
        suspended = self.connections.get(command.session_id)
        link = connection.link
        if (
            suspended is None
            or suspended.session.state != "suspended"
            or suspended.owner != link.transport.peer.principal_id
        ):
            message = f"no session `{command.session_id}` can be resumed; open a new one"
            error = ErrorPayload(
                code="session_not_found", message=message, detail={"path": "/payload/resume/sessionId"}
            )
            self.feed(connection, when.TurnedAway(at=self.clock.now(), error=error))
            return
        assert isinstance(event, when.Received)
        suspended.link, link.connection = link, suspended
        self.feed(suspended, when.Resumed(at=self.clock.now(), text=event.text))

    def _deliver(self, connection: SessionConnection, command: do.Deliver, _event: when.Event) -> None:
        if command.correlation_id is not None:
            self._resolve(connection, command)
            return
        handler = self.handlers.get(command.type)
        if handler is None:
            return  # an event without a handler is ignored
        call = Call(connection, command.id, command.kind, command.type, command.payload, command.source)
        try:
            outcome = handler(call)
        except Exception as error:
            outcome = _handler_error(call, error)
        if inspect.isawaitable(outcome):
            self.spawn(self._answer_later(call, outcome))
        elif call.kind == "request":
            connection.answer(call.id, outcome)

    def _resolve(self, connection: SessionConnection, command: do.Deliver) -> None:
        pending = connection.pending_replies.pop(str(command.correlation_id), None)
        if pending is not None and not pending.done():
            pending.set_result((command.type, command.payload))

    async def _answer_later(self, call: Call, outcome: Awaitable[Outcome]) -> None:
        try:
            answer = await outcome
        except Exception as error:
            answer = _handler_error(call, error)
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

    # -- background tasks -----------------------------------------------------------------------------------

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine as a task and keep a reference to it until it ends or the loop closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def end(self, connection: SessionConnection, reason: TerminateReason) -> None:
        """End one session from the host's side; its actions get their results first."""
        await self._run_end_hooks(connection, do.Settle(reason))

    async def close(self) -> None:
        """End every session, then cancel the remaining tasks."""
        for connection in list(self.connections.values()):
            await self.end(connection, "shutdown")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _handler_error(call: Call, error: Exception) -> ErrorPayload:
    """Return the error of a handler that raised, without internal details.

    Failures of the store and of the driver are retryable: both may work again soon.
    """
    if isinstance(error, StoreFailed):
        log.warning("%s: %s", call.type, error)
        message = "the request could not be recorded, so nothing was done; try again"
        return ErrorPayload(code="busy", message=message, retryable=True)
    if isinstance(error, PageGone):
        return ErrorPayload(code="invalid_state", message=error.message, detail=error.detail)
    if isinstance(error, DriverError):  # the driver's message is about the page, not about our internals
        log.warning("%s: %s", call.type, error.message)
        return ErrorPayload(code="busy", message=error.message, retryable=True)
    log.error("handler of %s failed", call.type, exc_info=error)
    return ErrorPayload(code="internal_error", message="the request could not be completed")


def _without_token(link: TransportLink, text: str) -> str | bytes:
    """Take the token out of a message, so that no machine and no journal ever holds it.

    A text that cannot be parsed safely is returned as bytes: only its size is recorded.
    """
    try:
        data = text.encode()
        body = msgspec.json.decode(data)
    except (UnicodeEncodeError, msgspec.DecodeError):
        return text.encode(errors="replace")
    if ("auth" in text or "\\u" in text) and scan_for_duplicate_member(data):
        return data  # with duplicate members, another parser may read a token that this one does not see
    payload = body.get("payload") if isinstance(body, dict) else None
    if not isinstance(payload, dict) or "auth" not in payload:
        return text
    auth = payload["auth"]
    token = auth.get("token") if isinstance(auth, dict) else None
    link.token = token if isinstance(token, str) else None
    payload["auth"] = {**auth, "token": "•••"} if link.token is not None else "•••"
    return msgspec.json.encode(body).decode()
