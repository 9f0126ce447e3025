"""Every test here runs over every transport: the same session, four ways to carry it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.host_loops import AGENT, make_host_loop
from uiap.client.caller import Caller
from uiap.host.loop.loop import HostLoop
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.http import HttpTransport
from uiap.transports.local import UnixListener, connect_unix
from uiap.transports.memory import pair
from uiap.transports.transport import Transport
from uiap.transports.websocket import connect as connect_websocket

Connect = Callable[[], Awaitable[Transport]]


class HostUnderTest:
    """A host loop that is reachable over one transport."""

    def __init__(self, host_loop: HostLoop, connect: Connect, binding: str) -> None:
        self.host_loop, self.connect, self.binding = host_loop, connect, binding

    async def open_caller(self, **terms: Any) -> Caller:
        transport = await self.connect()
        return await Caller.open(transport, **{"participant": AGENT, "profiles": ("web@0.1",), **terms})


async def _memory(host_loop: HostLoop, stack: AsyncExitStack, _folder: Path) -> Connect:
    tasks: set[asyncio.Task[None]] = set()

    async def connect() -> Transport:
        ours, theirs = pair()
        task = asyncio.create_task(host_loop.accept(theirs))
        tasks.add(task)
        return ours

    async def finish() -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    stack.push_async_callback(finish)
    return connect


async def _unix(host_loop: HostLoop, stack: AsyncExitStack, folder: Path) -> Connect:
    folder.chmod(0o700)
    listener = UnixListener(host_loop.accept, folder / "s")
    await listener.start()
    stack.push_async_callback(listener.stop)
    return lambda: connect_unix(folder / "s")


async def _websocket(host_loop: HostLoop, stack: AsyncExitStack, _folder: Path) -> Connect:
    listener = AsgiListener(application(host_loop.accept))
    await listener.start()
    stack.push_async_callback(listener.stop)
    return lambda: connect_websocket(listener.address.replace("http", "ws", 1) + "/uiap/ws")


async def _http(host_loop: HostLoop, stack: AsyncExitStack, _folder: Path) -> Connect:
    listener = AsgiListener(application(host_loop.accept))
    await listener.start()
    stack.push_async_callback(listener.stop)

    async def connect() -> Transport:
        return HttpTransport(listener.address)

    return connect


TRANSPORTS = {"memory": _memory, "stdio": _unix, "websocket": _websocket, "http": _http}


@pytest.fixture(params=sorted(TRANSPORTS))
async def host(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[HostUnderTest]:
    async with AsyncExitStack() as stack:
        built = make_host_loop()
        stack.push_async_callback(built.close)
        connect = await TRANSPORTS[request.param](built, stack, tmp_path)
        yield HostUnderTest(built, connect, request.param)
