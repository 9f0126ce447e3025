"""Two connected transports inside one process, for embedding and for tests."""

from __future__ import annotations

from uiap.transports.pipe import Pipe
from uiap.transports.transport import (
    CLOSE_NORMAL,
    CLOSE_TOO_BIG,
    MAX_MESSAGE_BYTES,
    Peer,
    closed_error,
)


class MemoryTransport:
    binding = "memory@0.1"

    def __init__(self, inbox: Pipe[str], outbox: Pipe[str], peer: Peer, max_bytes: int) -> None:
        self.peer = peer
        self._inbox = inbox
        self._outbox = outbox
        self._max_bytes = max_bytes

    @property
    def closed(self) -> bool:
        return self._outbox.closed

    async def send(self, text: str) -> None:
        if len(text) > self._max_bytes // 4 and len(text.encode()) > self._max_bytes:
            reason = f"a message may have at most {self._max_bytes} bytes"
            await self.close(CLOSE_TOO_BIG, reason)
            raise closed_error(CLOSE_TOO_BIG, reason)
        await self._outbox.put(text)

    async def receive(self) -> str:
        return await self._inbox.get()

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        # the peer still receives our messages; we drop the messages to us
        self._outbox.close(code, reason)
        self._inbox.close(code, reason, discard=True)


def pair(
    *,
    capacity: int = 64,
    max_bytes: int = MAX_MESSAGE_BYTES,
    left: Peer | None = None,
    right: Peer | None = None,
) -> tuple[MemoryTransport, MemoryTransport]:
    """Return both ends of a connection. `left` describes the peer of the first end, `right` that of the second."""
    to_right: Pipe[str] = Pipe(capacity)
    to_left: Pipe[str] = Pipe(capacity)
    return (
        MemoryTransport(to_left, to_right, left or Peer("memory"), max_bytes),
        MemoryTransport(to_right, to_left, right or Peer("memory"), max_bytes),
    )
