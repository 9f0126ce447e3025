"""Raw HTTP requests, byte for byte, because HTTP clients cannot send malformed requests."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

SECONDS = 20.0
UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


async def dial(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    url = urlsplit(address)
    return await asyncio.open_connection(url.hostname, url.port)


async def read_head(reader: asyncio.StreamReader) -> Answer:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    return Answer(int(head[0].split()[1]), headers, b"")


async def exchange(address: str, request: str | bytes) -> Answer:
    """Send raw bytes, return one answer with a Content-Length, and close."""
    reader, writer = await dial(address)
    try:
        async with asyncio.timeout(SECONDS):
            writer.write(request if isinstance(request, bytes) else request.encode("latin-1"))
            head = await read_head(reader)
            body = await reader.readexactly(int(head.headers.get("content-length", 0)))
        return Answer(head.status, head.headers, body)
    finally:
        writer.transport.abort()
