"""Server-Sent Events of http@0.1: encode one envelope as an event, keep events for replay, and parse them.

`EventLog` is the server's replay buffer, `EventReader` the client's parser. Nothing here opens a socket.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from uiap.spec.http import SSE_EVENT_NAME
from uiap.timeouts import RESUME_S

KEEP_ALIVE = b": keep-alive\n\n"
CLOSE_EVENT = "close"  # our own event with the reason why the stream ends; other clients ignore unknown names


def frame(text: str, id_: str | None = None, name: str = SSE_EVENT_NAME) -> bytes:
    """Return one encoded event. JSON strings have no raw line breaks, so those between tokens become spaces."""
    data = text.replace("\r", " ").replace("\n", " ")
    # the format cannot carry an id with a line break or NUL; a client cannot resume after such an event
    id_line = f"id: {id_}\n" if id_ and id_.isprintable() else ""
    return f"event: {name}\n{id_line}data: {data}\n\n".encode()


class StreamEnd(msgspec.Struct, frozen=True):
    """The close code and reason with which a stream ends."""

    code: int
    reason: str = ""


def close_frame(code: int, reason: str) -> bytes:
    """Return the event that ends a stream."""
    return frame(msgspec.json.encode(StreamEnd(code, reason)).decode(), name=CLOSE_EVENT)


class EventLogEntry(NamedTuple):
    number: int
    id: str
    frame: bytes
    at: float


class EventLog:
    """The last events of one session: up to `capacity` events, `window` seconds and `max_bytes` bytes."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        capacity: int = 256,
        window: float = RESUME_S,
        max_bytes: int = 8_388_608,
    ) -> None:
        self._clock = clock
        self._capacity = capacity
        self._window = window
        self._max_bytes = max_bytes
        self._entries: deque[EventLogEntry] = deque()
        self._numbers: dict[str, int] = {}
        self._bytes = 0
        self._dropped = ("", 0)  # id and number of the newest dropped event
        self.last = 0

    def append(self, id_: str, text: str) -> None:
        self.last += 1
        entry = EventLogEntry(self.last, id_, frame(text, id_), self._clock())
        self._entries.append(entry)
        self._numbers[id_] = entry.number
        self._bytes += len(entry.frame)
        self._drop_old()

    def position(self, last_event_id: str | None) -> int | None:
        """Return the position after this event, or None if later events are no longer available."""
        self._drop_old()
        if last_event_id is None:
            return self._dropped[1]
        if last_event_id == self._dropped[0]:
            return self._dropped[1]
        return self._numbers.get(last_event_id)

    def after(self, position: int) -> list[EventLogEntry] | None:
        """Return the events after `position`, or None if some of them are no longer available."""
        if position < self._dropped[1]:
            return None
        return list(islice(self._entries, position - self._dropped[1], None))

    def _drop_old(self) -> None:
        oldest = self._clock() - self._window
        while self._entries and (
            len(self._entries) > self._capacity
            or (self._bytes > self._max_bytes and len(self._entries) > 1)
            or self._entries[0].at < oldest
        ):
            dropped = self._entries.popleft()
            self._bytes -= len(dropped.frame)
            if self._numbers.get(dropped.id) == dropped.number:
                del self._numbers[dropped.id]
            self._dropped = (dropped.id, dropped.number)


class SseEvent(NamedTuple):
    name: str
    id: str
    data: str


class EventReader:
    """Parses a byte stream into events (WHATWG event stream; we need name, id and data).

    Only \\n, \\r and \\r\\n end a line. U+2028 and similar characters are ordinary text inside JSON.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rest = b""
        self._name, self._id, self._data = "", "", list[str]()
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[SseEvent]:
        """Yield the events completed by `chunk`; raise ValueError if one is larger than `max_bytes`."""
        self._rest += chunk
        while (line := self._next_line()) is not None:
            event = self._parse_line(line)
            if event is not None:
                yield event
        if len(self._rest) + self._size > self._max_bytes + 1024:
            raise ValueError(f"an event may have at most {self._max_bytes} bytes")

    def _next_line(self) -> bytes | None:
        ends = [at for at in (self._rest.find(b"\n"), self._rest.find(b"\r")) if at >= 0]
        if not ends:
            return None
        end = min(ends)
        if self._rest[end : end + 1] == b"\r" and end + 1 == len(self._rest):
            return None  # the \n of a \r\n may be in the next chunk
        line, self._rest = self._rest[:end], self._rest[end:]
        self._rest = self._rest[2:] if self._rest.startswith(b"\r\n") else self._rest[1:]
        return line

    def _parse_line(self, line: bytes) -> SseEvent | None:
        if not line:
            return self._finish_event()
        field, _, raw = line.partition(b":")
        value = raw.removeprefix(b" ").decode(errors="replace")
        if field == b"data":
            self._data.append(value)
            self._size += len(raw)
        elif field == b"event":
            self._name = value
        elif field == b"id" and "\0" not in value:
            self._id = value
        return None

    def _finish_event(self) -> SseEvent | None:
        name, data = self._name or "message", "\n".join(self._data)
        empty = not self._data
        self._name, self._data, self._size = "", [], 0
        return None if empty else SseEvent(name, self._id, data)
