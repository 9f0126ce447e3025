"""ws@0.1: errors and their close codes, and a bad client that does not affect others."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as plain_connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from tests.support.echo_host import EchoHost
from tests.support.raw_http import UPGRADE, dial, read_head
from tests.support.wires import SECONDS, Client
from uiap.errors import Busy, NotFound, Unavailable
from uiap.transports import Transport, TransportClosed, websocket
from uiap.transports.asgi import AsgiListener, application

UIAP = [Subprotocol("uiap.v0.1")]


@asynccontextmanager
async def run_server(
    accept: Callable[[Transport], Any],
    *,
    request_timeout: float = 10.0,
    close_timeout: float = 0.2,
    **options: Any,
) -> AsyncIterator[AsgiListener]:
    listener = AsgiListener(
        application(accept, **options), request_timeout=request_timeout, close_timeout=close_timeout
    )
    await listener.start()
    try:
        yield listener
    finally:
        await listener.stop()


async def wait_for_close_code(socket: ClientConnection) -> int:
    async with asyncio.timeout(SECONDS):
        with pytest.raises(ConnectionClosed):
            while True:
                await socket.recv()
    return socket.close_code or 0


async def test_the_subprotocol_is_selected_and_others_are_refused() -> None:
    async with run_server(EchoHost()) as listener:
        async with plain_connect(listener.websocket_url, subprotocols=UIAP) as socket:
            assert socket.subprotocol == "uiap.v0.1"
        async with plain_connect(listener.websocket_url) as socket:
            assert socket.subprotocol is None
        with pytest.raises(InvalidStatus) as refused:
            await plain_connect(listener.websocket_url, subprotocols=[Subprotocol("chat")])
        assert refused.value.response.status_code == 400


async def test_a_binary_frame_is_an_error_with_its_own_close_code() -> None:
    async with run_server(EchoHost()) as listener, plain_connect(listener.websocket_url) as socket:
        await socket.send(b"{}")
        assert await wait_for_close_code(socket) == 4400


async def test_text_that_is_not_utf8_ends_the_connection() -> None:
    host = EchoHost()
    async with run_server(host) as listener, plain_connect(listener.websocket_url) as socket:
        await socket.send(b"\xff\xfe", text=True)
        assert await wait_for_close_code(socket) == 1007
    assert host.received == []


async def test_a_message_over_the_limit_is_1009_also_in_fragments() -> None:
    async with run_server(EchoHost(), max_bytes=1000) as listener:
        async with plain_connect(listener.websocket_url) as socket:
            await socket.send("x" * 1001)
            assert await wait_for_close_code(socket) == 1009
        async with plain_connect(listener.websocket_url) as socket:
            with suppress(ConnectionClosed):
                await socket.send("x" * 400 for _ in range(100))
            assert await wait_for_close_code(socket) == 1009


async def test_a_frame_of_64_mebibytes_is_refused_by_its_header() -> None:
    async with run_server(EchoHost()) as listener:
        reader, writer = await dial(listener.address)
        host = f"Host: 127.0.0.1:{listener.port}\r\n"
        writer.write(f"GET /uiap/ws HTTP/1.1\r\n{host}{UPGRADE}\r\n".encode())
        assert (await read_head(reader)).status == 101
        writer.write(b"\x81\xff" + (64 << 20).to_bytes(8, "big") + b"mask")
        async with asyncio.timeout(SECONDS):
            close = await reader.readexactly(4)
        assert (close[0], int.from_bytes(close[2:4], "big")) == (0x88, 1009)
        writer.transport.abort()


async def test_compression_is_never_negotiated_so_compressed_frames_are_refused() -> None:
    host = EchoHost()
    async with run_server(host) as listener:
        async with plain_connect(listener.websocket_url, compression="deflate") as socket:
            assert socket.response is not None
            assert "Sec-WebSocket-Extensions" not in socket.response.headers
        reader, writer = await dial(listener.address)
        head = f"Host: 127.0.0.1:{listener.port}\r\n{UPGRADE}Sec-WebSocket-Extensions: permessage-deflate\r\n"
        writer.write(f"GET /uiap/ws HTTP/1.1\r\n{head}\r\n".encode())
        assert (await read_head(reader)).status == 101
        bomb = zlib.compress(b"0" * 10_000_000, wbits=-15)[:120]
        writer.write(b"\xc1" + bytes([0x80 | len(bomb)]) + b"\0\0\0\0" + bomb)  # reserved bit 1: compressed
        async with asyncio.timeout(SECONDS):
            close = await reader.readexactly(4)
        assert int.from_bytes(close[2:4], "big") == 1002
        writer.transport.abort()
    assert host.received == []


async def test_a_client_that_never_reads_is_closed_with_1013_and_others_are_still_served() -> None:
    ends: list[TransportClosed] = []
    given_up = asyncio.Event()

    async def flood(transport: Transport) -> None:
        if await transport.receive() != "flood":
            await EchoHost()(transport)
            return
        try:
            while True:
                await transport.send("x" * 100_000)
        except TransportClosed as end:
            ends.append(end)
            given_up.set()

    async with run_server(flood, send_timeout=0.2, close_timeout=SECONDS) as listener:
        slow = await plain_connect(listener.websocket_url, max_queue=1, ping_interval=None)
        good = await websocket.connect(listener.websocket_url)
        await good.send('"hello"')
        await slow.send("flood")
        client = Client(good)
        answered = 0
        async with asyncio.timeout(SECONDS):
            while not given_up.is_set():
                assert (await client.ask({"number": answered}))["payload"] == {"number": answered}
                answered += 1
        assert answered > 0
        assert ends[0].close_code == 1013
        await good.close()
        assert await wait_for_close_code(slow) == 1013  # it gets the close frame if it reads after all


async def test_bytes_waiting_for_a_slow_peer_are_limited() -> None:
    outcome: asyncio.Future[list[BaseException | None]] = asyncio.get_running_loop().create_future()

    async def burst(transport: Transport) -> None:
        await transport.receive()
        sends = [transport.send("x" * 1_000_000) for _ in range(20)]
        outcome.set_result(await asyncio.gather(*sends, return_exceptions=True))

    async with run_server(burst, send_timeout=5.0) as listener:
        slow = await plain_connect(listener.websocket_url, max_queue=1, ping_interval=None)
        slow.transport.pause_reading()
        await slow.send("go")
        async with asyncio.timeout(SECONDS):
            ends = [end for end in await outcome if isinstance(end, TransportClosed)]
        assert len(ends) >= 10  # at once, not after the timeout of each
        assert {end.close_code for end in ends} == {1013}
        slow.transport.abort()


async def test_a_flood_of_pings_is_closed_with_1008_and_uses_little_memory() -> None:
    host = EchoHost()
    async with run_server(host) as listener:
        socket = await plain_connect(listener.websocket_url, ping_interval=None)
        await host.wait_for_connections(1)
        socket.transport.pause_reading()  # nor does the client read the pongs
        (theirs,) = listener._state.connections
        ping = b"\x89\xfd" + b"\0\0\0\0" + b"p" * 125
        async with asyncio.timeout(SECONDS):
            for _ in range(20):
                socket.transport.write(ping * 1000)
                await asyncio.sleep(0)
                assert theirs.transport.get_write_buffer_size() < 2_000_000
            socket.transport.resume_reading()
            await socket.wait_closed()
        assert (socket.close_code, socket.close_reason) == (1008, "too many pings")


async def test_occasional_pings_are_answered() -> None:
    async with run_server(EchoHost()) as listener:
        socket = await plain_connect(listener.websocket_url, ping_interval=None)
        async with asyncio.timeout(SECONDS):
            for _ in range(100):
                await (await socket.ping())
        await socket.close()


async def test_connections_over_the_limit_are_refused_with_503_until_one_closes() -> None:
    host = EchoHost()
    async with run_server(host, max_connections=2) as listener:
        first = await websocket.connect(listener.websocket_url)
        second = await websocket.connect(listener.websocket_url)
        with pytest.raises(Busy):
            await websocket.connect(listener.websocket_url)
        await first.close()
        await host.wait_for_connections(1)
        async with asyncio.timeout(SECONDS):
            third = await websocket.connect(listener.websocket_url)
        await second.close()
        await third.close()


async def test_silent_connections_are_limited_until_they_send_a_message() -> None:
    async with run_server(EchoHost(), max_silent=2) as listener:
        silent = [await websocket.connect(listener.websocket_url) for _ in range(2)]
        with pytest.raises(Busy):
            await websocket.connect(listener.websocket_url)
        speaking = await Client(silent[0]).initialize()
        another = await websocket.connect(listener.websocket_url)
        assert (await speaking.ask({"a": 1}))["payload"] == {"a": 1}
        for transport in (*silent, another):
            await transport.close()


async def test_slow_handshakes_are_dropped_and_do_not_count_as_connections() -> None:
    async with run_server(EchoHost(), request_timeout=0.1, max_connections=2) as listener:
        silent = [await dial(listener.address) for _ in range(20)]
        for number, (_, writer) in enumerate(silent):
            writer.write([b"", b"G", b"GET /uiap/ws HTTP/1.1\r\nHost: ", b"\r\n"][number % 4])
        client = await Client(await websocket.connect(listener.websocket_url)).initialize()
        async with asyncio.timeout(SECONDS):
            for reader, _ in silent:
                assert await _rest(reader) == b""
        assert (await client.ask({"a": 1}))["payload"] == {"a": 1}
        await client.transport.close()
        for _, writer in silent:
            writer.transport.abort()


async def test_sockets_over_the_socket_limit_are_dropped_at_once() -> None:
    async with run_server(EchoHost(), max_connections=1) as listener:
        sockets = [await dial(listener.address) for _ in range(2 * 1 + 64 + 10)]
        async with asyncio.timeout(SECONDS):
            for reader, _ in sockets[-10:]:
                assert await _rest(reader) == b""
        for _, writer in sockets:
            writer.transport.abort()


async def test_a_request_head_that_is_too_long_is_refused() -> None:
    async with run_server(EchoHost()) as listener:
        reader, writer = await dial(listener.address)
        writer.write(b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000)
        async with asyncio.timeout(SECONDS):
            assert (await _rest(reader))[:12] in (b"HTTP/1.1 400", b"")
        writer.transport.abort()


async def test_the_hosts_close_code_reaches_the_client_with_its_reason() -> None:
    async def refuse(transport: Transport) -> None:
        await transport.close(4409, "superseded " + "ü" * 200)

    async with run_server(refuse) as listener:
        client = await websocket.connect(listener.websocket_url)
        with pytest.raises(TransportClosed) as end:
            await client.receive()
        assert end.value.close_code == 4409
        assert end.value.message.startswith("superseded")
        await client.close()


async def test_a_failing_host_closes_with_1011_and_reveals_no_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(transport: Transport) -> None:
        raise RuntimeError("a secret path")

    async with run_server(broken) as listener:
        client = await websocket.connect(listener.websocket_url)
        with pytest.raises(TransportClosed) as end:
            await client.receive()
        assert end.value.close_code == 1011
        assert "secret" not in end.value.message
        await client.close()
    assert "a secret path" in caplog.text


async def test_a_client_close_keeps_its_reason_and_a_lost_client_is_abnormal() -> None:
    host = EchoHost()
    async with run_server(host) as listener:
        going = await websocket.connect(listener.websocket_url)
        await going.close(1001, "going")
        await host.wait_for_connections(0)
        vanishing = await websocket.connect(listener.websocket_url)
        await host.wait_for_connections(1)
        vanishing._socket.transport.abort()
        await host.wait_for_connections(0)
        await vanishing.close()
    first, second = host.ends
    assert (first.close_code, first.message) == (1001, "going")
    assert second.close_code == 1006


async def test_invalid_and_unreachable_addresses_are_reported() -> None:
    for url, words in [
        ("http://127.0.0.1:1/", "not a WebSocket address"),
        ("ws://127.0.0.1:1/", "cannot reach"),
    ]:
        with pytest.raises(Unavailable, match=words):
            await websocket.connect(url)
    async with run_server(EchoHost()) as listener:
        with pytest.raises(NotFound):
            await websocket.connect(listener.websocket_url + "/elsewhere")


async def test_a_port_in_use_is_reported() -> None:
    async with run_server(EchoHost()) as listener:
        second = AsgiListener(application(EchoHost()), port=listener.port)
        with pytest.raises(Unavailable, match=f"port `{listener.port}` .* is in use"):
            await second.start()


async def test_the_client_closes_on_a_binary_frame_or_an_oversized_answer() -> None:
    async def answer(socket: ServerConnection) -> None:
        await socket.send(b"{}" if await socket.recv() == "binary" else "x" * 2000)
        await socket.wait_closed()

    async with serve(answer, "127.0.0.1", 0, subprotocols=UIAP) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        for word, code in (("binary", 4400), ("big", 1009)):
            client = await websocket.connect(f"ws://127.0.0.1:{port}/", max_bytes=1000)
            await client.send(word)
            with pytest.raises(TransportClosed) as end:
                async with asyncio.timeout(SECONDS):
                    await client.receive()
            assert end.value.close_code == code
            await client.close()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
