"""A session behaves the same over every transport."""

from __future__ import annotations

import asyncio

import pytest

from tests.interaction.conftest import HostUnderTest
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

TIMEOUT_S = 10.0


async def test_a_new_caller_initializes_and_reads_the_capabilities(host: HostUnderTest):
    async with await host.open_caller() as caller:
        assert caller.session is not None
        assert caller.session.selected_profiles == ("web@0.1",)
        listed = await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert listed.document == DOCUMENT
        known = CapabilitiesListPayload(known_revision=listed.revision)
        again = await caller.call("capabilities.list", known, CapabilitiesListedPayload)
        assert again.unchanged is True


async def test_refusals_are_raised_as_their_own_error_class(host: HostUnderTest):
    with pytest.raises(UnsupportedProfile):
        await host.open_caller(profiles=("tv@0.1",))
    offer = ExtensionOffer(id="x.none", versions=("0.1",), required=True)
    with pytest.raises(RequiredExtensionUnavailable) as refused:
        await host.open_caller(extensions=(offer,))
    assert refused.value.detail["extensions"] == ["x.none"]
    async with await host.open_caller() as caller:
        with pytest.raises(NotFound):
            await caller.call(
                "capabilities.list", CapabilitiesListPayload(profile="tv@0.1"), CapabilitiesListedPayload
            )
        with pytest.raises(UnsupportedType):
            await caller.call("uiap.workflow.list", WorkflowListPayload(), WorkflowListedPayload)
        with pytest.raises(InvalidPayload) as invalid:
            await caller.call("session.terminate", SessionPingPayload(), SessionPongPayload)
        assert invalid.value.detail["path"] == "/payload/reason"


async def test_a_failing_handler_reveals_no_internal_details(host: HostUnderTest):
    extension = ExtensionOffer(id="uiap.policy", versions=("0.1",))
    async with await host.open_caller(extensions=(extension,)) as caller:
        with pytest.raises(InternalError) as broken:
            await caller.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)
        assert "secret" not in str(broken.value)


async def test_concurrent_calls_each_get_their_own_answer(host: HostUnderTest):
    async with await host.open_caller() as caller:
        nonces = [f"n{i}" for i in range(20)]
        calls = [caller.call("session.ping", SessionPingPayload(nonce=n), SessionPongPayload) for n in nonces]
        assert [pong.nonce for pong in await asyncio.gather(*calls)] == nonces


async def test_sessions_do_not_receive_events_of_others(host: HostUnderTest):
    async with await host.open_caller() as one, await host.open_caller() as two:
        received: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        one.listen("capabilities.changed", lambda p: received.put_nowait(("one", p.revision)))
        two.listen("capabilities.changed", lambda p: received.put_nowait(("two", p.revision)))
        assert one.session is not None and two.session is not None
        connections = host.host_loop.connections
        connections[two.session.session_id].publish(
            "capabilities.changed", CapabilitiesChangedPayload(revision="r2")
        )
        connections[one.session.session_id].publish(
            "capabilities.changed", CapabilitiesChangedPayload(revision="r1")
        )
        async with asyncio.timeout(TIMEOUT_S):
            assert {await received.get(), await received.get()} == {("one", "r1"), ("two", "r2")}
        assert received.empty()


async def test_a_terminated_session_is_removed(host: HostUnderTest):
    caller = await host.open_caller()
    assert len(host.host_loop.connections) == 1
    await caller.terminate()
    assert host.host_loop.connections == {}


async def test_a_resumed_session_receives_missed_events(host: HostUnderTest):
    if host.binding == "http":
        pytest.skip("HTTP resumes its event stream by Last-Event-ID (tests/transports)")
    caller = await host.open_caller()
    assert caller.session is not None
    id = caller.session.session_id
    connection = host.host_loop.connections[id]
    await caller.close()
    await _until(lambda: connection.session.state == "suspended")
    connection.publish("capabilities.changed", CapabilitiesChangedPayload(revision="while-away"))
    transport = await host.connect()
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
    async with asyncio.timeout(TIMEOUT_S):
        assert await missed.get() == "while-away"
    await again.terminate()
    assert host.host_loop.connections == {}


async def test_a_session_that_is_not_suspended_cannot_be_resumed(host: HostUnderTest):
    async with await host.open_caller() as caller:
        assert caller.session is not None
        with pytest.raises(SessionNotFound):
            await host.open_caller(resume=SessionResume(session_id=caller.session.session_id))
        with pytest.raises(SessionNotFound):
            await host.open_caller(resume=SessionResume(session_id="sess_guess"))


async def _until(condition) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while not condition():
            await asyncio.sleep(0)
