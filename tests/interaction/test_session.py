"""A session over every transport: what holds over one holds over all."""

from __future__ import annotations

import asyncio

import pytest

from tests.interaction.conftest import House
from tests.support.host_loops import DOCUMENT
from uiap.errors import (
    InternalError,
    InvalidPayload,
    NotFound,
    RequiredExtensionUnavailable,
    SessionNotFound,
    UnsupportedProfile,
    UnsupportedType,
)
from uiap.spec.core import (
    CapabilitiesChangedPayload,
    CapabilitiesListedPayload,
    CapabilitiesListPayload,
    ExtensionOffer,
    SessionPingPayload,
    SessionPongPayload,
    SessionResume,
)
from uiap.spec.policy import PolicyDocumentPayload, PolicyGetPayload
from uiap.spec.workflow import WorkflowListedPayload, WorkflowListPayload

BOUND = 10.0


async def test_a_newcomer_shakes_hands_and_reads_the_capabilities(house: House):
    async with await house.enter() as caller:
        assert caller.session is not None
        assert caller.session.selected_profiles == ("web@0.1",)
        listed = await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert listed.document == DOCUMENT
        known = CapabilitiesListPayload(known_revision=listed.revision)
        again = await caller.call("capabilities.list", known, CapabilitiesListedPayload)
        assert again.unchanged is True


async def test_refusals_reach_the_caller_as_the_error_they_are(house: House):
    with pytest.raises(UnsupportedProfile):
        await house.enter(profiles=("tv@0.1",))
    offer = ExtensionOffer(id="x.none", versions=("0.1",), required=True)
    with pytest.raises(RequiredExtensionUnavailable) as refused:
        await house.enter(extensions=(offer,))
    assert refused.value.detail["extensions"] == ["x.none"]
    async with await house.enter() as caller:
        with pytest.raises(NotFound):
            await caller.call(
                "capabilities.list", CapabilitiesListPayload(profile="tv@0.1"), CapabilitiesListedPayload
            )
        with pytest.raises(UnsupportedType):
            await caller.call("uiap.workflow.list", WorkflowListPayload(), WorkflowListedPayload)
        with pytest.raises(InvalidPayload) as invalid:
            await caller.call("session.terminate", SessionPingPayload(), SessionPongPayload)
        assert invalid.value.detail["path"] == "/payload/reason"


async def test_a_handler_that_breaks_tells_nothing_of_itself(house: House):
    extension = ExtensionOffer(id="uiap.policy", versions=("0.1",))
    async with await house.enter(extensions=(extension,)) as caller:
        with pytest.raises(InternalError) as broken:
            await caller.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)
        assert "secret" not in str(broken.value)


async def test_many_calls_at_once_each_get_their_own_answer(house: House):
    async with await house.enter() as caller:
        nonces = [f"n{i}" for i in range(20)]
        calls = [caller.call("session.ping", SessionPingPayload(nonce=n), SessionPongPayload) for n in nonces]
        assert [pong.nonce for pong in await asyncio.gather(*calls)] == nonces


async def test_sessions_do_not_hear_each_other(house: House):
    async with await house.enter() as one, await house.enter() as two:
        heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        one.listen("capabilities.changed", lambda p: heard.put_nowait(("one", p.revision)))
        two.listen("capabilities.changed", lambda p: heard.put_nowait(("two", p.revision)))
        assert one.session is not None and two.session is not None
        seats = house.host_loop.connections
        seats[two.session.session_id].publish(
            "capabilities.changed", CapabilitiesChangedPayload(revision="r2")
        )
        seats[one.session.session_id].publish(
            "capabilities.changed", CapabilitiesChangedPayload(revision="r1")
        )
        async with asyncio.timeout(BOUND):
            assert {await heard.get(), await heard.get()} == {("one", "r1"), ("two", "r2")}
        assert heard.empty()


async def test_a_terminated_session_leaves_nothing_behind(house: House):
    caller = await house.enter()
    assert len(house.host_loop.connections) == 1
    await caller.terminate()
    assert house.host_loop.connections == {}


async def test_a_lost_connection_is_resumed_and_misses_nothing(house: House):
    if house.binding == "http":
        pytest.skip("HTTP resumes its event stream by Last-Event-ID (tests/transports)")
    caller = await house.enter()
    assert caller.session is not None
    id = caller.session.session_id
    connection = house.host_loop.connections[id]
    await caller.close()
    await _until(lambda: connection.session.state == "suspended")
    connection.publish("capabilities.changed", CapabilitiesChangedPayload(revision="while-away"))
    transport = await house.connect()
    from tests.support.host_loops import AGENT
    from uiap.client.caller import Caller

    resume = SessionResume(session_id=id, last_message_id=caller.last_message_id or "")
    missed: asyncio.Queue[str] = asyncio.Queue()
    again = Caller(transport, AGENT)
    again.listen("capabilities.changed", lambda p: missed.put_nowait(p.revision))
    await again.initialize(profiles=("web@0.1",), resume=resume)
    assert again.session is not None
    assert again.session.resumed is True
    assert again.session.session_id == id
    async with asyncio.timeout(BOUND):
        assert await missed.get() == "while-away"
    await again.terminate()
    assert house.host_loop.connections == {}


async def test_a_session_that_is_not_waiting_cannot_be_resumed(house: House):
    async with await house.enter() as caller:
        assert caller.session is not None
        with pytest.raises(SessionNotFound):
            await house.enter(resume=SessionResume(session_id=caller.session.session_id))
        with pytest.raises(SessionNotFound):
            await house.enter(resume=SessionResume(session_id="sess_guess"))


async def _until(condition) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():
            await asyncio.sleep(0)
