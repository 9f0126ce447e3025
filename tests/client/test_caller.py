"""The agent's end of a session: responses reach their calls, and no call waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from tests.support.host_loops import AGENT, make_host_loop
from uiap.client.caller import Caller
from uiap.errors import Busy, InvalidPayload, NotFound, RuntimeFault, Timeout, TransportClosed, Unauthorized
from uiap.spec.core import (
    CapabilitiesChangedPayload,
    CapabilitiesListedPayload,
    CapabilitiesListPayload,
    ErrorPayload,
    SessionPingPayload,
    SessionPongPayload,
)
from uiap.transports.memory import MemoryTransport, pair

SECONDS = 20.0


class Peer:
    """The other end of the connection, scripted by a test."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.transport = transport
        self._number = 0

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(SECONDS):
            message: dict[str, Any] = msgspec.json.decode(await self.transport.receive())
        return message

    async def send(self, kind: str, type: str, payload: Any, **members: Any) -> None:
        self._number += 1
        body = {
            "uiap": "0.1",
            "kind": kind,
            "type": type,
            "id": f"p{self._number}",
            "sessionId": "sess_1",
            "ts": "2026-03-26T14:00:00Z",
            "source": {"role": "bridge", "id": "peer"},
            "payload": payload,
            **members,
        }
        await self.transport.send(msgspec.json.encode(body).decode())


@asynccontextmanager
async def caller_and_peer() -> AsyncIterator[tuple[Caller, Peer]]:
    ours, theirs = pair()
    caller, peer = Caller(ours, AGENT), Peer(theirs)
    yield caller, peer
    await caller.close()


async def answer(call: asyncio.Task[Any], peer: Peer, type: str, payload: Any) -> Any:
    asked = await peer.receive()
    await peer.send("response", type, payload, correlationId=asked["id"])
    return await asyncio.wait_for(call, SECONDS)


def ping(caller: Caller, timeout: float = SECONDS) -> asyncio.Task[SessionPongPayload]:
    return asyncio.create_task(
        caller.call("session.ping", SessionPingPayload(), SessionPongPayload, timeout=timeout)
    )


async def test_answers_find_their_calls_in_any_order():
    async with caller_and_peer() as (caller, peer):
        first, second = ping(caller), ping(caller)
        asked = [(await peer.receive())["id"], (await peer.receive())["id"]]
        assert asked[0] != asked[1]
        for id in reversed(asked):
            await peer.send("response", "session.pong", {"nonce": id}, correlationId=id)
        assert [(await first).nonce, (await second).nonce] == asked


@pytest.mark.parametrize(
    ("code", "raised"),
    [("busy", Busy), ("not_found", NotFound), ("unauthorized", Unauthorized), ("stale_target", RuntimeFault)],
)
async def test_an_error_answer_is_raised_as_its_own_class(code, raised):
    async with caller_and_peer() as (caller, peer):
        with pytest.raises(raised) as caught:
            await answer(ping(caller), peer, "error", {"code": code, "message": "no", "detail": {"a": 1}})
    assert (caught.value.code, caught.value.message, caught.value.detail) == (code, "no", {"a": 1})


async def test_an_answer_with_an_invalid_payload_is_refused():
    async with caller_and_peer() as (caller, peer):
        with pytest.raises(InvalidPayload):
            await answer(ping(caller), peer, "session.pong", {"nonce": 7})
        with pytest.raises(InvalidPayload):
            await answer(ping(caller), peer, "error", {"code": 7})


async def test_no_answer_is_a_timeout_and_a_late_one_is_ignored():
    async with caller_and_peer() as (caller, peer):
        with pytest.raises(Timeout, match=r"`session.ping` was not answered within 0.01 s"):
            await ping(caller, timeout=0.01)
        late = await peer.receive()
        await peer.send("response", "session.pong", {}, correlationId=late["id"])
        assert await answer(ping(caller), peer, "session.pong", {"nonce": "fresh"}) == SessionPongPayload(
            nonce="fresh"
        )


async def test_a_lost_connection_ends_every_waiting_call():
    async with caller_and_peer() as (caller, peer):
        calls = [ping(caller) for _ in range(3)]
        await peer.receive()
        await peer.transport.close(1011, "broken")
        outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), SECONDS)
        assert [type(outcome) for outcome in outcomes] == [TransportClosed] * 3
        with pytest.raises(TransportClosed):
            await asyncio.wait_for(ping(caller), SECONDS)


async def test_closing_ends_every_waiting_call():
    async with caller_and_peer() as (caller, peer):
        call = ping(caller)
        await peer.receive()
        await caller.close()
        with pytest.raises(TransportClosed):
            await asyncio.wait_for(call, SECONDS)


async def test_the_heartbeat_of_the_peer_is_answered():
    async with caller_and_peer() as (_, peer):
        await peer.send("request", "session.ping", {}, id="beat")
        pong = await peer.receive()
        assert (pong["type"], pong["kind"], pong["correlationId"]) == (
            "session.pong",
            "response",
            "beat",
        )


async def test_invalid_text_from_the_peer_does_not_stop_the_reader():
    async with caller_and_peer() as (caller, peer):
        for garbage in ("", "{", "[1]", '{"uiap":"0.1"}', "null", '{"kind":"response"}'):
            await peer.transport.send(garbage)
        await peer.send("event", "x.vendor.news", {"anything": 1})
        await peer.send("response", "session.pong", {}, correlationId="not-a-request")
        assert await answer(ping(caller), peer, "session.pong", {}) == SessionPongPayload()


async def test_listeners_receive_valid_events_until_they_unsubscribe():
    async with caller_and_peer() as (caller, peer):
        received: list[str] = []
        unsubscribe = caller.listen("capabilities.changed", lambda message: received.append(message.revision))
        await peer.send("event", "capabilities.changed", {"revision": "r1"})
        await peer.send("event", "capabilities.changed", {"revision": 5})
        await answer(ping(caller), peer, "session.pong", {})
        unsubscribe()
        unsubscribe()
        await peer.send("event", "capabilities.changed", {"revision": "r2"})
        await answer(ping(caller), peer, "session.pong", {})
        assert received == ["r1"]


async def test_a_refused_handshake_closes_the_connection():
    ours, theirs = pair()
    opening = asyncio.create_task(Caller.open(ours, participant=AGENT))
    with pytest.raises(Unauthorized):
        await answer(opening, Peer(theirs), "error", {"code": "unauthorized", "message": "who are you"})
    assert ours.closed


async def test_a_session_uses_the_negotiated_version_and_session_id():
    ours, theirs = pair()
    host = make_host_loop()
    serving = asyncio.create_task(host.accept(theirs))
    async with await Caller.open(ours, participant=AGENT, profiles=("web@0.1",)) as caller:
        assert caller.session is not None
        (connection,) = host.connections.values()
        assert caller.session.session_id == connection.id
        listed = await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert listed.document is not msgspec.UNSET
        received: asyncio.Queue[CapabilitiesChangedPayload] = asyncio.Queue()
        caller.listen("capabilities.changed", received.put_nowait)
        connection.publish("capabilities.changed", CapabilitiesChangedPayload(revision="r9"))
        assert (await asyncio.wait_for(received.get(), SECONDS)).revision == "r9"
        errors: asyncio.Queue[ErrorPayload] = asyncio.Queue()
        caller.listen("error", errors.put_nowait)
        await caller.transport.send("junk")
        assert (await asyncio.wait_for(errors.get(), SECONDS)).code == "invalid_envelope"
    await asyncio.wait_for(serving, SECONDS)
    assert host.connections == {}
    await host.close()
