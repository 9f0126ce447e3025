"""The HTTP endpoints of http@0.1: create a session, send a message, stream events, delete a session.

A session id is not a credential: only the principal that opened a session can use it, others get "not found".
Needs `uiap[server]`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from uiap.spec.http import HTTP_ACCEPTED, HTTP_REPLAY_GONE, HTTP_STATUS, HTTP_WRONG_MEDIA_TYPE
from uiap.timeouts import REPLY_S, SEND_S
from uiap.transports.binding import (
    MEDIA_TYPE,
    SEQUENCE_HEADER,
    ConnectionLimit,
    HttpBinding,
    Routing,
    assigned_session,
    envelope,
    error_code,
    error_envelope,
    read_routing,
    run_connection,
)
from uiap.transports.events import KEEP_ALIVE, close_frame
from uiap.transports.sessions import EventStream, HttpSession, lost_answer_code
from uiap.transports.transport import CLOSE_NORMAL, CLOSE_SUPERSEDED, Accept, Peer, TransportClosed

log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]
SSE_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class HttpFault(Exception):
    """Ends a request with an error envelope."""

    def __init__(
        self, code: str, message: str, *, status: int | None = None, correlation_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.correlation_id = code, message, correlation_id
        self.status = status or HTTP_STATUS.get(code, 503)  # type: ignore[call-overload]

    def response(self) -> Response:
        return envelope_response(error_envelope(self.code, self.message, self.correlation_id), self.status)


def envelope_response(text: str, status: int = 200) -> Response:
    """Return one envelope as an HTTP response."""
    return Response(text, status, {"Cache-Control": "no-store"}, MEDIA_TYPE)


class HttpEndpoints:
    """The endpoints and the sessions they have opened. Each session runs the host's handler in a task."""

    def __init__(
        self,
        accept: Accept,
        connections: ConnectionLimit,
        peer_of: Callable[[Scope], Peer],
        *,
        max_bytes: int,
        make_session: Callable[[Peer], HttpSession] = HttpSession,
        answer_timeout: float = REPLY_S,
        keep_alive: float = 15.0,
        send_timeout: float = SEND_S,
    ) -> None:
        self._accept = accept
        self._connections = connections
        self._peer_of = peer_of
        self._max_bytes = max_bytes
        self._make_session = make_session
        self._answer_timeout = answer_timeout
        self._keep_alive = keep_alive
        self._send_timeout = send_timeout
        self._sessions: dict[str, HttpSession] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self._open: set[HttpSession] = set()

    def routes(self, binding: HttpBinding) -> list[BaseRoute]:
        message = binding.message_path_template.replace("{sessionId}", "{session_id}")
        events = binding.event_stream_path_template.replace("{sessionId}", "{session_id}")
        return [
            Route(binding.session_path, with_fault_responses(self._create), methods=["POST"]),
            Route(message, with_fault_responses(self._message), methods=["POST"]),
            Route(events, EventsEndpoint(self), methods=["GET"]),
            Route(
                binding.session_path + "/{session_id}", with_fault_responses(self._delete), methods=["DELETE"]
            ),
        ]

    def close_all(self, code: int, reason: str) -> None:
        for session in list(self._open):
            session.finish(code, reason)

    # -- endpoints ------------------------------------------------------------------------------------------

    async def _create(self, request: Request) -> Response:
        text, routing = await self._read_envelope(request)
        if routing.kind != "request":
            raise HttpFault("invalid_envelope", "open a session with a `session.initialize` request")
        session = self._open_session(self._peer_of(request.scope), routing)
        with session:
            answer_future = await self._pass_to_host(session, text, routing, None)
            assert answer_future is not None
            answer = await self._answer_in_time(answer_future, routing)
            self._register(session, answer)
        return _answer_response(answer)

    async def _message(self, request: Request) -> Response:
        session = self.session_for(request.scope)
        number = _sequence_number(request)
        with session:
            try:
                text, routing = await self._read_envelope(request)
                if routing.sessionId not in (None, session.session_id):
                    raise _unknown_session(routing.id)
            except HttpFault:
                await session.wait_turn(number)
                await session.finish_turn(number)  # later messages must not wait for this one
                raise
            answer = await self._pass_to_host(session, text, routing, number)
            if answer is None:
                return Response(status_code=HTTP_ACCEPTED)
            return _answer_response(await self._answer_in_time(answer, routing))

    async def _delete(self, request: Request) -> Response:
        session = self.session_for(request.scope)
        with session:
            assert session.opening is not None
            text = envelope(
                "request",
                "session.terminate",
                {"reason": "user_request"},
                uiap=session.opening.uiap,
                source=session.opening.source,
                sessionId=session.session_id,
            )
            routing = read_routing(text)
            assert routing is not None
            answer_future = await self._pass_to_host(session, text, routing, _sequence_number(request))
            assert answer_future is not None
            return _answer_response(await self._answer_in_time(answer_future, routing))

    async def stream(self, session: HttpSession, last: str | None, receive: Receive, send: Send) -> bool:
        """Send events until the session, the client or a newer stream ends it; return False if the client hangs."""
        position = session.log.position(last)
        if position is None:
            lost = f"the events after `{last}` are no longer available; read the state again"
            raise HttpFault("not_found", lost, status=HTTP_REPLAY_GONE)
        stream = session.attach(position)
        watch = asyncio.ensure_future(_call_on_disconnect(receive, lambda: session.drop(stream)))
        try:
            async with asyncio.timeout(None) as limit:
                await self._pump(session, stream, send, limit)
        except TimeoutError:
            return False
        finally:
            watch.cancel()
            session.drop(stream)
        return True

    async def _pump(
        self, session: HttpSession, stream: EventStream, send: Send, limit: asyncio.Timeout
    ) -> None:
        loop = asyncio.get_running_loop()

        async def write(body: bytes, more: bool = True) -> None:
            limit.reschedule(loop.time() + self._send_timeout)
            await send({"type": "http.response.body", "body": body, "more_body": more})
            limit.reschedule(None)

        await send({"type": "http.response.start", "status": 200, "headers": SSE_HEADERS})
        await write(b": open\n\n")
        while not stream.over:
            entries = await session.unread(stream, self._keep_alive)
            if entries is None:
                break  # events were dropped: the client reconnects with Last-Event-ID and gets 410
            if entries:
                await write(b"".join(entry.frame for entry in entries))
                session.advance(stream, entries[-1].number)
            elif session.end is not None:
                await write(close_frame(*session.end))
                break
            elif not stream.over:
                await write(KEEP_ALIVE)
        await write(b"", more=False)

    # -- sessions -------------------------------------------------------------------------------------------

    def session_for(self, scope: Scope) -> HttpSession:
        session = self._sessions.get(scope["path_params"]["session_id"])
        if session is None or session.peer.principal_id != self._peer_of(scope).principal_id:
            raise _unknown_session()
        return session

    def _open_session(self, peer: Peer, routing: Routing) -> HttpSession:
        connection = ExitStack()
        if not connection.enter_context(self._connections.acquire()):
            raise HttpFault("busy", "too many sessions; try again later", correlation_id=routing.id)
        session = self._make_session(peer)
        session.opening = routing
        session.on_end = lambda: self._remove(session)
        self._open.add(session)
        task = asyncio.ensure_future(run_connection(self._accept, session))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda _: connection.close())
        return session

    def _register(self, session: HttpSession, answer: str) -> None:
        routing = read_routing(answer)
        assigned = assigned_session(answer) if routing and routing.type == "session.initialized" else ""
        if not assigned:
            session.finish(CLOSE_NORMAL, "no session was opened")
            return
        before = self._sessions.get(assigned)
        if before is not None and before.peer.principal_id != session.peer.principal_id:
            session.finish(CLOSE_NORMAL, "the session belongs to another principal")
            raise _unknown_session()
        if before is not None:
            before.finish(CLOSE_SUPERSEDED, "resumed on another connection")
        if not session.closed:
            session.session_id = assigned
            self._sessions[assigned] = session

    def _remove(self, session: HttpSession) -> None:
        self._open.discard(session)
        if self._sessions.get(session.session_id) is session:
            del self._sessions[session.session_id]

    async def _pass_to_host(
        self, session: HttpSession, text: str, routing: Routing, number: int | None
    ) -> asyncio.Future[str] | None:
        """Pass one envelope to the host in its turn; return a future if it is a request."""
        request_id = routing.id if routing.kind == "request" else None
        await session.wait_turn(number)
        try:
            if request_id is None:
                await session.push(text)
                return None
            if session.awaits(request_id):
                raise HttpFault(
                    "duplicate_message",
                    "a request with this id is already open; use a new id",
                    correlation_id=request_id,
                )
            return await session.ask(request_id, text)
        except TimeoutError:
            raise HttpFault(
                "busy",
                "too many messages are waiting in this session; try again later",
                correlation_id=request_id,
            ) from None
        except TransportClosed as end:
            raise HttpFault(lost_answer_code(end), end.message, correlation_id=request_id) from None
        finally:
            await session.finish_turn(number)

    async def _answer_in_time(self, answer: asyncio.Future[str], routing: Routing) -> str:
        try:
            async with asyncio.timeout(self._answer_timeout):
                return await answer
        except TimeoutError:
            raise HttpFault("timeout", "no answer in time; the answer will come as an event") from None
        except TransportClosed as end:
            raise HttpFault(lost_answer_code(end), end.message, correlation_id=routing.id) from None

    # -- request bodies -------------------------------------------------------------------------------------

    async def _read_envelope(self, request: Request) -> tuple[str, Routing]:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != MEDIA_TYPE:
            message = f"send `Content-Type: {MEDIA_TYPE}`, not `{media}`"
            raise HttpFault("invalid_envelope", message, status=HTTP_WRONG_MEDIA_TYPE)
        try:
            text = (await self._read_body(request)).decode()
        except UnicodeDecodeError:
            raise HttpFault("invalid_envelope", "the body is not UTF-8") from None
        routing = read_routing(text)
        if routing is None or routing.kind not in ("request", "response", "event", "error"):
            raise HttpFault("invalid_envelope", "the body is not one UIAP envelope with an `id` and a `kind`")
        return text, routing

    async def _read_body(self, request: Request) -> bytes:
        body = bytearray()
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size <= self._max_bytes:
                body += chunk
            elif size > 4 * self._max_bytes:  # read a little more, so that the client can read the refusal
                break
        if size > self._max_bytes:
            raise HttpFault("payload_too_large", f"an envelope may have at most {self._max_bytes} bytes")
        return bytes(body)


class EventsEndpoint:
    """GET of the event stream as plain ASGI, because it must notice a disconnect while it waits."""

    def __init__(self, endpoints: HttpEndpoints) -> None:
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = dict(scope["headers"]).get(b"last-event-id", b"")
        last = sent.decode("utf-8", "replace") or None
        try:
            session = self._endpoints.session_for(scope)
            with session:
                client_reads = await self._endpoints.stream(session, last, receive, send)
        except HttpFault as fault:
            await fault.response()(scope, receive, send)
            return
        if not client_reads:
            scope.get("extensions", {}).get("uiap.abort", {}).get("call", lambda: None)()


def with_fault_responses(handle: Endpoint) -> Endpoint:
    """Return an endpoint whose faults become `error` envelopes without internal details."""

    async def endpoint(request: Request) -> Response:
        try:
            return await handle(request)
        except HttpFault as fault:
            return fault.response()
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:
            log.exception("an HTTP request failed")
            return HttpFault("internal_error", "internal error").response()

    return endpoint


async def _call_on_disconnect(receive: Receive, on_disconnect: Callable[[], None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    on_disconnect()


def _answer_response(text: str) -> Response:
    routing = read_routing(text)
    if routing is not None and routing.type == "error":
        return envelope_response(text, HTTP_STATUS.get(error_code(text), 200))  # type: ignore[call-overload]
    return envelope_response(text)


def _unknown_session(correlation_id: str | None = None) -> HttpFault:
    return HttpFault("session_not_found", "no such session; open one first", correlation_id=correlation_id)


def _sequence_number(request: Request) -> int | None:
    number = request.headers.get(SEQUENCE_HEADER, "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else None
