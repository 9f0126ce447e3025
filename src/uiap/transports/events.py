"""Server-Sent Events of http@0.1: how one envelope is framed, kept for replay, and read again.

Nothing here opens a socket; `EventLog` is the server's memory, `EventReader` the client's parser.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from uiap.spec.http import SSE_EVENT_NAME

KEEP_ALIVE = b": keep-alive\n\n"
CLOSE_EVENT = "close"  # ours: tells a client why the stream ends; other clients ignore unknown names


def frame(text: str, id_: str | None = None, name: str = SSE_EVENT_NAME) -> bytes:
    """One event. JSON strings hold no raw line breaks, so those between tokens may become spaces."""
    data = text.replace("\r", " ").replace("\n", " ")
    # an id with a line break or NUL cannot be said in this format; such an event cannot be resumed from
    said = f"id: {id_}\n" if id_ and id_.isprintable() else ""
    return f"event: {name}\n{said}data: {data}\n\n".encode()


class StreamEnd(msgspec.Struct, frozen=True):
    """Why a stream ends, in the vocabulary of close codes."""

    code: int
    reason: str = ""


def close_frame(code: int, reason: str) -> bytes:
    return frame(msgspec.json.encode(StreamEnd(code, reason)).decode(), name=CLOSE_EVENT)


class EventLogEntry(NamedTuple):
    number: int
    id: str
    frame: bytes
    at: float


class EventLog:
    """The last events of one session: at most `capacity`, none older than `window`, none beyond `max_bytes`."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        capacity: int = 256,
        window: float = 60.0,
        max_bytes: int = 8_388_608,
    ) -> None:
        self._clock = clock
        self._capacity = capacity
        self._window = window
        self._max_bytes = max_bytes
        self._entries: deque[EventLogEntry] = deque()
        self._numbers: dict[str, int] = {}
        self._bytes = 0
        self._dropped = ("", 0)  # id and number of the newest event that is no longer kept
        self.last = 0

    def append(self, id_: str, text: str) -> None:
        self.last += 1
        entry = EventLogEntry(self.last, id_, frame(text, id_), self._clock())
        self._entries.append(entry)
        self._numbers[id_] = entry.number
        self._bytes += len(entry.frame)
        self._forget()

    def position(self, last_event_id: str | None) -> int | None:
        """Where a reader goes on that saw this event last; None when events after it are lost."""
        self._forget()
        if last_event_id is None:
            return self._dropped[1]
        if last_event_id == self._dropped[0]:
            return self._dropped[1]
        return self._numbers.get(last_event_id)

    def after(self, position: int) -> list[EventLogEntry] | None:
        """What came after `position`, or None when some of it is no longer kept."""
        if position < self._dropped[1]:
            return None
        return list(islice(self._entries, position - self._dropped[1], None))

    def _forget(self) -> None:
        oldest = self._clock() - self._window
        while self._entries and (
            len(self._entries) > self._capacity
            or (self._bytes > self._max_bytes and len(self._entries) > 1)
            or self._entries[0].at < oldest
        ):
            gone = self._entries.popleft()
            self._bytes -= len(gone.frame)
            if self._numbers.get(gone.id) == gone.number:
                del self._numbers[gone.id]
            self._dropped = (gone.id, gone.number)


class SseEvent(NamedTuple):
    name: str
    id: str
    data: str


class EventReader:
    """Parses a byte stream into events (WHATWG event stream, of which we need name, id and data).

    Only \\n, \\r and \\r\\n end a line: U+2028 and its kind are ordinary text inside JSON.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rest = b""
        self._name, self._id, self._data = "", "", list[str]()
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[SseEvent]:
        """The events completed by `chunk`; ValueError when one grows past the bound."""
        self._rest += chunk
        while (line := self._next_line()) is not None:
            event = self._take(line)
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

    def _take(self, line: bytes) -> SseEvent | None:
        if not line:
            return self._dispatch()
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

    def _dispatch(self) -> SseEvent | None:
        name, data = self._name or "message", "\n".join(self._data)
        empty = not self._data
        self._name, self._data, self._size = "", [], 0
        return None if empty else SseEvent(name, self._id, data)
