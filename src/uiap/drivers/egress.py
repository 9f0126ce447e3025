"""The one way out of a guarded browser: a SOCKS5 forwarder on loopback that connects only where `Reach` admits.

Every connection of the browser passes here: pages, frames, popups, forms, redirects, downloads, workers and sockets. It
resolves names itself and connects to the very address it judged, so a name cannot change its mind in between. It knows
connections, not what is said on them.
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
GREETING_S, RESOLVE_S, CONNECT_S = 10.0, 10.0, 15.0
CHUNK = 256 * 1024
CONNECTIONS = 2_000
DONE, FAILED, FORBIDDEN, UNREACHABLE, UNSUPPORTED = 0, 1, 2, 4, 7


class _Declined(Exception):
    """The answer is no; `code` is SOCKS's word for why."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class EgressProxy:
    """Listens from `start` to `close`. `denied` counts what was refused, by host."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.denied: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[Any]] = set()

    async def start(self) -> EgressProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=CHUNK)
        return self

    @property
    def flags(self) -> list[str]:
        """What a browser is started with so that there is no other way out, not even to this machine."""
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
            if len(self._open) <= CONNECTIONS:
                await self._tunnel(reader, writer)
        except (OSError, EOFError, TimeoutError):  # one of the two has gone
            pass
        except asyncio.CancelledError:  # we are closing; asyncio would report it as an error of the server
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(GREETING_S):
                host, port = await _greeted(reader, writer)
            far = await self._connected(host, port)
        except _Declined as declined:
            log.info("%s", declined)
            writer.write(_answer(declined.code))
            await writer.drain()
            return
        try:
            writer.write(_answer(DONE))
            await _relayed((reader, writer), far)
        finally:
            far[1].close()

    async def _connected(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        found = await _resolved(host, port)
        admitted = [address for address in found if self.reach.admits(host, address, port)]
        if not admitted:
            self.denied[host] += 1
            raise _Declined(FORBIDDEN, f"not allowed to connect to `{host[:200]}` port {port}")
        for address in admitted:
            with contextlib.suppress(OSError):  # the next address may answer
                async with asyncio.timeout(CONNECT_S):
                    return await asyncio.open_connection(str(address), port, limit=CHUNK)
        raise _Declined(UNREACHABLE, f"`{host[:200]}` port {port} cannot be reached")


async def _greeted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """RFC 1928 as a browser speaks it: no authentication, CONNECT alone."""
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
        raise _Declined(UNSUPPORTED, "an address of an unknown kind")
    port = int.from_bytes(await reader.readexactly(2), "big")
    if command != 1:
        raise _Declined(UNSUPPORTED, "only connections are made")
    return host, port


async def _resolved(host: str, port: int) -> list[Address]:
    try:
        return [ipaddress.ip_address(host.strip("[]"))]
    except ValueError:
        pass
    try:
        async with asyncio.timeout(RESOLVE_S):
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        raise _Declined(UNREACHABLE, f"no address for `{host[:200]}`") from None
    # a scope (fe80::1%eth0) is of this machine's making; the address before it is judged
    return [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]


def _answer(code: int) -> bytes:
    return bytes((5, code, 0, 1, 0, 0, 0, 0, 0, 0))


StreamPair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _relayed(near: StreamPair, far: StreamPair) -> None:
    """Both ways until both have said all, or one is gone."""
    async with asyncio.TaskGroup() as both:
        both.create_task(_carried(near[0], far[1]))
        both.create_task(_carried(far[0], near[1]))


async def _carried(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(CHUNK):
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()
            return
    sink.close()
