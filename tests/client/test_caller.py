"""The agent's end: answers find their calls, and nothing waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from tests.support.halls import AGENT, hall
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
    """The other end by hand: says exactly what a test wants said."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.transport = transport
        self._number = 0

    async def heard(self) -> dict[str, Any]:
        async with asyncio.timeout(SECONDS):
            said: dict[str, Any] = msgspec.json.decode(await self.transport.receive())
        return said

    async def say(self, kind: str, type: str, payload: Any, **members: Any) -> None:
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
async def introduced() -> AsyncIterator[tuple[Caller, Peer]]:
    ours, theirs = pair()
    caller, peer = Caller(ours, AGENT), Peer(theirs)
    yield caller, peer
    await caller.close()


async def answered(call: asyncio.Task[Any], peer: Peer, type: str, payload: Any) -> Any:
    asked = await peer.heard()
    await peer.say("response", type, payload, correlationId=asked["id"])
    return await asyncio.wait_for(call, SECONDS)


def ping(caller: Caller, timeout: float = SECONDS) -> asyncio.Task[SessionPongPayload]:
    return asyncio.create_task(
        caller.call("session.ping", SessionPingPayload(), SessionPongPayload, timeout=timeout)
    )


async def test_answers_find_their_calls_in_any_order():
    async with introduced() as (caller, peer):
        first, second = ping(caller), ping(caller)
        asked = [(await peer.heard())["id"], (await peer.heard())["id"]]
        assert asked[0] != asked[1]
        for id in reversed(asked):
            await peer.say("response", "session.pong", {"nonce": id}, correlationId=id)
        assert [(await first).nonce, (await second).nonce] == asked


@pytest.mark.parametrize(
    ("code", "raised"),
    [("busy", Busy), ("not_found", NotFound), ("unauthorized", Unauthorized), ("stale_target", RuntimeFault)],
)
async def test_an_error_answer_is_raised_as_its_own_class(code, raised):
    async with introduced() as (caller, peer):
        with pytest.raises(raised) as caught:
            await answered(ping(caller), peer, "error", {"code": code, "message": "no", "detail": {"a": 1}})
    assert (caught.value.code, caught.value.message, caught.value.detail) == (code, "no", {"a": 1})


async def test_an_answer_that_is_not_what_was_asked_for_is_refused():
    async with introduced() as (caller, peer):
        with pytest.raises(InvalidPayload):
            await answered(ping(caller), peer, "session.pong", {"nonce": 7})
        with pytest.raises(InvalidPayload):
            await answered(ping(caller), peer, "error", {"code": 7})


async def test_no_answer_is_a_timeout_and_a_late_one_is_ignored():
    async with introduced() as (caller, peer):
        with pytest.raises(Timeout, match=r"`session.ping` was not answered within 0.01 s"):
            await ping(caller, timeout=0.01)
        late = await peer.heard()
        await peer.say("response", "session.pong", {}, correlationId=late["id"])
        assert await answered(ping(caller), peer, "session.pong", {"nonce": "fresh"}) == SessionPongPayload(
            nonce="fresh"
        )


async def test_a_peer_that_goes_away_ends_every_waiting_call():
    async with introduced() as (caller, peer):
        calls = [ping(caller) for _ in range(3)]
        await peer.heard()
        await peer.transport.close(1011, "broken")
        outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), SECONDS)
        assert [type(outcome) for outcome in outcomes] == [TransportClosed] * 3
        with pytest.raises(TransportClosed):
            await asyncio.wait_for(ping(caller), SECONDS)


async def test_closing_ends_every_waiting_call():
    async with introduced() as (caller, peer):
        call = ping(caller)
        await peer.heard()
        await caller.close()
        with pytest.raises(TransportClosed):
            await asyncio.wait_for(call, SECONDS)


async def test_the_heartbeat_of_the_peer_is_answered():
    async with introduced() as (_, peer):
        await peer.say("request", "session.ping", {}, id="beat")
        answer = await peer.heard()
        assert (answer["type"], answer["kind"], answer["correlationId"]) == (
            "session.pong",
            "response",
            "beat",
        )


async def test_garbage_from_the_peer_does_not_stop_the_reader():
    async with introduced() as (caller, peer):
        for garbage in ("", "{", "[1]", '{"uiap":"0.1"}', "null", '{"kind":"response"}'):
            await peer.transport.send(garbage)
        await peer.say("event", "x.vendor.news", {"anything": 1})
        await peer.say("response", "session.pong", {}, correlationId="nobody asked")
        assert await answered(ping(caller), peer, "session.pong", {}) == SessionPongPayload()


async def test_listeners_hear_valid_events_until_they_leave():
    async with introduced() as (caller, peer):
        heard: list[str] = []
        leave = caller.listen("capabilities.changed", lambda said: heard.append(said.revision))
        await peer.say("event", "capabilities.changed", {"revision": "r1"})
        await peer.say("event", "capabilities.changed", {"revision": 5})
        await answered(ping(caller), peer, "session.pong", {})
        leave()
        leave()
        await peer.say("event", "capabilities.changed", {"revision": "r2"})
        await answered(ping(caller), peer, "session.pong", {})
        assert heard == ["r1"]


async def test_a_refused_handshake_leaves_no_connection():
    ours, theirs = pair()
    opening = asyncio.create_task(Caller.open(ours, participant=AGENT))
    with pytest.raises(Unauthorized):
        await answered(opening, Peer(theirs), "error", {"code": "unauthorized", "message": "who are you"})
    assert ours.closed


async def test_a_session_speaks_the_version_and_session_id_it_was_given():
    ours, theirs = pair()
    house = hall()
    serving = asyncio.create_task(house.accept(theirs))
    async with await Caller.open(ours, participant=AGENT, profiles=("web@0.1",)) as caller:
        assert caller.session is not None
        (seat,) = house.seats.values()
        assert caller.session.session_id == seat.id
        listed = await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert listed.document is not msgspec.UNSET
        heard: asyncio.Queue[CapabilitiesChangedPayload] = asyncio.Queue()
        caller.listen("capabilities.changed", heard.put_nowait)
        seat.publish("capabilities.changed", CapabilitiesChangedPayload(revision="r9"))
        assert (await asyncio.wait_for(heard.get(), SECONDS)).revision == "r9"
        errors: asyncio.Queue[ErrorPayload] = asyncio.Queue()
        caller.listen("error", errors.put_nowait)
        await caller.transport.send("junk")
        assert (await asyncio.wait_for(errors.get(), SECONDS)).code == "invalid_envelope"
    await asyncio.wait_for(serving, SECONDS)
    assert house.seats == {}
    await house.close()
