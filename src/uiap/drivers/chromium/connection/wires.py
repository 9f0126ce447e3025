"""The two transports to a browser: a socket pair passed as descriptors 3 and 4, or a WebSocket.

Both move whole JSON texts in and out of a `CdpConnection` and do not interpret them.
"""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.errors import BrowserUnavailable
from uiap.timeouts import CONNECT_S

BUFFER_BYTES = 4 * 1024 * 1024  # a graph of 10,000 elements is a few MB; a large buffer means fewer wake-ups


class PipeWire(asyncio.Protocol):
    """NUL-delimited JSON over one socket pair (Chromium reads its end as fd 3 and writes it as fd 4)."""

    def __init__(self, connection: CdpConnection) -> None:
        self._connection = connection
        self._transport: asyncio.WriteTransport | None = None
        self._chunks: list[bytes] = []

    @classmethod
    async def open(cls, connection: CdpConnection, ours: socket.socket) -> PipeWire:
        ours.setblocking(False)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        loop = asyncio.get_running_loop()
        _, wire = await loop.create_unix_connection(lambda: cls(connection), sock=ours)
        connection.use(wire)
        return wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        if b"\0" not in data:
            self._chunks.append(data)
            return
        *complete, rest = data.split(b"\0")
        if self._chunks:
            complete[0] = b"".join([*self._chunks, complete[0]])
        self._chunks = [rest] if rest else []
        for message in complete:
            self._connection.feed(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.lost()

    def write(self, message: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(message + b"\0")

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class WebSocketWire:
    """One JSON text per WebSocket message, to a browser that we did not start."""

    def __init__(self, connection: CdpConnection, socket: ClientConnection) -> None:
        self._connection = connection
        self._socket = socket
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._write())]

    @classmethod
    async def open(
        cls, connection: CdpConnection, endpoint: str, *, timeout: float = CONNECT_S
    ) -> WebSocketWire:
        try:
            socket = await connect(
                endpoint, max_size=None, compression=None, open_timeout=timeout, ping_interval=None
            )
        except (OSError, TimeoutError, WebSocketException, ValueError) as error:
            raise BrowserUnavailable(
                f"cannot attach to `{endpoint}` ({error}); start the browser with --remote-debugging-port "
                "and pass its ws:// endpoint"
            ) from error
        wire = cls(connection, socket)
        connection.use(wire)
        return wire

    async def _read(self) -> None:
        try:
            async for message in self._socket:
                self._connection.feed(message)
        except WebSocketException:
            pass
        finally:
            self._connection.lost("the browser closed the connection")

    async def _write(self) -> None:
        try:
            while True:
                await self._socket.send((await self._outgoing.get()).decode())
        except WebSocketException:
            self._connection.lost("the browser closed the connection")

    def write(self, message: bytes) -> None:
        self._outgoing.put_nowait(message)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._socket.transport.abort()
