"""The agent's end of one session: requests that wait for their response, and events passed to listeners.

It handles envelopes and correlation ids. The meaning of the messages is left to its callers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from uiap.client.clock import now
from uiap.errors import Timeout as TimedOut
from uiap.errors import TransportClosed, fault
from uiap.ids import IdMaker, new_seed
from uiap.protocol import codec
from uiap.protocol.refusal import Refusal
from uiap.spec.base import Struct
from uiap.spec.core import (
    Envelope,
    ErrorPayload,
    ExtensionOffer,
    ParticipantInfo,
    ParticipantRef,
    SessionAuth,
    SessionInitializedPayload,
    SessionInitializePayload,
    SessionPongPayload,
    SessionResume,
    SessionTerminatePayload,
)
from uiap.spec.messages import MESSAGES
from uiap.spec.policy import PolicyPrincipal
from uiap.timeouts import REPLY_S
from uiap.transports.transport import Transport

S = TypeVar("S", bound=Struct)
Listener = Callable[[Any], None]
VERSIONS = ("0.1",)


class Caller:
    """One session over one transport. Create it with `open`; close it, or use it in `async with`."""

    def __init__(self, transport: Transport, participant: ParticipantInfo) -> None:
        self.transport = transport
        self.participant = participant
        self.session: SessionInitializedPayload | None = None
        self.last_message_id: str | None = None
        self._ids = IdMaker(new_seed())
        self._prefix = new_seed()[:8]
        self._responses: dict[str, asyncio.Future[tuple[str, codec.Inbound]]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._reader = asyncio.create_task(self._read(), name="uiap-caller")

    @classmethod
    async def open(cls, transport: Transport, *, participant: ParticipantInfo, **terms: Any) -> Caller:
        """Open a session over this transport; `terms` are the arguments of `initialize`."""
        caller = cls(transport, participant)
        try:
            await caller.initialize(**terms)
        except BaseException:
            await caller.close()
            raise
        return caller

    async def initialize(
        self,
        *,
        profiles: tuple[str, ...] = (),
        extensions: tuple[ExtensionOffer, ...] = (),
        principal: PolicyPrincipal | None = None,
        token: str | None = None,
        resume: SessionResume | None = None,
        metadata: dict[str, Any] | None = None,
        timeout: float = 15.0,
    ) -> None:
        """Open or resume a session; raise the error if the host refuses."""
        payload = SessionInitializePayload(
            supported_versions=VERSIONS,
            supported_profiles=profiles,
            supported_extensions=extensions or UNSET,
            participant=self.participant,
            principal=principal or UNSET,
            auth=SessionAuth(scheme="bearer", token=token) if token else UNSET,
            resume=resume or UNSET,
            metadata=metadata or UNSET,
        )
        self.session = await self.call(
            "session.initialize", payload, SessionInitializedPayload, timeout=timeout
        )

    async def __aenter__(self) -> Caller:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.terminate()

    # -- calls ----------------------------------------------------------------------------------------------

    async def call(
        self, type: str, payload: msgspec.Struct, reply: type[S], *, timeout: float = REPLY_S
    ) -> S:
        """Send a request and return its response; raise an `error` response."""
        id = self._next_id()
        response: asyncio.Future[tuple[str, codec.Inbound]] = asyncio.get_running_loop().create_future()
        self._responses[id] = response
        try:
            await self._send("request", type, payload, id)
            async with asyncio.timeout(timeout):
                response_type, inbound = await response
        except TimeoutError:
            raise TimedOut(f"`{type}` was not answered within {timeout:g} s") from None
        finally:
            self._responses.pop(id, None)
        if response_type == "error":
            raise _error_of(inbound)
        return _decode_reply(inbound, reply)

    async def send(
        self, type: str, payload: msgspec.Struct, *, kind: str = "event", correlation_id: str | None = None
    ) -> None:
        """Send a message that gets no response."""
        await self._send(kind, type, payload, self._next_id(), correlation_id)

    def listen(self, type: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every event of this type; the returned function stops that."""
        listeners = self._listeners.setdefault(type, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    async def terminate(self) -> None:
        """End the session with `session.terminate`, then close the transport."""
        with suppress(TransportClosed, TimedOut):
            if self.session is not None and not self.transport.closed:
                spec = MESSAGES["session.terminated"].payload
                payload = SessionTerminatePayload(reason="completed")
                await self.call("session.terminate", payload, spec, timeout=5.0)
        await self.close()

    async def close(self) -> None:
        """Close the connection without ending the session, so that it can be resumed."""
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader
        await self.transport.close()

    # -- the wire -------------------------------------------------------------------------------------------

    def _next_id(self) -> str:
        return self._ids.next(f"msg_{self._prefix}")

    async def _send(
        self, kind: Any, type: str, payload: msgspec.Struct, id: str, correlation_id: str | None = None
    ) -> None:
        envelope = Envelope(
            uiap=self.session.selected_version if self.session else VERSIONS[-1],
            kind=kind,
            type=type,
            id=id,
            correlation_id=correlation_id or UNSET,
            session_id=self.session.session_id if self.session else UNSET,
            ts=now(),
            source=ParticipantRef(role=self.participant.role, id=self.participant.id),
            payload=msgspec.to_builtins(payload),
        )
        await self.transport.send(codec.write(envelope))

    async def _read(self) -> None:
        error: BaseException = TransportClosed()
        try:
            while True:
                text = await self.transport.receive()
                inbound = codec.read_envelope(text if isinstance(text, str) else "", VERSIONS)
                if isinstance(inbound, codec.Inbound):
                    await self._dispatch(inbound)
        except TransportClosed as closed:
            error = closed
        finally:
            for response in self._responses.values():
                if not response.done():
                    response.set_exception(error)

    async def _dispatch(self, inbound: codec.Inbound) -> None:
        self.last_message_id = inbound.id
        if inbound.kind == "response":
            response = self._responses.get(str(inbound.correlation_id))
            if response is not None and not response.done():
                response.set_result((inbound.type, inbound))
        elif inbound.type == "session.ping":
            await self.send("session.pong", SessionPongPayload(), kind="response", correlation_id=inbound.id)
        else:
            self._notify_listeners(inbound)

    def _notify_listeners(self, inbound: codec.Inbound) -> None:
        spec = MESSAGES.get(inbound.type)
        listeners = self._listeners.get(inbound.type)
        if spec is None or not listeners:
            return
        payload = codec.read_payload(inbound, spec.payload)
        if not isinstance(payload, Refusal):
            for listener in list(listeners):
                listener(payload)


def _decode_reply(inbound: codec.Inbound, reply: type[S]) -> S:
    payload = codec.read_payload(inbound, reply)
    if isinstance(payload, Refusal):
        raise fault("invalid_payload", payload.message, detail={"path": payload.path})
    return payload


def _error_of(inbound: codec.Inbound) -> Exception:
    payload = codec.read_payload(inbound, ErrorPayload)
    if isinstance(payload, Refusal):
        return fault("invalid_payload", payload.message)
    return fault(payload.code, payload.message, detail=None if payload.detail is UNSET else payload.detail)
