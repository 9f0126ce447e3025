"""The ws@0.1 binding: one text frame per envelope; binary frames are an error.

`connect` is the agent's side. `ServerWebSocket` is the host's side over any ASGI server. `asgi` accepts and limits
sockets. Both libraries close a connection whose text is not UTF-8 with code 1007 (RFC 6455 §8.1), so `receive` returns
only text here.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_websocket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from uiap.errors import Unavailable, fault
from uiap.timeouts import CLOSE_S, CONNECT_S, SEND_S
from uiap.transports.address import require_safe_token
from uiap.transports.transport import (
    CLOSE_ABNORMAL,
    CLOSE_INVALID,
    CLOSE_NORMAL,
    CLOSE_OVERLOADED,
    MAX_MESSAGE_BYTES,
    Peer,
    TransportClosed,
    closed_error,
)

SUBPROTOCOL = "uiap.v0.1"
BINARY_FRAME_MESSAGE = "a binary frame is not supported; send each envelope as one text frame"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientWebSocket:
    """The agent's side of one WebSocket."""

    binding = "ws@0.1"

    def __init__(self, socket: ClientConnection, peer: Peer, send_timeout: float) -> None:
        self.peer = peer
        self._socket = socket
        self._send_timeout = send_timeout
        self._end: tuple[int, str] | None = None

    @property
    def closed(self) -> bool:
        return self._end is not None or self._socket.close_code is not None

    async def send(self, text: str) -> None:
        if self._end is not None:
            raise closed_error(*self._end)
        try:
            async with asyncio.timeout(self._send_timeout):
                await self._socket.send(text)
        except ConnectionClosed as lost:
            raise self._closed_by(lost) from None
        except TimeoutError:
            self._end = (CLOSE_OVERLOADED, f"the peer read nothing for {self._send_timeout:g} s")
            self._socket.transport.abort()
            raise closed_error(*self._end) from None

    async def receive(self) -> str:
        try:
            message = await self._socket.recv()
        except ConnectionClosed as lost:
            raise self._closed_by(lost) from None
        if isinstance(message, bytes):
            await self.close(CLOSE_INVALID, BINARY_FRAME_MESSAGE)
            raise closed_error(CLOSE_INVALID, BINARY_FRAME_MESSAGE)
        return message

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        if self._end is None:
            self._end = (code, reason)
        await self._socket.close(code, _close_reason(reason))

    def _closed_by(self, lost: ConnectionClosed) -> TransportClosed:
        if self._end is None:
            frame = lost.rcvd or lost.sent
            self._end = (frame.code, frame.reason) if frame else (CLOSE_ABNORMAL, "the peer is gone")
        return closed_error(*self._end)


async def connect(
    url: str,
    *,
    token: str | None = None,
    subprotocol: str = SUBPROTOCOL,
    max_bytes: int = MAX_MESSAGE_BYTES,
    open_timeout: float = CONNECT_S,
    close_timeout: float = CLOSE_S,
    send_timeout: float = SEND_S,
    ssl_context: ssl.SSLContext | None = None,
    proxy: str | None = None,
) -> ClientWebSocket:
    """Connect to `url`. The session has its own heartbeat, so the socket sends no pings."""
    require_safe_token(url, token)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        socket = await open_websocket(
            url,
            subprotocols=[Subprotocol(subprotocol)],
            additional_headers=headers,
            user_agent_header=None,
            compression=None,  # so there is no decompressed size to limit
            max_size=max_bytes,
            open_timeout=open_timeout,
            close_timeout=close_timeout,
            ping_interval=None,
            proxy=proxy,
            ssl=ssl_context,
        )
    except InvalidURI:
        raise Unavailable(
            f"`{url}` is not a WebSocket address; write ws://host:port/path or wss://…"
        ) from None
    except InvalidHandshake as refused:
        raise _refusal(url, refused) from None
    except (OSError, TimeoutError) as failed:
        reason = str(failed) or "no answer in time"
        raise Unavailable(f"cannot reach `{url}`: {reason}; is the server running?") from None
    return ClientWebSocket(socket, Peer(url), send_timeout)


_REFUSALS = {401: "unauthorized", 403: "forbidden", 404: "not_found", 429: "rate_limited", 503: "busy"}


def _refusal(url: str, refused: InvalidHandshake) -> Exception:
    response = getattr(refused, "response", None)
    code = _REFUSALS.get(getattr(response, "status_code", 0))
    if code is None:
        return Unavailable(f"`{url}` does not speak WebSocket: {refused}")
    return fault(code, f"`{url}` refused the connection ({code})")


class ServerWebSocket:
    """The host's side of one accepted WebSocket, over ASGI messages."""

    binding = "ws@0.1"

    def __init__(
        self,
        receive: Receive,
        send: Send,
        peer: Peer,
        *,
        fail: Callable[[int, str], None] | None = None,
        send_now: Callable[[str], bool] | None = None,
        send_timeout: float = SEND_S,
        max_pending_bytes: int = 4 * MAX_MESSAGE_BYTES,
    ) -> None:
        self.peer = peer
        self._receive = receive
        self._send = send
        self._fail = fail
        self._send_now = send_now
        self._send_timeout = send_timeout
        self._max_pending = self._free_bytes = max_pending_bytes
        self._turn = asyncio.Lock()
        self._end: tuple[int, str] | None = None

    @property
    def closed(self) -> bool:
        return self._end is not None

    async def send(self, text: str) -> None:
        if (
            self._end is None
            and not self._turn.locked()
            and self._send_now is not None
            and self._send_now(text)
        ):
            return  # the peer reads fast enough
        # the queue for a peer that does not read is limited in bytes and in time
        if self._free_bytes < min(len(text), self._max_pending):  # a single message may always wait
            self._fail_overloaded("the peer reads too slowly; too many bytes are waiting")
        self._free_bytes -= len(text)
        try:
            async with self._turn:
                await self._write({"type": "websocket.send", "text": text})
        finally:
            self._free_bytes += len(text)

    async def _write(self, message: Message) -> None:
        if self._end is not None:
            raise closed_error(*self._end)
        try:
            async with asyncio.timeout(self._send_timeout):
                await self._send(message)
        except TimeoutError:
            self._fail_overloaded(f"the peer read nothing for {self._send_timeout:g} s")
        except (OSError, RuntimeError):  # ASGI servers raise these if the peer is gone
            self._end = self._end or (CLOSE_ABNORMAL, "the peer is gone")
            raise closed_error(*self._end) from None

    def _fail_overloaded(self, reason: str) -> None:
        if self._end is None:
            self._end = (CLOSE_OVERLOADED, reason)
            if self._fail is not None:
                self._fail(*self._end)
        raise closed_error(*self._end)

    async def receive(self) -> str:
        if self._end is not None:
            raise closed_error(*self._end)
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            code = message.get("code") or CLOSE_ABNORMAL
            # 1005 means that there was no close frame, which we report as 1006
            self._end = self._end or (CLOSE_ABNORMAL if code == 1005 else code, message.get("reason") or "")
            raise closed_error(*self._end)
        text = message.get("text")
        if text is None:
            await self.close(CLOSE_INVALID, BINARY_FRAME_MESSAGE)
            raise closed_error(CLOSE_INVALID, BINARY_FRAME_MESSAGE)
        return str(text)

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        if self._end is not None:
            return
        self._end = (code, reason)
        if self._fail is not None:  # it does not wait for a peer that does not read
            self._fail(code, _close_reason(reason))
            return
        try:
            async with asyncio.timeout(self._send_timeout):
                await self._send({"type": "websocket.close", "code": code, "reason": _close_reason(reason)})
        except (OSError, RuntimeError, TimeoutError):
            return


def _close_reason(reason: str) -> str:
    """Shorten a close reason to 123 bytes (RFC 6455 §5.5)."""
    return reason.encode()[:123].decode(errors="ignore")
