"""A SOCKS5 proxy on loopback for a guarded browser; it connects only to addresses that `Reach` admits.

Every connection of the browser passes here: pages, frames, popups, forms, redirects, downloads, workers and sockets.
The proxy resolves names itself and connects to the same address that it checked, so DNS rebinding has no effect.
It does not read the transmitted data.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections import Counter
from typing import Any

from uiap.drivers.reach import Address, Reach

log = logging.getLogger("uiap.egress")
HANDSHAKE_S, RESOLVE_S, CONNECT_S = 10.0, 10.0, 15.0
CHUNK_BYTES = 256 * 1024
MAX_CONNECTIONS = 2_000
SUCCEEDED, FORBIDDEN, UNREACHABLE, UNSUPPORTED = 0, 2, 4, 7
"""Reply codes of RFC 1928."""


class _ConnectionDeclined(Exception):
    """The proxy does not connect; `code` is the SOCKS reply code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class EgressProxy:
    """Listens from `start` to `close`. `denied` counts the refused connections by host."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.denied: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[Any]] = set()

    async def start(self) -> EgressProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=CHUNK_BYTES)
        return self

    @property
    def flags(self) -> list[str]:
        """Command-line flags that make a browser use this proxy only, also for loopback addresses."""
        assert self._server is not None, "start first"
        port = self._server.sockets[0].getsockname()[1]
        return [
            f"--proxy-server=socks5://127.0.0.1:{port}",
            "--proxy-bypass-list=<-loopback>",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--force-webrtc-ip-handling-policy",
        ]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if len(self._open) <= MAX_CONNECTIONS:
                await self._tunnel(reader, writer)
        except (OSError, EOFError, TimeoutError):  # one side has disconnected
            pass
        except asyncio.CancelledError:  # `close` cancels; asyncio would report it as an error of the server
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                host, port = await _read_request(reader, writer)
            remote = await self._connect(host, port)
        except _ConnectionDeclined as declined:
            log.info("%s", declined)
            writer.write(_reply(declined.code))
            await writer.drain()
            return
        try:
            writer.write(_reply(SUCCEEDED))
            await _relay((reader, writer), remote)
        finally:
            remote[1].close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        addresses = await _resolve(host, port)
        admitted = [address for address in addresses if self.reach.admits(host, address, port)]
        if not admitted:
            self.denied[host] += 1
            raise _ConnectionDeclined(FORBIDDEN, f"not allowed to connect to `{host[:200]}` port {port}")
        for address in admitted:
            with contextlib.suppress(OSError):  # try the next address
                async with asyncio.timeout(CONNECT_S):
                    return await asyncio.open_connection(str(address), port, limit=CHUNK_BYTES)
        raise _ConnectionDeclined(UNREACHABLE, f"`{host[:200]}` port {port} cannot be reached")


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """Return the host and port of a CONNECT request (RFC 1928, without authentication)."""
    version, methods = await reader.readexactly(2)
    offered = await reader.readexactly(methods)
    if version != 5 or 0 not in offered:
        writer.write(b"\x05\xff")
        raise EOFError
    writer.write(b"\x05\x00")
    _, command, _, kind = await reader.readexactly(4)
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii", "replace")
    elif kind in (1, 4):
        host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
    else:
        raise _ConnectionDeclined(UNSUPPORTED, "unknown address type")
    port = int.from_bytes(await reader.readexactly(2), "big")
    if command != 1:
        raise _ConnectionDeclined(UNSUPPORTED, "only CONNECT is supported")
    return host, port


async def _resolve(host: str, port: int) -> list[Address]:
    try:
        return [ipaddress.ip_address(host.strip("[]"))]
    except ValueError:
        pass
    try:
        async with asyncio.timeout(RESOLVE_S):
            loop = asyncio.get_running_loop()
            infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        raise _ConnectionDeclined(UNREACHABLE, f"no address for `{host[:200]}`") from None
    # The zone of fe80::1%eth0 names an interface of this machine; it is not part of the address.
    return [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos]


def _reply(code: int) -> bytes:
    return bytes((5, code, 0, 1, 0, 0, 0, 0, 0, 0))


StreamPair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _relay(local: StreamPair, remote: StreamPair) -> None:
    """Copy data in both directions until both sides have ended."""
    async with asyncio.TaskGroup() as directions:
        directions.create_task(_copy(local[0], remote[1]))
        directions.create_task(_copy(remote[0], local[1]))


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(CHUNK_BYTES):
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()
            return
    sink.close()
