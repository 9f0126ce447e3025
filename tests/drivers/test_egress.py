"""The egress proxy, without a browser: it connects to permitted addresses only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from uiap.drivers.egress import EgressProxy
from uiap.drivers.reach import Reach

HANDSHAKE = b"\x05\x01\x00"


class EchoSite:
    """An echo server that counts its connections."""

    def __init__(self) -> None:
        self.visits = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()


@pytest.fixture
async def site() -> AsyncIterator[tuple[EchoSite, int]]:
    echo = EchoSite()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    yield echo, server.sockets[0].getsockname()[1]
    server.close()


async def connect(
    egress: EgressProxy, request: bytes
) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(egress.flags[0].rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(20):
        writer.write(HANDSHAKE)
        assert await reader.readexactly(2) == b"\x05\x00"
        writer.write(request)
        answer = await reader.readexactly(10)
    return answer[1], reader, writer


def connect_request(host: str, port: int) -> bytes:
    return b"\x05\x01\x00\x03" + bytes((len(host),)) + host.encode() + port.to_bytes(2, "big")


async def test_permitted_address_is_connected_and_data_flows_both_ways(site: tuple[EchoSite, int]):
    echo, port = site
    egress = await EgressProxy(Reach([f"localhost:{port}"])).start()
    code, reader, writer = await connect(egress, connect_request("localhost", port))
    assert code == 0
    data = bytes(range(256)) * 4096
    async with asyncio.timeout(20):
        writer.write(data)
        writer.write_eof()
        assert await reader.read(-1) == data
    assert echo.visits == 1
    writer.close()
    await egress.close()


async def test_internal_names_and_addresses_are_refused_without_a_connection(site: tuple[EchoSite, int]):
    echo, port = site
    egress = await EgressProxy(Reach()).start()
    v4, mapped = (
        b"\x05\x01\x00\x01\x7f\x00\x00\x01",
        b"\x05\x01\x00\x04" + bytes(10) + b"\xff\xff\x7f\x00\x00\x01",
    )
    number = port.to_bytes(2, "big")
    requests = [
        connect_request("localhost", port),
        connect_request("127.0.0.1", port),
        connect_request("::1", port),
        v4 + number,
        mapped + number,
    ]
    for request in requests:
        code, _, writer = await connect(egress, request)
        assert code == 2, request
        writer.close()
    assert echo.visits == 0
    assert egress.denied.total() == len(requests)
    await egress.close()


async def test_unreachable_and_unsupported_have_codes_other_than_forbidden():
    egress = await EgressProxy(Reach(["localhost"])).start()
    free = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = free.sockets[0].getsockname()[1]
    free.close()
    await free.wait_closed()
    for request, expected in (
        (connect_request("localhost", port), 4),
        (connect_request("no-such-name.invalid", 80), 4),
        (b"\x05\x02\x00\x03\x01x\x00\x50", 7),
        (b"\x05\x01\x00\x09\x01x\x00\x50", 7),
    ):
        code, _, writer = await connect(egress, request)
        assert code == expected, request
        writer.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(egress.flags[0].rpartition(":")[2]))
    async with asyncio.timeout(20):
        writer.write(b"GET / HTTP/1.1\r\n" + b"x" * 100)  # a page that tries to talk HTTP to the proxy
        assert await reader.read(-1) in (b"", b"\x05\xff")
    writer.close()
    await egress.close()
