"""Serve WebSocket and HTTP on one port: a Starlette application, and a listener that runs it in this event loop.

Admission is checked before every path. `uvicorn_limits` bounds sockets and timers; `sessions` keeps HTTP sessions.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from uiap.errors import Unavailable
from uiap.spec.http import SSE_KEEP_ALIVE_MS, HTTPBindingConfig
from uiap.timeouts import CLOSE_S, REPLY_S, RESUME_S, SEND_S, SESSION_IDLE_S
from uiap.transports.address import is_loopback, listening_socket
from uiap.transports.admission import loopback_only, repeated_header
from uiap.transports.binding import ConnectionLimit, HttpBinding, error_envelope, run_connection
from uiap.transports.sessions import HttpSession
from uiap.transports.transport import (
    MAX_MESSAGE_BYTES,
    Accept,
    AdmissionGranted,
    AdmissionRefused,
    Admit,
    Peer,
)
from uiap.transports.websocket import SUBPROTOCOL, Receive, Send, ServerWebSocket

try:
    from starlette.applications import Starlette
    from starlette.datastructures import Headers
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import WebSocketRoute
    from starlette.types import ASGIApp, Scope
    from uvicorn.server import ServerState

    from uiap.transports.http_endpoints import HttpEndpoints, envelope_response
    from uiap.transports.uvicorn_limits import GuardedConfig, GuardedHttp, GuardedWebSocket
except ModuleNotFoundError as missing:  # pragma: no cover
    name = str(missing.name).partition(".")[0]
    raise Unavailable(f"a server needs `{name}`; install uiap[server]") from None

PEER_HEADERS = ("host", "origin", "user-agent")
MAX_SILENT_CONNECTIONS = 200
"""Connections that have not sent a message yet. Too many of them would use up the memory that sessions need."""


def peer_of(scope: Scope) -> Peer:
    """Return the peer of an admitted request, with its harmless headers only."""
    headers = Headers(scope=scope)
    shown = {name: headers[name] for name in PEER_HEADERS if name in headers}
    return Peer(_client(scope), scope["uiap.admitted"].principal_id, shown)


def _client(scope: Scope) -> str:
    host, port = scope.get("client") or ("unknown", 0)
    return f"{host}:{port}"


class AdmissionMiddleware:
    """ASGI middleware that checks admission: a refused request reaches no route and opens no session."""

    def __init__(self, app: ASGIApp, admit: Admit | None) -> None:
        self._app = app
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        verdict = self._check(scope)
        if isinstance(verdict, AdmissionRefused):
            await refuse(scope, send, verdict)
            return
        scope["uiap.admitted"] = verdict
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> AdmissionGranted | AdmissionRefused:
        repeated = repeated_header(scope["headers"])
        if repeated is not None:
            return repeated
        admit = self._admit
        if admit is None:
            scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
            admit = loopback_only((scope.get("server") or ("", 0))[1] or 0, scheme=scheme)
        return admit(Headers(scope=scope), scope["path"], _client(scope))


async def refuse(scope: Scope, send: Send, verdict: AdmissionRefused) -> None:
    """Answer with an `error` envelope over HTTP, also if the client asked for a WebSocket."""
    prefix = "websocket.http" if scope["type"] == "websocket" else "http"
    if prefix == "websocket.http" and prefix + ".response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    body = error_envelope(verdict.code, verdict.message).encode()
    headers = [(b"content-type", b"application/uiap+json"), (b"content-length", str(len(body)).encode())]
    if verdict.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": f"{prefix}.response.start", "status": verdict.status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": body})


class OpenSessions(Protocol):
    """The sessions of an app, as the listener ends them."""

    tasks: set[asyncio.Task[None]]

    def close_all(self, code: int, reason: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class ListenerTerms:
    """Facts about an app that an `AsgiListener` needs to run it."""

    sessions: OpenSessions
    admit: Admit | None
    websocket_path: str = ""
    max_bytes: int
    max_connections: int

    def attach(self, app: Starlette) -> Starlette:
        """Return the app with these terms, so that a listener can run it."""
        app.state.uiap = self
        return app


class WebSocketEndpoint:
    """The ws@0.1 endpoint."""

    def __init__(
        self, accept: Accept, connections: ConnectionLimit, silent: ConnectionLimit, send_timeout: float
    ) -> None:
        self._accept = accept
        self._connections = connections
        self._silent = silent
        self._send_timeout = send_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        offered = scope["subprotocols"]
        if offered and SUBPROTOCOL not in offered:
            wanted = f"offer the subprotocol {SUBPROTOCOL}"
            await refuse(scope, send, AdmissionRefused(400, "unsupported_version", wanted))
            return
        with self._connections.acquire() as is_connected, ExitStack() as until_first_message:
            # a connection also counts as silent until its first message
            is_admitted = is_connected and until_first_message.enter_context(self._silent.acquire())
            if not is_admitted:
                await refuse(
                    scope, send, AdmissionRefused(503, "busy", "too many connections; try again later")
                )
                return
            await receive()  # websocket.connect
            await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL if offered else None})
            extensions = scope.get("extensions", {})
            transport = ServerWebSocket(
                _with_receive_callback(receive, until_first_message.close),
                send,
                peer_of(scope),
                fail=extensions.get("uiap.fail", {}).get("call"),
                send_now=extensions.get("uiap.send_now", {}).get("call"),
                send_timeout=self._send_timeout,
            )
            await run_connection(self._accept, transport)


def _with_receive_callback(receive: Receive, on_message: Callable[[], None]) -> Receive:
    """Return a `receive` that calls `on_message` after each message."""

    async def receive_and_call() -> Any:
        message = await receive()
        on_message()
        return message

    return receive_and_call


def application(
    accept: Accept,
    *,
    admit: Admit | None = None,
    max_bytes: int = MAX_MESSAGE_BYTES,
    max_connections: int = 2000,
    max_silent: int = MAX_SILENT_CONNECTIONS,
    paths: HttpBinding | HTTPBindingConfig | None = None,
    send_timeout: float = SEND_S,
    answer_timeout: float = REPLY_S,
    resume_window: float = RESUME_S,
    idle_timeout: float = SESSION_IDLE_S,
    keep_alive: float = SSE_KEEP_ALIVE_MS / 1000,
) -> Starlette:
    """Return an app that serves ws@0.1 and http@0.1. Without `admit` it admits requests to loopback names only."""
    binding = HttpBinding.of(paths)
    connections = ConnectionLimit(max_connections)
    endpoints = HttpEndpoints(
        accept,
        connections,
        peer_of,
        max_bytes=max_bytes,
        make_session=lambda peer: HttpSession(
            peer, resume_window=resume_window, idle_timeout=idle_timeout, send_timeout=send_timeout
        ),
        answer_timeout=answer_timeout,
        keep_alive=keep_alive,
        send_timeout=send_timeout,
    )
    websocket = WebSocketRoute(
        binding.websocket_path,
        WebSocketEndpoint(accept, connections, ConnectionLimit(max_silent), send_timeout),
    )
    app = Starlette(
        routes=[websocket, *endpoints.routes(binding)],
        middleware=[Middleware(AdmissionMiddleware, admit=admit)],
        exception_handlers={HTTPException: _http_error_response},
    )
    app.router.default = _not_found
    terms = ListenerTerms(
        sessions=endpoints,
        admit=admit,
        websocket_path=binding.websocket_path,
        max_bytes=max_bytes,
        max_connections=max_connections,
    )
    return terms.attach(app)


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer an unknown path with 404, also for a WebSocket, where Starlette would answer 403."""
    await refuse(
        scope, send, AdmissionRefused(404, "not_found", f"there is no path `{scope['path']}` on this server")
    )


def _http_error_response(request: Request, raised: Exception) -> Response:
    assert isinstance(raised, HTTPException)
    code = "not_found" if raised.status_code == 404 else "unsupported_type"
    return envelope_response(
        error_envelope(code, f"{request.method} `{request.url.path}`: {raised.detail}"), raised.status_code
    )


class AsgiListener:
    """Runs an `application` on a port of this machine, in the current event loop, without signal handlers."""

    def __init__(
        self,
        app: Starlette,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        ssl_context: ssl.SSLContext | None = None,
        request_timeout: float = 10.0,
        close_timeout: float = CLOSE_S,
        on_disconnects: Callable[[], None] | None = None,
    ) -> None:
        """`on_disconnects` is called with a delay after connections have closed."""
        terms: ListenerTerms = app.state.uiap
        if terms.admit is None and not is_loopback(host):
            raise Unavailable(f"will not listen on `{host}` without authentication; use 127.0.0.1 or a token")
        self._terms = terms
        self._bind = (host, port)
        self._ssl = ssl_context
        self._config = GuardedConfig(
            app,
            http=GuardedHttp,
            ws=GuardedWebSocket,
            lifespan="off",
            timeout_keep_alive=30,  # longer than the client's 5 s, so that the client closes first
            log_config=None,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            ws_max_size=terms.max_bytes,
            ws_per_message_deflate=False,  # no compression, so no compression bomb
            ws_ping_interval=None,  # the session has its own heartbeat
        )
        self._config.request_timeout = request_timeout
        self._config.close_timeout = close_timeout
        self._config.on_disconnects = on_disconnects
        self._config.max_sockets = 2 * terms.max_connections + 64
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        if self._server is None:
            raise Unavailable("the listener is not started; await start() first")
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        host = f"[{self._bind[0]}]" if ":" in self._bind[0] else self._bind[0]
        return f"http{'s' if self._ssl else ''}://{host}:{self.port}"

    @property
    def websocket_url(self) -> str:
        return f"ws{self.address.removeprefix('http')}{self._terms.websocket_path}"

    async def start(self) -> None:
        if not self._config.loaded:
            self._config.load()
        self._server = await asyncio.get_running_loop().create_server(
            self._protocol, sock=listening_socket(*self._bind), ssl=self._ssl, backlog=2048
        )

    def _protocol(self) -> asyncio.Protocol:
        return GuardedHttp(config=self._config, server_state=self._state, app_state={})

    async def stop(self, grace: float = 5.0) -> None:
        """Stop listening and close the open connections; abort the rest after `grace` seconds."""
        if self._server is None:
            return
        self._server.close()
        self._terms.sessions.close_all(1012, "the server is stopping")
        for connection in list(self._state.connections):
            connection.shutdown()
        await self._drain(grace)
        for connection in list(self._state.connections):
            connection.transport.abort()
        for task in [*self._state.tasks, *self._terms.sessions.tasks]:
            task.cancel()
        await self._drain(grace)
        await self._server.wait_closed()
        self._server = None

    async def _drain(self, seconds: float) -> None:
        """Wait up to `seconds` until connections and handler tasks have ended."""
        if self._state.connections:
            self._config.all_closed.clear()
            waiting: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._config.all_closed.wait())}
        else:
            waiting = set()
        tasks = self._state.tasks | self._terms.sessions.tasks
        waiting |= tasks
        if not waiting:
            return
        _, late = await asyncio.wait(waiting, timeout=seconds)
        for task in late - tasks:
            task.cancel()
