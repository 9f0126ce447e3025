"""uvicorn's HTTP and WebSocket protocols with limits that they lack.

The limits are the time for a request to arrive, the size of its head, the number of sockets, and a timeout for peers
that do not read. This module handles bytes, timers and close frames only. Needs `uiap[server]`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.protocol import State

from uiap.timeouts import CLOSE_S

MAX_HEAD_BYTES = 65_536
MAX_BUFFERED_BYTES = 65_536
MAX_PINGS_PER_S = 200
DISCONNECT_DELAY_S = 20.0
"""Delay of the disconnect callback. It scans all live objects, which takes 0.1 s with a thousand sessions."""

# an attacker must not be able to fill our log; `run_connection` logs the failures of handlers
silent_logger = logging.getLogger(__name__)
silent_logger.setLevel(logging.CRITICAL)


class GuardedConfig(Config):
    """uvicorn's configuration with our limits, which both protocols read."""

    request_timeout: float = 10.0
    close_timeout: float = CLOSE_S
    max_sockets: int = 4096

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.all_closed = asyncio.Event()  # set whenever the last connection has closed
        self.on_disconnects: Callable[[], None] | None = None
        self._disconnect_timer: asyncio.TimerHandle | None = None

    def on_connection_closed(self, left: int) -> None:
        """Record a closed connection; call `on_disconnects` once, DISCONNECT_DELAY_S after the first of several."""
        if not left:
            self.all_closed.set()
        if self._disconnect_timer is None and self.on_disconnects is not None:
            self._disconnect_timer = asyncio.get_running_loop().call_later(
                DISCONNECT_DELAY_S, self._call_on_disconnects
            )

    def _call_on_disconnects(self) -> None:
        self._disconnect_timer = None
        if self.on_disconnects is not None:
            self.on_disconnects()


class GuardedHttp(HttpToolsProtocol):
    """HTTP with a request timeout, a maximum head size and a maximum number of sockets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.logger, self.access_log = silent_logger, False
        self._request_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True

    @property
    def limits(self) -> GuardedConfig:
        assert isinstance(self.config, GuardedConfig)
        return self.config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.max_sockets:
            transport.abort()
            return
        self._start_request_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_request_timer()
        super().connection_lost(exc)
        self.limits.on_connection_closed(len(self.connections))

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # upgraded: the WebSocket has its own limits
            self._stop_request_timer()
        elif self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self.send_400_response("the request head is too long")
        elif self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self._start_request_timer()  # against slowloris: the whole request must arrive in time
        else:
            self._stop_request_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"uiap.abort": {"call": self.transport.abort}}

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()

    def _start_request_timer(self) -> None:
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(self.limits.request_timeout, self.transport.abort)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None


class GuardedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket with a close timeout, a ping limit and sends that do not wait."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert isinstance(self.config, GuardedConfig)
        self.logger = self.conn.logger = silent_logger
        self.close_timeout = self.config.close_timeout
        self._abort_timer: asyncio.TimerHandle | None = None
        self._failed = False
        self._pending_pong: list[bytes] = []
        self._ping_second, self._pings = 0.0, 0
        self._buffered_bytes = 0
        """Bytes to write at the end of this iteration of the event loop."""

    async def run_asgi(self) -> None:
        self.scope["extensions"]["uiap.fail"] = {"call": self.fail}
        self.scope["extensions"]["uiap.send_now"] = {"call": self.send_now}
        await super().run_asgi()
        self._abort_after_timeout()

    def send_now(self, text: str) -> bool:
        """Send without waiting, in one write with other texts of this loop iteration; return False if it must wait."""
        if not self.writable.is_set() or self.disconnected or self.close_sent:
            return False
        if self.conn.state is not State.OPEN:  # not open yet or closed: the normal send reports which
            return False
        data = text.encode()
        self.conn.send_text(data)
        if not self._buffered_bytes:
            self.loop.call_soon(self._flush)
        self._buffered_bytes += len(data)
        if self._buffered_bytes > MAX_BUFFERED_BYTES:  # the transport pauses by itself if the peer is slow
            self._flush()
        return True

    def _flush(self) -> None:
        self._buffered_bytes = 0
        if not self.disconnected and (waiting := self.conn.data_to_send()):
            self.transport.write(b"".join(waiting))

    def fail(self, code: int, reason: str) -> None:
        """Close without waiting for buffer space, because the peer may never read."""
        if self.disconnected or self.close_sent:
            return
        try:
            self.conn.send_close(code, reason)
        except InvalidState:
            return
        self._send_close_frame(code, reason)

    def data_received(self, data: bytes) -> None:
        if not self._failed:  # after an invalid frame, read and drop the rest so that our close frame arrives
            super().data_received(data)

    def handle_parser_exception(self) -> None:
        self._failed = True
        sent = self.conn.close_sent
        self._send_close_frame(sent.code if sent else 1002, sent.reason if sent else "")
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def handle_ping(self) -> None:
        if self.close_sent or self._is_ping_flood():
            self.conn.data_to_send()
            return
        if self.writable.is_set():
            super().handle_ping()
        else:  # the peer does not read: keep the latest pong only, which RFC 6455 §5.5.3 allows
            self._pending_pong = self.conn.data_to_send()[-1:] or self._pending_pong

    def _is_ping_flood(self) -> bool:
        """Count a ping; return True and close the connection if there are too many in one second."""
        now = self.loop.time()
        if now - self._ping_second > 1.0:
            self._ping_second, self._pings = now, 0
        self._pings += 1
        if self._pings > MAX_PINGS_PER_S:
            self.conn.data_to_send()
            self.fail(1008, "too many pings")
            self._failed = True
        return self._failed

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._pending_pong and not self.close_sent:
            self.transport.write(b"".join(self._pending_pong))
        self._pending_pong = []

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not self.close_sent and not _is_utf8(self.frames):
            self.frames = []
            self.conn.fail(1007, "text must be UTF-8")
            self.handle_parser_exception()
            return
        super().send_receive_event_to_app()

    def shutdown(self) -> None:
        if self.handshake_complete:
            self.fail(1012, "the server is stopping")
        else:
            super().shutdown()
        self._abort_after_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        super().connection_lost(exc)
        self.config.on_connection_closed(len(self.connections))  # type: ignore[attr-defined]

    def _send_close_frame(self, code: int, reason: str) -> None:
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:  # so that the close frame of the peer can arrive
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.close_timer or self.loop.call_later(self.close_timeout, self.transport.close)
        self._abort_after_timeout()

    def _abort_after_timeout(self) -> None:
        """Abort the socket after twice the close timeout, even if the peer does not answer."""
        if self._abort_timer is None and not self.disconnected:
            self._abort_timer = self.loop.call_later(2 * self.close_timeout, self.transport.abort)


def _is_utf8(frames: list[bytes]) -> bool:
    try:
        b"".join(frames).decode()
    except UnicodeDecodeError:
        return False
    return True
