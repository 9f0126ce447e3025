"""Newline JSON between processes of one user on one machine: over a Unix socket, or over loopback TCP.

The permissions of the socket file's folder protect a Unix socket. A TCP port has no such protection, because any page
in a browser can write to it, so the first line must be a secret that both sides know.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
import stat
from pathlib import Path

from uiap.errors import Unavailable
from uiap.private_files import private_folder
from uiap.timeouts import CONNECT_S
from uiap.transports.address import is_loopback, listening_socket
from uiap.transports.binding import ConnectionLimit, run_connection
from uiap.transports.stdio import LineTransport
from uiap.transports.transport import (
    MAX_MESSAGE_BYTES,
    Accept,
    Peer,
    TransportClosed,
)

GREETING = "uiap-token "


async def connect_unix(path: Path, *, max_bytes: int = MAX_MESSAGE_BYTES) -> LineTransport:
    """Connect to a `UnixListener`."""
    try:
        reader, writer = await asyncio.open_unix_connection(str(path), limit=max_bytes)
    except OSError as failed:
        raise Unavailable(f"cannot connect to `{path}`: {failed.strerror or failed}") from None
    return LineTransport(reader, writer, Peer(f"unix:{path}"), max_bytes=max_bytes)


async def connect_tcp(
    host: str, port: int, *, token: str, max_bytes: int = MAX_MESSAGE_BYTES
) -> LineTransport:
    """Connect to a `TcpListener` on this machine, and send the token as the first line."""
    _require_loopback(host)
    try:
        reader, writer = await asyncio.open_connection(host, port, limit=max_bytes)
    except OSError as failed:
        raise Unavailable(f"cannot connect to `{host}:{port}`: {failed.strerror or failed}") from None
    transport = LineTransport(reader, writer, Peer(f"tcp:{host}:{port}"), max_bytes=max_bytes)
    await transport.send(GREETING + token)
    return transport


class LineListener:
    """Accepts connections of newline JSON; subclasses open the socket and authenticate the peer."""

    def __init__(
        self, accept: Accept, *, max_bytes: int, max_connections: int, handshake_timeout: float = CONNECT_S
    ) -> None:
        self._accept = accept
        self._max_bytes = max_bytes
        self._connections = ConnectionLimit(max_connections)
        self._handshake_timeout = handshake_timeout
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: set[LineTransport] = set()

    async def _listen(self, sock: socket.socket) -> None:
        # a plain callback, so that we own the task and can cancel it
        self._server = await asyncio.start_server(self._on_connection, sock=sock, limit=self._max_bytes)

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        transport = LineTransport(reader, writer, self._peer(writer), max_bytes=self._max_bytes)
        task = asyncio.get_running_loop().create_task(self._serve(transport))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, transport: LineTransport) -> None:
        self._open.add(transport)
        try:
            with self._connections.acquire() as acquired:
                if acquired and await self._authenticate(transport):
                    await run_connection(self._accept, transport)
        finally:
            await transport.close()
            self._open.discard(transport)

    def _peer(self, writer: asyncio.StreamWriter) -> Peer:
        raise NotImplementedError

    async def _authenticate(self, transport: LineTransport) -> bool:
        raise NotImplementedError

    async def stop(self, grace: float = 5.0) -> None:
        if self._server is None:
            return
        self._server.close()
        for transport in list(self._open):
            await transport.close(1012, "the server is stopping")
        tasks = list(self._tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None


class UnixListener(LineListener):
    """Accepts newline JSON on a Unix socket in a folder that only its owner can enter."""

    def __init__(
        self,
        accept: Accept,
        path: Path,
        *,
        max_bytes: int = MAX_MESSAGE_BYTES,
        max_connections: int = 200,
    ) -> None:
        super().__init__(accept, max_bytes=max_bytes, max_connections=max_connections)
        self._path = path
        self._inode: tuple[int, int] | None = None

    @property
    def address(self) -> str:
        return f"unix:{self._path}"

    async def start(self) -> None:
        private_folder(self._path.parent)
        _remove_stale_socket(self._path)
        sock = _bind_socket(self._path)
        made = self._path.stat()
        self._inode = (made.st_dev, made.st_ino)
        await self._listen(sock)

    async def stop(self, grace: float = 5.0) -> None:
        await super().stop(grace)
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return
        if self._inode == (there.st_dev, there.st_ino):  # never remove the socket of a newer process
            self._path.unlink()

    def _peer(self, writer: asyncio.StreamWriter) -> Peer:
        return Peer(self.address)

    async def _authenticate(self, transport: LineTransport) -> bool:
        return True


class TcpListener(LineListener):
    """Accepts newline JSON over loopback TCP, for machines without Unix sockets."""

    def __init__(
        self,
        accept: Accept,
        *,
        token: str,
        host: str = "127.0.0.1",
        port: int = 0,
        max_bytes: int = MAX_MESSAGE_BYTES,
        max_connections: int = 200,
        handshake_timeout: float = CONNECT_S,
    ) -> None:
        super().__init__(
            accept,
            max_bytes=max_bytes,
            max_connections=max_connections,
            handshake_timeout=handshake_timeout,
        )
        _require_loopback(host)
        self._greeting = (GREETING + token).encode()
        self._bind = (host, port)

    @property
    def port(self) -> int:
        if self._server is None:
            raise Unavailable("the listener is not started; await start() first")
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        return f"tcp:{self._bind[0]}:{self.port}"

    async def start(self) -> None:
        await self._listen(listening_socket(*self._bind))

    def _peer(self, writer: asyncio.StreamWriter) -> Peer:
        name = writer.get_extra_info("peername") or ("unknown", 0)
        return Peer(f"tcp:{name[0]}:{name[1]}")

    async def _authenticate(self, transport: LineTransport) -> bool:
        try:
            async with asyncio.timeout(self._handshake_timeout):
                line = await transport.receive()
        except (TimeoutError, TransportClosed):
            return False
        received = line if isinstance(line, bytes) else line.encode()
        return hmac.compare_digest(received, self._greeting)


def _require_loopback(host: str) -> None:
    if not is_loopback(host):
        raise Unavailable(f"newline JSON is for this machine only, not `{host}`; use ws or http")


def _remove_stale_socket(path: Path) -> None:
    """Remove the socket file of a dead process, which refuses connections; raise Unavailable if one answers."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise Unavailable(f"`{path}` exists and is not a socket; remove it or choose another path")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError:
            pass
    raise Unavailable(f"`{path}` is already being served; stop that process or choose another path")


def _bind_socket(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.bind(str(path))
        path.chmod(0o600)  # before listen, so that no other user can connect
        sock.listen(128)
    except OSError as failed:
        sock.close()
        why = "the path is too long for a socket" if "too long" in str(failed) else failed.strerror
        raise Unavailable(f"cannot listen at `{path}`: {why}; choose another path") from None
    sock.setblocking(False)
    return sock
