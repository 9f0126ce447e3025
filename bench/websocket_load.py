"""Many light WebSocket clients in one loop: the other side of `bench.sessions`, cheap enough not to be measured.

Frames are written by hand (masked with a zero key) and read by length; it asks, times the answers, and answers
the heartbeats of the hall as a client must.
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


class Tally:
    """What all clients saw together."""

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
    """One session. `ask` sends a request; answers come in order, so the oldest waiting moment is theirs."""

    def __init__(self, tally: Tally, url: str, revision: str) -> None:
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
        place = urlsplit(self.url)
        transport.write(
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
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
            self._say(
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
            self._heard(buffer[at] & 15, buffer[start : start + size])
            at = start + size
        self._buffer = buffer[at:]

    def _heard(self, opcode: int, data: bytes) -> None:
        if opcode == 8:
            self.transport.close()
        elif b'"kind":"response"' in data:
            self._answered(data)
        elif b'"type":"session.ping"' in data:
            self.tally.heartbeats += 1
            asked = json.loads(data)["id"]
            self._say("session.pong", "{}", kind="response", more=f'"correlationId":"{asked}",')

    def _answered(self, data: bytes) -> None:
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
        """A request: pings and capability queries by turns."""
        self.waiting.append(time.perf_counter())
        self.idle.clear()
        if self._number % 2:
            self._say("session.ping", '{"nonce":"n"}')
        else:
            self._say("capabilities.list", f'{{"profile":"web@0.1","knownRevision":"{self.revision}"}}')

    def _say(self, type: str, payload: str, *, kind: str = "request", more: str = "") -> None:
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


async def connect(tally: Tally, url: str, revision: str) -> Client:
    place = urlsplit(url)
    assert place.hostname is not None and place.port is not None
    _, client = await asyncio.get_running_loop().create_connection(
        lambda: Client(tally, url, revision), place.hostname, place.port
    )
    async with asyncio.timeout(30):
        await client.ready
    return client
