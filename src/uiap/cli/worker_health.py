"""The health of a worker over HTTP, for the probes of an orchestrator: `GET /health`.

It answers 200 while the worker can reach its database, and 503 otherwise or while it stops. It says nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeAlias

import click

Check: TypeAlias = Callable[[], Awaitable[bool]]
CHECK_S = 5.0
"""A database that does not answer within this time is not reachable."""
MAX_REQUEST = 8192
PATH = b"/health"


def listen_address(text: str) -> tuple[str, int]:
    """Return host and port of `PORT` or `HOST:PORT`."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise click.BadParameter(f"`{text}` is not PORT or HOST:PORT")
    return host or "127.0.0.1", int(port)


@asynccontextmanager
async def serving_health(address: tuple[str, int], check: Check) -> AsyncIterator[int]:
    """Serve `/health` and yield the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(2 * CHECK_S):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(await _status(request, check)))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, *address, limit=MAX_REQUEST)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def _status(request: bytes, check: Check) -> HTTPStatus:
    method, path, *_ = [*request.split(b" ", 2), b"", b""]
    if method not in (b"GET", b"HEAD"):
        return HTTPStatus.METHOD_NOT_ALLOWED
    if path.partition(b"?")[0] != PATH:
        return HTTPStatus.NOT_FOUND
    try:
        async with asyncio.timeout(CHECK_S):
            healthy = await check()
    except Exception:  # any failure of the check means: not healthy
        healthy = False
    return HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE


def _response(status: HTTPStatus) -> bytes:
    body = b'{"status":"ok"}' if status == HTTPStatus.OK else b'{"status":"unavailable"}'
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
