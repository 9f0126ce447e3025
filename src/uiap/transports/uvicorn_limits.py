"""uvicorn's two protocols with the bounds they lack: time for a request to arrive, bytes of its head, a cap
on sockets, and an end for peers that do not read (robustness P2).

It knows bytes, timers and close frames; what an application says is not its matter. Needs `uiap[server]`.
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

MAX_HEAD_BYTES = 65_536
MAX_BUFFERED_BYTES = 65_536
MAX_PINGS_PER_S = 200
DISCONNECT_DELAY_S = 20.0
"""A look at everything that lives takes a tenth of a second where a thousand sessions live: not often."""

# an attacker must not be able to write our log; what fails inside a handler is logged by `attend`
silent_logger = logging.getLogger(__name__)
silent_logger.setLevel(logging.CRITICAL)


class GuardedConfig(Config):
    """uvicorn's configuration plus ours, so that each protocol finds its bounds where it looks anyway."""

    request_timeout: float = 10.0
    close_timeout: float = 2.0
    max_sockets: int = 4096

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.quiet = asyncio.Event()  # set whenever the last connection has gone
        self.on_disconnects: Callable[[], None] | None = None
        self._thinning: asyncio.TimerHandle | None = None

    def lost(self, left: int) -> None:
        """A connection has gone; some time after the first that went, what they all held is worth looking for."""
        if not left:
            self.quiet.set()
        if self._thinning is None and self.on_disconnects is not None:
            self._thinning = asyncio.get_running_loop().call_later(DISCONNECT_DELAY_S, self._thin)

    def _thin(self) -> None:
        self._thinning = None
        if self.on_disconnects is not None:
            self.on_disconnects()


class GuardedHttp(HttpToolsProtocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.logger, self.access_log = silent_logger, False
        self._arrival: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True

    @property
    def bounds(self) -> GuardedConfig:
        assert isinstance(self.config, GuardedConfig)
        return self.config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.bounds.max_sockets:
            transport.abort()
            return
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_arrived()
        super().connection_lost(exc)
        self.bounds.lost(len(self.connections))

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # upgraded: the WebSocket has its own bounds
            self._request_arrived()
        elif self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self.send_400_response("the request head is too long")
        elif self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            self._expect_request()  # slowloris: the whole request must be here in time
        else:
            self._request_arrived()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"uiap.abort": {"call": self.transport.abort}}

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()

    def _expect_request(self) -> None:
        if self._arrival is None:
            self._arrival = self.loop.call_later(self.bounds.request_timeout, self.transport.abort)

    def _request_arrived(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None


class GuardedWebSocket(WebSocketsSansIOProtocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert isinstance(self.config, GuardedConfig)
        self.logger = self.conn.logger = silent_logger
        self.close_timeout = self.config.close_timeout
        self._farewell: asyncio.TimerHandle | None = None
        self._failed = False
        self._owed: list[bytes] = []
        self._second, self._pings = 0.0, 0
        self._held = 0
        """Bytes that wait for the end of this turn of the loop."""

    async def run_asgi(self) -> None:
        self.scope["extensions"]["uiap.fail"] = {"call": self.fail}
        self.scope["extensions"]["uiap.say"] = {"call": self.say}
        await super().run_asgi()
        self._leave_soon()

    def say(self, text: str) -> bool:
        """Send without waiting, together with all that is said in this turn; False where there is waiting to do."""
        if not self.writable.is_set() or self.disconnected or self.close_sent:
            return False
        if self.conn.state is not State.OPEN:  # not yet, or no longer: the long way says which
            return False
        data = text.encode()
        self.conn.send_text(data)
        if not self._held:
            self.loop.call_soon(self._flush)
        self._held += len(data)
        if self._held > MAX_BUFFERED_BYTES:  # the transport says by itself when that is too much for the peer
            self._flush()
        return True

    def _flush(self) -> None:
        self._held = 0
        if not self.disconnected and (waiting := self.conn.data_to_send()):
            self.transport.write(b"".join(waiting))

    def fail(self, code: int, reason: str) -> None:
        """Close without waiting for room in the buffer of a peer that may never read."""
        if self.disconnected or self.close_sent:
            return
        try:
            self.conn.send_close(code, reason)
        except InvalidState:
            return
        self._send_farewell(code, reason)

    def data_received(self, data: bytes) -> None:
        if not self._failed:  # after a broken frame the rest is read and dropped, so that our close arrives
            super().data_received(data)

    def handle_parser_exception(self) -> None:
        self._failed = True
        sent = self.conn.close_sent
        self._send_farewell(sent.code if sent else 1002, sent.reason if sent else "")
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def handle_ping(self) -> None:
        if self.close_sent or self._flooded():
            self.conn.data_to_send()
            return
        if self.writable.is_set():
            super().handle_ping()
        else:  # nobody reads our answers: keep the latest only, which RFC 6455 §5.5.3 allows
            self._owed = self.conn.data_to_send()[-1:] or self._owed

    def _flooded(self) -> bool:
        """More pings in a second than any keep-alive needs: the rest is read and dropped, others have their turn."""
        now = self.loop.time()
        if now - self._second > 1.0:
            self._second, self._pings = now, 0
        self._pings += 1
        if self._pings > MAX_PINGS_PER_S:
            self.conn.data_to_send()
            self.fail(1008, "too many pings")
            self._failed = True
        return self._failed

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._owed and not self.close_sent:
            self.transport.write(b"".join(self._owed))
        self._owed = []

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
        self._leave_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._farewell is not None:
            self._farewell.cancel()
        super().connection_lost(exc)
        self.config.lost(len(self.connections))  # type: ignore[attr-defined]

    def _send_farewell(self, code: int, reason: str) -> None:
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:  # the peer's answer must be able to arrive
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.close_timer or self.loop.call_later(self.close_timeout, self.transport.close)
        self._leave_soon()

    def _leave_soon(self) -> None:
        """Whatever the peer does, the socket is gone within twice the close timeout."""
        if self._farewell is None and not self.disconnected:
            self._farewell = self.loop.call_later(2 * self.close_timeout, self.transport.abort)


def _is_utf8(frames: list[bytes]) -> bool:
    try:
        b"".join(frames).decode()
    except UnicodeDecodeError:
        return False
    return True
