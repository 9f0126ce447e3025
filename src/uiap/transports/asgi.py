"""Both network bindings on one port: a Starlette application, and the listener that runs it in this loop.

Admission comes before every path. Sockets, caps and timers are `guard`'s, the HTTP sessions `sessions`'.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from uiap.errors import Unavailable
from uiap.spec.http import SSE_KEEP_ALIVE_MS, HTTPBindingConfig
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
"""Connections that have said nothing yet: a crowd of them must not fill the memory that sessions need (P2)."""


def peer_of(scope: Scope) -> Peer:
    headers = Headers(scope=scope)
    kept = {name: headers[name] for name in PEER_HEADERS if name in headers}
    return Peer(_client(scope), scope["uiap.admitted"].principal_id, kept)


def _client(scope: Scope) -> str:
    host, port = scope.get("client") or ("unknown", 0)
    return f"{host}:{port}"


class AdmissionMiddleware:
    """Admission as ASGI middleware: a refused caller reaches no route, and no session comes to be."""

    def __init__(self, app: ASGIApp, admit: Admit | None) -> None:
        self._app = app
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        verdict = self._decide(scope)
        if isinstance(verdict, AdmissionRefused):
            await refuse(scope, send, verdict)
            return
        scope["uiap.admitted"] = verdict
        await self._app(scope, receive, send)

    def _decide(self, scope: Scope) -> AdmissionGranted | AdmissionRefused:
        repeated = repeated_header(scope["headers"])
        if repeated is not None:
            return repeated
        admit = self._admit
        if admit is None:
            scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
            admit = loopback_only((scope.get("server") or ("", 0))[1] or 0, scheme=scheme)
        return admit(Headers(scope=scope), scope["path"], _client(scope))


async def refuse(scope: Scope, send: Send, verdict: AdmissionRefused) -> None:
    """Answer with an `error` envelope, over HTTP also where a WebSocket was asked for."""
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


class WebSocketEndpoint:
    """The ws@0.1 endpoint."""

    def __init__(
        self, accept: Accept, seats: ConnectionLimit, silent: ConnectionLimit, send_timeout: float
    ) -> None:
        self._accept = accept
        self._seats = seats
        self._silent = silent
        self._send_timeout = send_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        offered = scope["subprotocols"]
        if offered and SUBPROTOCOL not in offered:
            wanted = f"offer the subprotocol {SUBPROTOCOL}"
            await refuse(scope, send, AdmissionRefused(400, "unsupported_version", wanted))
            return
        with self._seats.take() as seated, ExitStack() as unheard:
            if not (seated and unheard.enter_context(self._silent.take())):
                await refuse(
                    scope, send, AdmissionRefused(503, "busy", "too many connections; try again later")
                )
                return
            await receive()  # websocket.connect
            await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL if offered else None})
            more = scope.get("extensions", {})
            transport = ServerWebSocket(
                _with_receive_callback(receive, unheard.close),
                send,
                peer_of(scope),
                fail=more.get("uiap.fail", {}).get("call"),
                say=more.get("uiap.say", {}).get("call"),
                send_timeout=self._send_timeout,
            )
            await run_connection(self._accept, transport)


def _with_receive_callback(receive: Receive, first: Callable[[], None]) -> Receive:
    """`first` is called when the peer has said something; more often does no harm."""

    async def hear() -> Any:
        message = await receive()
        first()
        return message

    return hear


def application(
    accept: Accept,
    *,
    admit: Admit | None = None,
    max_bytes: int = MAX_MESSAGE_BYTES,
    max_connections: int = 2000,
    max_silent: int = MAX_SILENT_CONNECTIONS,
    paths: HttpBinding | HTTPBindingConfig | None = None,
    send_timeout: float = 10.0,
    answer_timeout: float = 30.0,
    resume_window: float = 60.0,
    idle_timeout: float = 600.0,
    keep_alive: float = SSE_KEEP_ALIVE_MS / 1000,
) -> Starlette:
    """Serve ws@0.1 and http@0.1. Without `admit`, only callers that address a loopback name are let in."""
    binding = HttpBinding.of(paths)
    seats = ConnectionLimit(max_connections)
    door = HttpEndpoints(
        accept,
        seats,
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
        binding.websocket_path, WebSocketEndpoint(accept, seats, ConnectionLimit(max_silent), send_timeout)
    )
    app = Starlette(
        routes=[websocket, *door.routes(binding)],
        middleware=[Middleware(AdmissionMiddleware, admit=admit)],
        exception_handlers={HTTPException: _http_error_response},
    )
    app.router.default = _not_found
    app.state.uiap_endpoints = door
    app.state.uiap_admit = admit
    app.state.uiap_binding = binding
    app.state.uiap_max_bytes = max_bytes
    app.state.uiap_max_connections = max_connections
    return app


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """A path that leads nowhere, also for a WebSocket, where Starlette would say 403."""
    await refuse(scope, send, AdmissionRefused(404, "not_found", f"nothing is served at `{scope['path']}`"))


def _http_error_response(request: Request, raised: Exception) -> Response:
    assert isinstance(raised, HTTPException)
    code = "not_found" if raised.status_code == 404 else "unsupported_type"
    return envelope_response(
        error_envelope(code, f"{request.method} `{request.url.path}`: {raised.detail}"), raised.status_code
    )


class AsgiListener:
    """An `application` on a port of this machine, in the running loop; it installs no signal handlers."""

    def __init__(
        self,
        app: Starlette,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        ssl_context: ssl.SSLContext | None = None,
        request_timeout: float = 10.0,
        close_timeout: float = 2.0,
        on_disconnects: Callable[[], None] | None = None,
    ) -> None:
        """`on_disconnects` is called some time after connections have gone."""
        if app.state.uiap_admit is None and not is_loopback(host):
            raise Unavailable(f"will not listen on `{host}` without authentication; use 127.0.0.1 or a token")
        self._app = app
        self._bind = (host, port)
        self._ssl = ssl_context
        self._config = GuardedConfig(
            app,
            http=GuardedHttp,
            ws=GuardedWebSocket,
            lifespan="off",
            timeout_keep_alive=30,  # well beyond the client's own, so that the client is the one to hang up
            log_config=None,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            ws_max_size=app.state.uiap_max_bytes,
            ws_per_message_deflate=False,  # robustness P2: a compression bomb has nothing to unpack
            ws_ping_interval=None,  # the heartbeat is the session's
        )
        self._config.request_timeout = request_timeout
        self._config.close_timeout = close_timeout
        self._config.on_disconnects = on_disconnects
        self._config.max_sockets = 2 * app.state.uiap_max_connections + 64
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
        return f"ws{self.address.removeprefix('http')}{self._app.state.uiap_binding.websocket_path}"

    async def start(self) -> None:
        if not self._config.loaded:
            self._config.load()
        self._server = await asyncio.get_running_loop().create_server(
            self._protocol, sock=listening_socket(*self._bind), ssl=self._ssl, backlog=2048
        )

    def _protocol(self) -> asyncio.Protocol:
        return GuardedHttp(config=self._config, server_state=self._state, app_state={})

    async def stop(self, grace: float = 5.0) -> None:
        """Take no more connections, tell the open ones, and leave nothing behind after `grace` seconds."""
        if self._server is None:
            return
        self._server.close()
        self._app.state.uiap_endpoints.close_all(1012, "the server is stopping")
        for connection in list(self._state.connections):
            connection.shutdown()
        await self._drain(grace)
        for connection in list(self._state.connections):
            connection.transport.abort()
        for task in [*self._state.tasks, *self._app.state.uiap_endpoints.tasks]:
            task.cancel()
        await self._drain(grace)
        await self._server.wait_closed()
        self._server = None

    async def _drain(self, seconds: float) -> None:
        if self._state.connections:
            self._config.quiet.clear()
            waiting: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._config.quiet.wait())}
        else:
            waiting = set()
        tasks = self._state.tasks | self._app.state.uiap_endpoints.tasks
        waiting |= tasks
        if not waiting:
            return
        _, late = await asyncio.wait(waiting, timeout=seconds)
        for task in late - tasks:
            task.cancel()
