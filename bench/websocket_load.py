"""Many light WebSocket clients in one event loop: the load of `bench.sessions`, too cheap to affect the measurement.

Frames are written by hand (masked with a zero key) and read by length. The clients send requests, time the
answers, and answer heartbeats.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from datetime import UTC, datetime
from urllib.parse import urlsplit

from uiap.instant import timestamp

SOURCE = '"source":{"role":"agent","id":"load"}'


def frame(text: str) -> bytes:
    data = text.encode()
    size = len(data)
    head = bytes((0x81, 0x80 | size)) if size < 126 else bytes((0x81, 0x80 | 126)) + size.to_bytes(2, "big")
    return head + b"\0\0\0\0" + data


class Counts:
    """The counts of all clients together."""

    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.answers = 0
        self.errors = 0
        self.heartbeats = 0
        self.lost = 0
        self.recording = False
        self.ts = ""
        self.tick()

    def tick(self) -> None:
        self.ts = timestamp(datetime.now(UTC))


class Client(asyncio.Protocol):
    """One session. `ask` sends a request. Answers come in order, so each belongs to the oldest waiting request."""

    def __init__(self, tally: Counts, url: str, revision: str) -> None:
        self.tally, self.url, self.revision = tally, url, revision
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.idle: asyncio.Event = asyncio.Event()
        self.session = ""
        self.waiting: deque[float] = deque()
        self._buffer = b""
        self._upgraded = False
        self._number = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        address = urlsplit(self.url)
        transport.write(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: uiap.v0.1\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._upgraded:
            head, mark, rest = self._buffer.partition(b"\r\n\r\n")
            if not mark:
                return
            if b" 101 " not in head.splitlines()[0]:
                self.ready.set_exception(ConnectionError(head.decode("latin-1")))
                return
            self._upgraded, self._buffer = True, rest
            self._send(
                "session.initialize",
                '{"supportedVersions":["0.1"],"supportedProfiles":["web@0.1"],'
                '"participant":{"role":"agent","id":"load"}}',
            )
        self._read_frames()

    def _read_frames(self) -> None:
        buffer, at = self._buffer, 0
        while len(buffer) - at >= 2:
            size, start = buffer[at + 1], at + 2
            if size == 126:
                if len(buffer) - at < 4:
                    break
                size, start = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
            if len(buffer) < start + size:
                break
            self._on_frame(buffer[at] & 15, buffer[start : start + size])
            at = start + size
        self._buffer = buffer[at:]

    def _on_frame(self, opcode: int, data: bytes) -> None:
        if opcode == 8:
            self.transport.close()
        elif b'"kind":"response"' in data:
            self._on_answer(data)
        elif b'"type":"session.ping"' in data:
            self.tally.heartbeats += 1
            request_id = json.loads(data)["id"]
            self._send("session.pong", "{}", kind="response", more=f'"correlationId":"{request_id}",')

    def _on_answer(self, data: bytes) -> None:
        if not self.ready.done():
            self.session = json.loads(data)["sessionId"]
            self.ready.set_result(None)
            return
        began = self.waiting.popleft()
        self.tally.answers += 1
        if b'"type":"error"' in data:
            self.tally.errors += 1
        if self.tally.recording:
            self.tally.latencies.append(time.perf_counter() - began)
        if not self.waiting:
            self.idle.set()

    def ask(self) -> None:
        """Send a request: pings and capability queries in turn."""
        self.waiting.append(time.perf_counter())
        self.idle.clear()
        if self._number % 2:
            self._send("session.ping", '{"nonce":"n"}')
        else:
            self._send("capabilities.list", f'{{"profile":"web@0.1","knownRevision":"{self.revision}"}}')

    def _send(self, type: str, payload: str, *, kind: str = "request", more: str = "") -> None:
        self._number += 1
        session = f'"sessionId":"{self.session}",' if self.session else ""
        self.transport.write(
            frame(
                f'{{"uiap":"0.1","kind":"{kind}","type":"{type}","id":"m{self._number}",{session}{more}'
                f'"ts":"{self.tally.ts}",{SOURCE},"payload":{payload}}}'
            )
        )

    def connection_lost(self, error: Exception | None) -> None:
        self.tally.lost += 1
        if not self.ready.done():
            self.ready.set_exception(error or ConnectionError("the connection ended before the handshake"))


async def connect(tally: Counts, url: str, revision: str) -> Client:
    address = urlsplit(url)
    assert address.hostname is not None and address.port is not None
    _, client = await asyncio.get_running_loop().create_connection(
        lambda: Client(tally, url, revision), address.hostname, address.port
    )
    async with asyncio.timeout(30):
        await client.ready
    return client
