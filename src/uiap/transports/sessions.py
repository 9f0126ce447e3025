"""The host's end of http@0.1: one virtual Transport per session, fed by POSTs and read by one event stream.

It knows which answer belongs to which POST and which events a stream has not seen; HTTP itself is `door`'s.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from uiap.transports.binding import Routing, read_routing
from uiap.transports.events import EventLog, EventLogEntry
from uiap.transports.pipe import Pipe
from uiap.transports.transport import (
    CLOSE_ABNORMAL,
    CLOSE_NORMAL,
    Peer,
    TransportClosed,
    closed_error,
)

INBOX_CAPACITY = 64


class EventStream:
    """One open event stream; the newest of a session is the one that counts."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.news = asyncio.Event()
        self.over = False


class HttpSession:
    binding = "http@0.1"

    def __init__(
        self,
        peer: Peer,
        *,
        resume_window: float = 60.0,
        idle_timeout: float = 600.0,
        send_timeout: float = 10.0,
        capacity: int = 256,
    ) -> None:
        self.peer = peer
        self.session_id = ""
        self.opening: Routing | None = None  # the initialize that made it: version and source to speak for it
        self.log = EventLog(time.monotonic, capacity=capacity, window=resume_window)
        self.on_end: Callable[[], None] = lambda: None
        self._lag = max(1, capacity // 2)
        self._windows = (idle_timeout, resume_window)
        self._send_timeout = send_timeout
        self._inbox: Pipe[str] = Pipe(INBOX_CAPACITY)
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._stream: EventStream | None = None
        self._advanced = asyncio.Event()
        self._streamed = False
        self._busy = 0
        self._idle: asyncio.TimerHandle | None = None
        self._next = 1
        self._arrived = asyncio.Condition()
        self.end: tuple[int, str] | None = None

    # the host's side ------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self.end is not None

    async def send(self, text: str) -> None:
        if self.end is not None:
            raise closed_error(*self.end)
        routing = read_routing(text)
        if routing is None:
            raise ValueError("only an envelope can be sent over http@0.1")
        waiting = self._waiter_for(routing)
        if waiting is not None:
            waiting.set_result(text)
            return
        self.log.append(routing.id, text)
        if self._stream is not None:
            self._stream.news.set()
            await self._wait_for_reader(self._stream)

    def _waiter_for(self, routing: Routing) -> asyncio.Future[str] | None:
        if routing.kind == "response" and routing.correlationId is not None:
            return self._waiting.pop(routing.correlationId, None)
        if routing.type == "error" and routing.correlationId is None and len(self._waiting) == 1:
            # companions §3.6: a fault nobody could attribute; with one POST open, it is about that one
            return self._waiting.popitem()[1]
        return None

    async def _wait_for_reader(self, stream: EventStream) -> None:
        """Back-pressure: a reader that lags half the log behind has `send_timeout` to come closer."""
        try:
            async with asyncio.timeout(self._send_timeout):
                while not stream.over and self.log.last - stream.position > self._lag:
                    self._advanced.clear()
                    await self._advanced.wait()
        except TimeoutError:
            self.drop(stream)  # it may come back with Last-Event-ID, as long as the log reaches

    async def receive(self) -> str:
        return await self._inbox.get()

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        self.finish(code, reason)

    def finish(self, code: int, reason: str = "") -> None:
        if self.end is not None:
            return
        self.end = (code, reason)
        self._inbox.close(code, reason, discard=True)
        for waiting in list(self._waiting.values()):
            if not waiting.done():
                waiting.set_exception(closed_error(code, reason))
        if self._idle is not None:
            self._idle.cancel()
        if self._stream is not None:
            self._stream.news.set()
        self._advanced.set()
        self.on_end()

    # the client's side ----------------------------------------------------------------------------------

    async def ask(self, id_: str, text: str) -> asyncio.Future[str]:
        """Feed a request; the future is its one answer (companions §3.3.2)."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = answer
        answer.add_done_callback(lambda _: self._stop_waiting(id_, answer))
        try:
            await self.push(text)
        except BaseException:
            answer.cancel()
            raise
        return answer

    def _stop_waiting(self, id_: str, answer: asyncio.Future[str]) -> None:
        """An answer that comes after its POST has given up goes to the stream."""
        if self._waiting.get(id_) is answer:
            del self._waiting[id_]

    async def push(self, text: str) -> None:
        """Feed one envelope; TimeoutError when the host takes none for `send_timeout`."""
        async with asyncio.timeout(self._send_timeout):
            await self._inbox.put(text)

    def awaits(self, id_: str) -> bool:
        return id_ in self._waiting

    async def in_turn(self, number: int | None, patience: float = 5.0) -> None:
        """POSTs travel on several sockets; a client that numbers them has them fed in its order."""
        if number is None:
            return
        try:
            async with asyncio.timeout(patience), self._arrived:
                await self._arrived.wait_for(lambda: self._next >= number or self.closed)
        except TimeoutError:
            return

    async def took_turn(self, number: int | None) -> None:
        if number is not None:
            async with self._arrived:
                self._next = max(self._next, number + 1)
                self._arrived.notify_all()

    def attach(self, position: int) -> EventStream:
        """A new event stream; an older one ends, so that every event has one reader."""
        if self._stream is not None:
            self.drop(self._stream)
        self._stream = EventStream(position)
        self._streamed = True
        return self._stream

    def drop(self, stream: EventStream) -> None:
        stream.over = True
        stream.news.set()
        self._advanced.set()
        if self._stream is stream:
            self._stream = None

    async def unread(self, stream: EventStream, seconds: float) -> list[EventLogEntry] | None:
        """The events this stream has not sent; empty after `seconds` without any, None when it has lost some."""
        entries = self.log.after(stream.position)
        if entries or entries is None or stream.over or self.closed:
            return entries
        stream.news.clear()
        try:
            async with asyncio.timeout(seconds):
                await stream.news.wait()
        except TimeoutError:
            return []
        return self.log.after(stream.position)

    def advance(self, stream: EventStream, position: int) -> None:
        stream.position = position
        self._advanced.set()

    def __enter__(self) -> HttpSession:
        """The client is here: a POST or a stream is open."""
        self._busy += 1
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        return self

    def __exit__(self, *raised: object) -> None:
        self._busy -= 1
        if self._busy == 0 and not self.closed:
            loop = asyncio.get_running_loop()
            seconds = self._windows[self._streamed]
            self._idle = loop.call_later(seconds, self.finish, CLOSE_ABNORMAL, "the client is gone")


def lost_answer_code(end: TransportClosed) -> str:
    """The core code for a POST whose session ended before its answer came."""
    return {
        1009: "payload_too_large",
        1011: "internal_error",
        1012: "busy",
        1013: "busy",
        4400: "invalid_envelope",
        4401: "unauthorized",
    }.get(end.close_code, "session_not_found")
