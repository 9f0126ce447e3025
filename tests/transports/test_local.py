"""Local sockets: permissions of the socket file, files of dead processes, and the secret of a TCP port."""

from __future__ import annotations

import asyncio
import socket
import stat
from pathlib import Path

import pytest

from tests.support.echo_host import EchoHost
from tests.support.wires import SECONDS, Client
from uiap.errors import Unavailable
from uiap.transports import TransportClosed
from uiap.transports.local import TcpListener, UnixListener, connect_tcp, connect_unix


async def test_only_the_owner_can_reach_the_socket(tmp_path: Path) -> None:
    listener = UnixListener(EchoHost(), tmp_path / "run" / "s")
    await listener.start()
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "run" / "s").stat().st_mode) == 0o600
    await listener.stop()
    assert not (tmp_path / "run" / "s").exists()


async def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(Unavailable, match="chmod 700"):
        await UnixListener(EchoHost(), tmp_path / "open" / "s").start()


async def test_a_socket_left_by_a_dead_process_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run" / "s"
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    host = EchoHost()
    listener = UnixListener(host, path)
    await listener.start()
    client = await Client(await connect_unix(path)).initialize()
    await client.transport.close()
    await listener.stop()


async def test_a_socket_in_use_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run" / "s"
    first = UnixListener(EchoHost(), path)
    await first.start()
    with pytest.raises(Unavailable, match="already being served"):
        await UnixListener(EchoHost(), path).start()
    client = await Client(await connect_unix(path)).initialize()
    await client.transport.close()
    await first.stop()


async def test_a_file_that_is_not_a_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "run" / "s"
    path.parent.mkdir(mode=0o700)
    path.write_text("precious")
    with pytest.raises(Unavailable, match="not a socket"):
        await UnixListener(EchoHost(), path).start()
    assert path.read_text() == "precious"


async def test_a_path_too_long_for_a_socket_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="too long"):
        await UnixListener(EchoHost(), tmp_path / ("x" * 120) / "s").start()


async def test_a_missing_socket_is_reported_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"cannot connect to `.*nothing`"):
        await connect_unix(tmp_path / "nothing")


async def test_connections_over_the_limit_are_refused(tmp_path: Path) -> None:
    host = EchoHost()
    listener = UnixListener(host, tmp_path / "run" / "s", max_connections=1)
    await listener.start()
    first = await Client(await connect_unix(tmp_path / "run" / "s")).initialize()
    second = await connect_unix(tmp_path / "run" / "s")
    with pytest.raises(TransportClosed):
        async with asyncio.timeout(SECONDS):
            await second.receive()
    assert (await first.ask({"a": 1}))["payload"] == {"a": 1}
    await first.transport.close()
    await listener.stop()


@pytest.mark.parametrize(
    "greeting",
    [b"uiap-token wrong\n", b"\xff\xfe\n", b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b'{"uiap":"0.1"}\n'],
)
async def test_a_tcp_peer_without_the_secret_never_reaches_the_host(greeting: bytes) -> None:
    host = EchoHost()
    listener = TcpListener(host, token="the secret")
    await listener.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    writer.write(greeting)
    async with asyncio.timeout(SECONDS):
        assert await _rest(reader) == b""
    assert host.received == []
    writer.close()
    await listener.stop()


async def test_a_silent_tcp_peer_is_dropped_after_the_timeout() -> None:
    listener = TcpListener(EchoHost(), token="the secret", handshake_timeout=0.05)
    await listener.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    async with asyncio.timeout(SECONDS):
        assert await _rest(reader) == b""
    writer.close()
    await listener.stop()


async def test_newline_json_is_refused_for_other_machines() -> None:
    with pytest.raises(Unavailable, match="this machine only"):
        TcpListener(EchoHost(), token="x", host="0.0.0.0")
    with pytest.raises(Unavailable, match="this machine only"):
        await connect_tcp("example.com", 1, token="x")


async def test_a_port_in_use_is_reported() -> None:
    listener = TcpListener(EchoHost(), token="x")
    await listener.start()
    with pytest.raises(Unavailable, match="in use"):
        await TcpListener(EchoHost(), token="x", port=listener.port).start()
    await listener.stop()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
