"""ASGI middleware for the content security policy of the main application: its own origin, and frames from billing."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from apps.videoland.context import Context


class Headers:
    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = self._policy()
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)

    def _policy(self) -> str:
        port = self._context.billing_port
        frames = f"http://localhost:{port} http://127.0.0.1:{port}" if port else "'none'"
        return f"default-src 'self'; img-src 'self' data:; frame-src {frames}; frame-ancestors 'self'; base-uri 'none'"
