"""Newline-delimited JSON, one envelope per line, over any pair of byte streams.

`from_stdio` uses standard input and output of this process. `local` uses sockets of this machine.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import IO

from uiap.errors import Unavailable
from uiap.timeouts import SEND_S
from uiap.transports.transport import (
    CLOSE_ABNORMAL,
    CLOSE_NORMAL,
    CLOSE_OVERLOADED,
    CLOSE_TOO_BIG,
    MAX_MESSAGE_BYTES,
    Peer,
    TransportClosed,
    closed_error,
)


class LineTransport:
    """One envelope per line. A line longer than `max_bytes` ends the connection before it is read completely."""

    binding = "stdio@0.1"

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Peer,
        *,
        max_bytes: int = MAX_MESSAGE_BYTES,
        send_timeout: float = SEND_S,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self.peer = peer
        self._reader = reader  # created with `limit=max_bytes`; it stops reading at twice that
        self._writer = writer
        self._max_bytes = max_bytes
        self._send_timeout = send_timeout
        self._on_close = on_close
        self._turn = asyncio.Lock()
        self._end: tuple[int, str] | None = None

    @property
    def closed(self) -> bool:
        return self._end is not None

    async def send(self, text: str) -> None:
        line = _one_line(text).encode() + b"\n"
        if len(line) > self._max_bytes + 1:  # the peer would close the connection without a reason
            reason = f"a line may have at most {self._max_bytes} bytes"
            await self.close(CLOSE_TOO_BIG, reason)
            raise closed_error(CLOSE_TOO_BIG, reason)
        async with self._turn:
            if self._end is not None:
                raise closed_error(*self._end)
            self._writer.write(line)
            try:
                async with asyncio.timeout(self._send_timeout):
                    await self._writer.drain()
            except TimeoutError:
                reason = f"the peer read nothing for {self._send_timeout:g} s"
                raise self._abort(CLOSE_OVERLOADED, reason) from None
            except OSError:
                raise self._abort(CLOSE_ABNORMAL, "the peer is gone") from None

    async def receive(self) -> str | bytes:
        while True:
            if self._end is not None:
                raise closed_error(*self._end)
            line = await self._read_line()
            if line.strip():
                break
        try:
            return line.decode()
        except UnicodeDecodeError:
            return line  # the codec refuses it with its own message

    async def _read_line(self) -> bytes:
        try:
            return (await self._reader.readuntil(b"\n"))[:-1]
        except asyncio.IncompleteReadError as cut:
            code = CLOSE_ABNORMAL if cut.partial.strip() else CLOSE_NORMAL
            raise self._abort(code, "the peer ended inside a line" if cut.partial.strip() else "") from None
        except (asyncio.LimitOverrunError, ValueError):
            raise self._abort(CLOSE_TOO_BIG, f"a line may have at most {self._max_bytes} bytes") from None
        except OSError:
            raise self._abort(CLOSE_ABNORMAL, "the peer is gone") from None

    def _abort(self, code: int, reason: str) -> TransportClosed:
        """Abort a connection that failed or that the peer closed; return the exception to raise."""
        if self._end is None:
            self._end = (code, reason)
            self._writer.transport.abort()
            self._reader.feed_eof()
            if self._on_close is not None:
                self._on_close()
        return closed_error(*self._end)

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        if self._end is not None:
            return
        self._end = (code, reason)
        self._writer.close()
        self._reader.feed_eof()  # wakes a pending receive
        try:
            async with asyncio.timeout(self._send_timeout):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()
        if self._on_close is not None:
            self._on_close()


def _one_line(text: str) -> str:
    """Replace line breaks by spaces. JSON strings have no raw line breaks, so they are between tokens."""
    return text.replace("\n", " ").replace("\r", " ") if "\n" in text or "\r" in text else text


async def from_stdio(
    *,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    max_bytes: int = MAX_MESSAGE_BYTES,
) -> LineTransport:
    """Return a transport over standard input and output. Nothing else may print to standard output after this."""
    loop = asyncio.get_running_loop()
    given = ((stdin or sys.stdin.buffer).fileno(), (stdout or sys.stdout.buffer).fileno())
    blocking = [(fd, os.get_blocking(fd)) for fd in given]
    source, sink = os.fdopen(os.dup(given[0]), "rb", 0), os.fdopen(os.dup(given[1]), "wb", 0)
    reader = asyncio.StreamReader(limit=max_bytes)
    try:
        outgoing, flow = await loop.connect_write_pipe(_PipeFlowControl, sink)
        incoming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    except ValueError:
        source.close()
        sink.close()
        raise Unavailable("standard input and output must be pipes or a terminal, not files") from None
    writer = asyncio.StreamWriter(outgoing, flow, reader, loop)

    def restore() -> None:
        incoming.close()
        for fd, was_blocking in blocking:
            os.set_blocking(fd, was_blocking)  # the process at the other end of the pipe shares this flag

    return LineTransport(reader, writer, Peer("stdio"), max_bytes=max_bytes, on_close=restore)


class _PipeFlowControl(asyncio.streams.FlowControlMixin):
    """Flow control for a write-only pipe."""

    def __init__(self) -> None:
        super().__init__()
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: BaseException | None) -> None:
        super().connection_lost(exc)  # type: ignore[arg-type]
        if not self._done.done():
            self._done.set_result(None)

    def _get_close_waiter(self, stream: asyncio.StreamWriter) -> asyncio.Future[None]:
        return self._done
