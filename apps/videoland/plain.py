"""Videoland without its annotations, as any application that does not know UIAP."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

_DROPPED = (b"content-length", b"etag", b"last-modified")


class WithoutAnnotations:
    """ASGI middleware that renames the annotations, so that the page script does not know them.

    `script` is added to the main script of the application.
    """

    def __init__(self, app: Callable[..., Awaitable[None]], script: bytes = b"") -> None:
        self._app, self._script = app, script

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        start: dict[str, Any] = {}
        body = bytearray()

        async def rewritten(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                text = self._renamed(bytes(body), str(scope["path"]))
                await send({**start, "headers": _headers(start, len(text))})
                await send({"type": "http.response.body", "body": text})

        await self._app(scope, receive, rewritten if scope["type"] == "http" else send)

    def _renamed(self, body: bytes, path: str) -> bytes:
        if path.endswith("/main.js"):
            body += b"\n" + self._script
        return re.sub(rb"data-uiap-", b"data-own-", body).replace(b"dataset.uiap", b"dataset.own")


def _headers(start: dict[str, Any], length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in start["headers"] if name.lower() not in _DROPPED]
    return [*kept, (b"content-length", str(length).encode())]
