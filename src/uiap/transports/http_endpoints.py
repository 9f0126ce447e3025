"""The HTTP endpoints of http@0.1 (companions §9.3): create, message, events, delete, and their statuses.

A session id is not a credential (robustness P10): to anyone but the principal that made it, it is unknown.
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
    """A request that ends here, with the error envelope that says why."""

    def __init__(
        self, code: str, message: str, *, status: int | None = None, correlation_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.correlation_id = code, message, correlation_id
        self.status = status or HTTP_STATUS.get(code, 503)  # type: ignore[call-overload]

    def response(self) -> Response:
        return envelope_response(error_envelope(self.code, self.message, self.correlation_id), self.status)


def envelope_response(text: str, status: int = 200) -> Response:
    return Response(text, status, {"Cache-Control": "no-store"}, MEDIA_TYPE)


class HttpEndpoints:
    def __init__(
        self,
        accept: Accept,
        seats: ConnectionLimit,
        peer_of: Callable[[Scope], Peer],
        *,
        max_bytes: int,
        make_session: Callable[[Peer], HttpSession] = HttpSession,
        answer_timeout: float = 30.0,
        keep_alive: float = 15.0,
        send_timeout: float = 10.0,
    ) -> None:
        self._accept = accept
        self._seats = seats
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

    # endpoints ------------------------------------------------------------------------------------------

    async def _create(self, request: Request) -> Response:
        text, routing = await self._envelope(request)
        if routing.kind != "request":
            raise HttpFault("invalid_envelope", "open a session with a `session.initialize` request")
        session = self._open_session(self._peer_of(request.scope), routing)
        with session:
            asked = await self._feed(session, text, routing, None)
            assert asked is not None
            answer = await self._answer_in_time(asked, routing)
            self._register(session, answer)
        return _answer_response(answer)

    async def _message(self, request: Request) -> Response:
        session = self.session_for(request.scope)
        number = _sequence_number(request)
        with session:
            try:
                text, routing = await self._envelope(request)
                if routing.sessionId not in (None, session.session_id):
                    raise _unknown_session(routing.id)
            except HttpFault:
                await session.in_turn(number)
                await session.took_turn(number)  # those behind it need not wait for what never comes
                raise
            answer = await self._feed(session, text, routing, number)
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
            asked = await self._feed(session, text, routing, _sequence_number(request))
            assert asked is not None
            return _answer_response(await self._answer_in_time(asked, routing))

    async def stream(self, session: HttpSession, last: str | None, receive: Receive, send: Send) -> bool:
        """Send events until the session, the client or a newer stream ends it; False if the client hangs."""
        position = session.log.position(last)
        if position is None:
            lost = f"the events after `{last}` are no longer kept; read the state again"
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
                break  # it lost some: the client comes back with Last-Event-ID and gets 410
            if entries:
                await write(b"".join(entry.frame for entry in entries))
                session.advance(stream, entries[-1].number)
            elif session.end is not None:
                await write(close_frame(*session.end))
                break
            elif not stream.over:
                await write(KEEP_ALIVE)
        await write(b"", more=False)

    # sessions -------------------------------------------------------------------------------------------

    def session_for(self, scope: Scope) -> HttpSession:
        session = self._sessions.get(scope["path_params"]["session_id"])
        if session is None or session.peer.principal_id != self._peer_of(scope).principal_id:
            raise _unknown_session()
        return session

    def _open_session(self, peer: Peer, routing: Routing) -> HttpSession:
        seat = ExitStack()
        if not seat.enter_context(self._seats.take()):
            raise HttpFault("busy", "too many sessions; try again later", correlation_id=routing.id)
        session = self._make_session(peer)
        session.opening = routing
        session.on_end = lambda: self._forget(session)
        self._open.add(session)
        task = asyncio.ensure_future(run_connection(self._accept, session))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda _: seat.close())
        return session

    def _register(self, session: HttpSession, answer: str) -> None:
        routing = read_routing(answer)
        assigned = assigned_session(answer) if routing and routing.type == "session.initialized" else ""
        if not assigned:
            session.finish(CLOSE_NORMAL, "no session was opened")
            return
        before = self._sessions.get(assigned)
        if before is not None and before.peer.principal_id != session.peer.principal_id:
            session.finish(CLOSE_NORMAL, "the session belongs to somebody else")
            raise _unknown_session()
        if before is not None:
            before.finish(CLOSE_SUPERSEDED, "resumed on another connection")
        if not session.closed:
            session.session_id = assigned
            self._sessions[assigned] = session

    def _forget(self, session: HttpSession) -> None:
        self._open.discard(session)
        if self._sessions.get(session.session_id) is session:
            del self._sessions[session.session_id]

    async def _feed(
        self, session: HttpSession, text: str, routing: Routing, number: int | None
    ) -> asyncio.Future[str] | None:
        """Hand one envelope to the host in its turn; a future where an answer is owed."""
        asked = routing.id if routing.kind == "request" else None
        await session.in_turn(number)
        try:
            if asked is None:
                await session.push(text)
                return None
            if session.awaits(asked):
                raise HttpFault("duplicate_message", "this id is being answered", correlation_id=asked)
            return await session.ask(asked, text)
        except TimeoutError:
            raise HttpFault("busy", "too much is waiting in this session", correlation_id=asked) from None
        except TransportClosed as end:
            raise HttpFault(lost_answer_code(end), end.message, correlation_id=asked) from None
        finally:
            await session.took_turn(number)

    async def _answer_in_time(self, answer: asyncio.Future[str], routing: Routing) -> str:
        try:
            async with asyncio.timeout(self._answer_timeout):
                return await answer
        except TimeoutError:
            raise HttpFault("timeout", "no answer in time; it will come as an event") from None
        except TransportClosed as end:
            raise HttpFault(lost_answer_code(end), end.message, correlation_id=routing.id) from None

    # bodies ---------------------------------------------------------------------------------------------

    async def _envelope(self, request: Request) -> tuple[str, Routing]:
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != MEDIA_TYPE:
            message = f"send `Content-Type: {MEDIA_TYPE}`, not `{media}`"
            raise HttpFault("invalid_envelope", message, status=HTTP_WRONG_MEDIA_TYPE)
        try:
            text = (await self._body(request)).decode()
        except UnicodeDecodeError:
            raise HttpFault("invalid_envelope", "the body is not UTF-8") from None
        routing = read_routing(text)
        if routing is None or routing.kind not in ("request", "response", "event", "error"):
            raise HttpFault("invalid_envelope", "the body is not one UIAP envelope with an `id` and a `kind`")
        return text, routing

    async def _body(self, request: Request) -> bytes:
        body = bytearray()
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size <= self._max_bytes:
                body += chunk
            elif size > 4 * self._max_bytes:  # a little more is read, so that the refusal can be heard
                break
        if size > self._max_bytes:
            raise HttpFault("payload_too_large", f"an envelope may have at most {self._max_bytes} bytes")
        return bytes(body)


class EventsEndpoint:
    """GET of the event stream, as plain ASGI: it must see the client go while it waits."""

    def __init__(self, door: HttpEndpoints) -> None:
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = dict(scope["headers"]).get(b"last-event-id", b"")
        last = sent.decode("utf-8", "replace") or None
        try:
            session = self._door.session_for(scope)
            with session:
                heard = await self._door.stream(session, last, receive, send)
        except HttpFault as fault:
            await fault.response()(scope, receive, send)
            return
        if not heard:
            scope.get("extensions", {}).get("uiap.abort", {}).get("call", lambda: None)()


def with_fault_responses(handle: Endpoint) -> Endpoint:
    """Every fault of an endpoint becomes an `error` envelope, and none shows what is inside us."""

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


async def _call_on_disconnect(receive: Receive, gone: Callable[[], None]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone()


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
