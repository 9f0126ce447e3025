"""A web server with a few pages on its own port, which makes it another origin in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping


class Site:
    def __init__(self, pages: Mapping[str, str], headers: Mapping[str, str] | None = None) -> None:
        self.pages = dict(pages)
        self.headers = dict(headers or {})

    async def __aenter__(self) -> Site:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.origin = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = self.pages.get(head.split(" ")[1].split("?")[0], "").encode()
        lines = [
            "HTTP/1.1 200 OK",
            "Content-Type: text/html; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()
