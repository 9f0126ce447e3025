"""Chrome DevTools Protocol (CDP) sessions: calls, events, and a typed error for every call that cannot complete.

Receives one JSON text per `feed`. Pipes and sockets are in `wires.py`; callers interpret methods and events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import msgspec

from uiap.drivers.errors import CallFailed, CallTimedOut, ConnectionLost, DriverError, TargetGone

DEFAULT_TIMEOUT_S = 10.0

EventCallback = Callable[[dict[str, Any]], None]
CloseCallback = Callable[[DriverError], None]


class CdpWire(Protocol):
    """The transport for outgoing messages."""

    def write(self, message: bytes) -> None: ...

    def close(self) -> None: ...


class _CdpError(msgspec.Struct):
    code: int = 0
    message: str = ""


class _CdpMessage(msgspec.Struct):
    """One incoming message; `result` and `params` are decoded only if somebody needs them."""

    id: int | None = None
    method: str | None = None
    session_id: str = msgspec.field(default="", name="sessionId")
    result: msgspec.Raw = msgspec.Raw(b"{}")
    params: msgspec.Raw = msgspec.Raw(b"{}")
    error: _CdpError | None = None


_decode_message = msgspec.json.Decoder(_CdpMessage).decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


class _PendingCall(NamedTuple):
    method: str
    reply: asyncio.Future[dict[str, Any]]
    then: EventCallback | None


class CdpSession:
    """One flat CDP session: the browser itself (empty id), a tab, or an out-of-process frame."""

    def __init__(self, connection: CdpConnection, session_id: str) -> None:
        self.id = session_id
        self.ended: DriverError | None = None
        self._connection = connection
        self._pending: dict[int, _PendingCall] = {}
        self._listeners: dict[str, list[EventCallback]] = {}
        self._on_end: list[CloseCallback] = []

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout: float = DEFAULT_TIMEOUT_S
    ) -> dict[str, Any]:
        """Call `method` and return its result; wait at most `timeout` seconds."""
        reply = self.post(method, params)
        try:
            async with asyncio.timeout(timeout):
                return await reply
        except TimeoutError:
            raise CallTimedOut(method, timeout) from None
        finally:
            reply.cancel()

    def post(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        then: EventCallback | None = None,
    ) -> asyncio.Future[dict[str, Any]]:
        """Write the call now and return the future of its result; cancelling it discards the result.

        `then` is called with a successful result in the order of arrival, before any later event.
        """
        reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        # Without this, asyncio warns about an error of a call whose result nobody awaits.
        reply.add_done_callback(_retrieve_exception)
        if self.ended is not None:
            reply.set_exception(self.ended)
            return reply
        call_id = self._connection.write(method, params, self.id)
        self._pending[call_id] = _PendingCall(method, reply, then)
        reply.add_done_callback(lambda _: self._pending.pop(call_id, None))
        return reply

    def send_and_forget(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Call `method` and ignore its result and its errors."""
        self.post(method, params)

    def on(self, event: str, callback: EventCallback) -> Callable[[], None]:
        """Call `callback(params)` for every `event`; return a function that unsubscribes."""
        callbacks = self._listeners.setdefault(event, [])
        callbacks.append(callback)

        def stop() -> None:
            if callback in callbacks:
                callbacks.remove(callback)

        return stop

    def sibling(self, session_id: str) -> CdpSession:
        """Return another session of the same connection."""
        return self._connection.session(session_id)

    def on_end(self, callback: CloseCallback) -> None:
        """Call `callback(reason)` once when this session ends, or now if it has ended."""
        if self.ended is not None:
            callback(self.ended)
        else:
            self._on_end.append(callback)

    def end(self, reason: DriverError) -> None:
        """Fail all pending calls; later calls fail with the same reason."""
        if self.ended is not None:
            return
        self.ended = reason
        self.fail_pending(reason)
        callbacks, self._on_end = self._on_end, []
        for callback in callbacks:
            callback(reason)

    def fail_pending(self, reason: DriverError) -> None:
        for call in list(self._pending.values()):
            if not call.reply.done():
                call.reply.set_exception(reason)

    def _resolve(self, message: _CdpMessage) -> None:
        call = self._pending.get(message.id or 0)
        if call is None or call.reply.done():
            return
        if message.error is not None:
            call.reply.set_exception(CallFailed(call.method, message.error.code, message.error.message))
            return
        result = _decode_object(message.result)
        call.reply.set_result(result)
        if call.then is not None:
            call.then(result)

    def _dispatch_event(self, method: str, params: msgspec.Raw) -> None:
        callbacks = self._listeners.get(method)
        if callbacks:
            decoded = _decode_object(params)
            for callback in list(callbacks):
                try:
                    callback(decoded)
                except Exception as error:  # a broken listener must not end the browser's connection
                    asyncio.get_running_loop().call_exception_handler(
                        {"message": f"a listener of `{method}` failed", "exception": error}
                    )


class CdpConnection:
    """All sessions of one browser over one wire."""

    def __init__(self) -> None:
        self.browser = CdpSession(self, "")
        self._sessions: dict[str, CdpSession] = {"": self.browser}
        self._wire: CdpWire | None = None
        self._last_id = 0
        self._children: dict[str, list[str]] = {}
        self._watch_attachments(self.browser)

    def use(self, wire: CdpWire) -> None:
        self._wire = wire

    def session(self, session_id: str) -> CdpSession:
        """Return the session with that id; create it if needed."""
        if session_id not in self._sessions:
            self._watch_attachments(self._sessions.setdefault(session_id, CdpSession(self, session_id)))
        return self._sessions[session_id]

    def write(self, method: str, params: Mapping[str, Any] | None, session_id: str) -> int:
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method}
        if params:
            message["params"] = params
        if session_id:
            message["sessionId"] = session_id
        if self._wire is not None:
            self._wire.write(_encode(message))
        return self._last_id

    def feed(self, text: bytes | str) -> None:
        """Handle one incoming message."""
        message = _decode_message(text)
        session = self._sessions.get(message.session_id)
        if session is None:
            return  # a late message of a session that has already ended
        if message.id is not None:
            session._resolve(message)
        elif message.method is not None:
            session._dispatch_event(message.method, message.params)

    def lost(self, reason: str = "the browser has ended") -> None:
        """Fail all calls of all sessions after the wire ended; the browser's own session comes last."""
        error = ConnectionLost(reason)
        for session in reversed(list(self._sessions.values())):
            session.end(error)

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self.lost("the connection was closed")

    def _watch_attachments(self, session: CdpSession) -> None:
        session.on("Target.attachedToTarget", lambda params: self._on_attached(session, params["sessionId"]))
        session.on("Target.detachedFromTarget", lambda params: self._on_detached(params["sessionId"]))

    def _on_attached(self, parent: CdpSession, session_id: str) -> None:
        self._children.setdefault(parent.id, []).append(session_id)
        self.session(session_id)

    def _on_detached(self, session_id: str) -> None:
        """End the session of a tab together with those of its frames; the browser may not report these."""
        for child in self._children.pop(session_id, []):
            self._on_detached(child)
        for siblings in self._children.values():
            if session_id in siblings:
                siblings.remove(session_id)
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.end(TargetGone("the tab or frame is gone; observe again"))


def _retrieve_exception(reply: asyncio.Future[dict[str, Any]]) -> None:
    if not reply.cancelled():
        reply.exception()
