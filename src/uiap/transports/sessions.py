"""The host's end of http@0.1: one virtual Transport per session, filled by POSTs and read by one event stream.

It matches answers with POSTs and tracks which events a stream has not sent. `http_endpoints` handles HTTP itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from uiap.timeouts import RESUME_S, SEND_S, SESSION_IDLE_S
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
    """One open event stream. A session has one; a newer stream replaces it."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.has_news = asyncio.Event()
        self.over = False


class HttpSession:
    """The transport of one HTTP session."""

    binding = "http@0.1"

    def __init__(
        self,
        peer: Peer,
        *,
        resume_window: float = RESUME_S,
        idle_timeout: float = SESSION_IDLE_S,
        send_timeout: float = SEND_S,
        capacity: int = 256,
    ) -> None:
        self.peer = peer
        self.session_id = ""
        self.opening: Routing | None = None  # of its `session.initialize`, for our own envelopes
        self.log = EventLog(time.monotonic, capacity=capacity, window=resume_window)
        self.on_end: Callable[[], None] = lambda: None
        self._max_lag = max(1, capacity // 2)
        self._idle_timeouts = (idle_timeout, resume_window)
        self._send_timeout = send_timeout
        self._inbox: Pipe[str] = Pipe(INBOX_CAPACITY)
        self._answers: dict[str, asyncio.Future[str]] = {}
        self._stream: EventStream | None = None
        self._advanced = asyncio.Event()
        self._had_stream = False
        self._open_requests = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._next_number = 1
        self._turn = asyncio.Condition()
        self.end: tuple[int, str] | None = None

    # -- the host's side ------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self.end is not None

    async def send(self, text: str) -> None:
        if self.end is not None:
            raise closed_error(*self.end)
        routing = read_routing(text)
        if routing is None:
            raise ValueError("only an envelope can be sent over http@0.1")
        waiting = self._pop_answer(routing)
        if waiting is not None:
            waiting.set_result(text)
            return
        self.log.append(routing.id, text)
        if self._stream is not None:
            self._stream.has_news.set()
            await self._wait_for_reader(self._stream)

    def _pop_answer(self, routing: Routing) -> asyncio.Future[str] | None:
        if routing.kind == "response" and routing.correlationId is not None:
            return self._answers.pop(routing.correlationId, None)
        if routing.type == "error" and routing.correlationId is None and len(self._answers) == 1:
            # an error without correlation id; if one POST is open, it is the answer to that one
            return self._answers.popitem()[1]
        return None

    async def _wait_for_reader(self, stream: EventStream) -> None:
        """Wait until a stream is at most half the log behind; drop it after `send_timeout`."""
        try:
            async with asyncio.timeout(self._send_timeout):
                while not stream.over and self.log.last - stream.position > self._max_lag:
                    self._advanced.clear()
                    await self._advanced.wait()
        except TimeoutError:
            self.drop(stream)  # it can reconnect with Last-Event-ID while the log still has its events

    async def receive(self) -> str:
        return await self._inbox.get()

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        self.finish(code, reason)

    def finish(self, code: int, reason: str = "") -> None:
        """End the session's transport; the first call decides code and reason."""
        if self.end is not None:
            return
        self.end = (code, reason)
        self._inbox.close(code, reason, discard=True)
        for waiting in list(self._answers.values()):
            if not waiting.done():
                waiting.set_exception(closed_error(code, reason))
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._stream is not None:
            self._stream.has_news.set()
        self._advanced.set()
        self.on_end()

    # -- the client's side ----------------------------------------------------------------------------------

    async def ask(self, id_: str, text: str) -> asyncio.Future[str]:
        """Pass a request to the host; return the future of its only answer."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[id_] = answer
        answer.add_done_callback(lambda _: self._stop_waiting(id_, answer))
        try:
            await self.push(text)
        except BaseException:
            answer.cancel()
            raise
        return answer

    def _stop_waiting(self, id_: str, answer: asyncio.Future[str]) -> None:
        """Stop waiting for an answer; a late answer goes to the event stream."""
        if self._answers.get(id_) is answer:
            del self._answers[id_]

    async def push(self, text: str) -> None:
        """Pass one envelope to the host; raise TimeoutError if the inbox stays full for `send_timeout`."""
        async with asyncio.timeout(self._send_timeout):
            await self._inbox.put(text)

    def awaits(self, id_: str) -> bool:
        return id_ in self._answers

    async def wait_turn(self, number: int | None, timeout_s: float = 5.0) -> None:
        """Wait for the POSTs with lower numbers, up to `timeout_s`; POSTs travel on several sockets."""
        if number is None:
            return
        try:
            async with asyncio.timeout(timeout_s), self._turn:
                await self._turn.wait_for(lambda: self._next_number >= number or self.closed)
        except TimeoutError:
            return

    async def finish_turn(self, number: int | None) -> None:
        """Let the POST with the next number pass."""
        if number is not None:
            async with self._turn:
                self._next_number = max(self._next_number, number + 1)
                self._turn.notify_all()

    def attach(self, position: int) -> EventStream:
        """Return a new event stream and end the older one, so that every event has one reader."""
        if self._stream is not None:
            self.drop(self._stream)
        self._stream = EventStream(position)
        self._had_stream = True
        return self._stream

    def drop(self, stream: EventStream) -> None:
        """End a stream."""
        stream.over = True
        stream.has_news.set()
        self._advanced.set()
        if self._stream is stream:
            self._stream = None

    async def unread(self, stream: EventStream, seconds: float) -> list[EventLogEntry] | None:
        """Return the events this stream has not sent: empty after `seconds`, None if some were dropped."""
        entries = self.log.after(stream.position)
        if entries or entries is None or stream.over or self.closed:
            return entries
        stream.has_news.clear()
        try:
            async with asyncio.timeout(seconds):
                await stream.has_news.wait()
        except TimeoutError:
            return []
        return self.log.after(stream.position)

    def advance(self, stream: EventStream, position: int) -> None:
        """Record that a stream has sent the events up to `position`."""
        stream.position = position
        self._advanced.set()

    def __enter__(self) -> HttpSession:
        """Count an open POST or stream; the session is not idle while there is one."""
        self._open_requests += 1
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        return self

    def __exit__(self, *raised: object) -> None:
        self._open_requests -= 1
        if self._open_requests == 0 and not self.closed:
            loop = asyncio.get_running_loop()
            seconds = self._idle_timeouts[self._had_stream]
            self._idle_timer = loop.call_later(seconds, self.finish, CLOSE_ABNORMAL, "the client is gone")


def lost_answer_code(end: TransportClosed) -> str:
    """Return the error code for a POST whose session ended before its answer."""
    return {
        1009: "payload_too_large",
        1011: "internal_error",
        1012: "busy",
        1013: "busy",
        4400: "invalid_envelope",
        4401: "unauthorized",
    }.get(end.close_code, "session_not_found")
