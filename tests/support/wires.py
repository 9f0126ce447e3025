"""Every transport, opened in the same way: an EchoHost behind a listener, and clients that connect to it.

Add a new transport to WIRES to run the contract tests on it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.echo_host import EchoHost, envelope
from uiap.transports import Transport, local, memory, stdio, websocket
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.http import HttpTransport

SECONDS = 20.0  # timeout of every wait; only a failing test reaches it


@dataclass
class Client:
    """The agent's end of one session."""

    transport: Transport
    session: str = ""
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def initialize(self, **payload: Any) -> Client:
        await self.transport.send(envelope("request", "session.initialize", "init", payload))
        answer = await self.receive()
        assert answer["type"] == "session.initialized", answer
        self.session = answer["payload"]["sessionId"]
        return self

    async def send(
        self, payload: dict[str, Any], *, kind: str = "request", type_: str = "x.test.echo"
    ) -> str:
        id_ = f"m{next(self.numbers)}"
        await self.transport.send(envelope(kind, type_, id_, payload, sessionId=self.session))
        return id_

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(SECONDS):
            message: dict[str, Any] = json.loads(await self.transport.receive())
        return message

    async def ask(self, payload: dict[str, Any]) -> dict[str, Any]:
        id_ = await self.send(payload)
        while True:
            message = await self.receive()
            if message.get("correlationId") == id_:
                return message


@dataclass
class Wire:
    host: EchoHost
    dial: Callable[[], Awaitable[Transport]]
    vanish: Callable[[Any], Awaitable[None]]
    stop: Callable[[], Awaitable[None]]

    async def connect(self) -> Client:
        return await Client(await self.dial()).initialize()


@asynccontextmanager
async def over_memory(folder: Path) -> AsyncIterator[Wire]:
    host = EchoHost()
    tasks: set[asyncio.Task[None]] = set()

    async def dial() -> Transport:
        ours, theirs = memory.pair()
        tasks.add(asyncio.create_task(host(theirs)))
        return ours

    async def vanish(transport: Transport) -> None:
        await transport.close(1006, "gone")

    async def stop() -> None:
        for transport in list(host.open):
            await transport.close()
        await asyncio.gather(*tasks)

    yield Wire(host, dial, vanish, stop)
    await stop()


@asynccontextmanager
async def over_websocket(folder: Path) -> AsyncIterator[Wire]:
    host = EchoHost()
    listener = AsgiListener(application(host))
    await listener.start()

    async def vanish(transport: websocket.ClientWebSocket) -> None:
        transport._socket.transport.abort()

    yield Wire(host, lambda: websocket.connect(listener.websocket_url), vanish, listener.stop)
    await listener.stop()


async def _cut(transport: stdio.LineTransport) -> None:
    transport._writer.transport.abort()


@asynccontextmanager
async def over_unix(folder: Path) -> AsyncIterator[Wire]:
    host = EchoHost()
    path = folder / "s" / "uiap.sock"
    listener = local.UnixListener(host, path)
    await listener.start()
    yield Wire(host, lambda: local.connect_unix(path), _cut, listener.stop)
    await listener.stop()


@asynccontextmanager
async def over_tcp(folder: Path) -> AsyncIterator[Wire]:
    host = EchoHost()
    listener = local.TcpListener(host, token="a secret")
    await listener.start()
    port = listener.port
    yield Wire(host, lambda: local.connect_tcp("127.0.0.1", port, token="a secret"), _cut, listener.stop)
    await listener.stop()


@asynccontextmanager
async def over_http(folder: Path) -> AsyncIterator[Wire]:
    host = EchoHost()
    listener = AsgiListener(application(host, resume_window=0.3))
    await listener.start()
    address = listener.address

    async def dial() -> Transport:
        return HttpTransport(address)

    async def vanish(transport: HttpTransport) -> None:
        await transport.close(1006, "gone")

    yield Wire(host, dial, vanish, listener.stop)
    await listener.stop()


WIRES = {
    "memory": over_memory,
    "stdio-unix": over_unix,
    "stdio-tcp": over_tcp,
    "ws": over_websocket,
    "http": over_http,
}
