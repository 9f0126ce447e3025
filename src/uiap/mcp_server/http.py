"""MCP over streamable HTTP, with the same admission and socket limits as the protocol server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from uiap.mcp_server.catalogue import Profile
from uiap.mcp_server.server import server
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.server.admission import RequestAdmission
from uiap.transports.asgi import AdmissionMiddleware, AsgiListener, ListenerTerms

PATH = "/mcp"
MAX_BYTES, MAX_CONNECTIONS, MAX_SESSIONS = 1024 * 1024, 64, 32


class _NoSessions:
    """The session registry that the listener expects; MCP sessions end with their own manager."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def close_all(self, code: int, reason: str) -> None:
        return


class _Endpoint:
    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


@asynccontextmanager
async def serving(
    app: Any, admission: RequestAdmission, *, host: str = "127.0.0.1", port: int = 0, **more: Any
) -> AsyncIterator[AsgiListener]:
    """Serve an MCP server of the SDK on a port until the block is left; `more` goes to the SDK's session manager."""
    manager = StreamableHTTPSessionManager(
        app, max_request_body_size=MAX_BYTES, max_sessions=MAX_SESSIONS, **more
    )
    starlette = Starlette(
        routes=[Route(PATH, _Endpoint(manager), methods=["GET", "POST", "DELETE"])],
        middleware=[Middleware(AdmissionMiddleware, admit=admission)],
    )
    terms = ListenerTerms(
        sessions=_NoSessions(), admit=admission, max_bytes=MAX_BYTES, max_connections=MAX_CONNECTIONS
    )
    listener = AsgiListener(terms.attach(starlette), host=host, port=port)
    await listener.start()  # before the manager's task group, which would wrap its error
    try:
        async with manager.run():
            admission.port = listener.port  # requests are refused until this is set
            try:
                yield listener
            finally:
                await listener.stop(grace=2.0)
    finally:
        await listener.stop(grace=2.0)


@asynccontextmanager
async def serving_tools(
    calls: ToolCalls, profile: Profile, admission: RequestAdmission, *, host: str, port: int
) -> AsyncIterator[str]:
    """Serve the tools on a port and yield the address for clients."""
    try:
        async with serving(server(calls, profile), admission, host=host, port=port) as listener:
            yield f"{listener.address}{PATH}"
    finally:
        await calls.close()
