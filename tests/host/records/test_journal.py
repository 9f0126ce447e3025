"""The journal of a real host loop: it replays exactly, reveals changes, and holds no credential."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text, update

from tests.support.host_loops import AGENT, make_host_loop
from uiap.client.caller import Caller
from uiap.errors import InvalidPayload, UiapError, UnsupportedType
from uiap.host.clock import FakeClock
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.loop.loop import HostLoop
from uiap.host.records import tables
from uiap.host.records.journal import Journal, digest, replay
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.protocol import commands as do
from uiap.spec.action import ActionAcceptedPayload, ActionRequestPayload
from uiap.spec.core import (
    CapabilitiesChangedPayload,
    CapabilitiesListedPayload,
    CapabilitiesListPayload,
    SessionPingPayload,
    SessionPongPayload,
    SessionResume,
)
from uiap.spec.workflow import WorkflowListedPayload, WorkflowListPayload
from uiap.transports.memory import pair

SECONDS = 20.0
TOKEN = "tok_hunter2_3f9c1b"


def accept_action(call: Call) -> Outcome:
    accepted = ActionAcceptedPayload(
        action_handle="act_1", action_id=call.payload.action_id, status="accepted"
    )
    return Reply("action.accepted", accepted)


@asynccontextmanager
async def journalled(store: Store, clock: FakeClock | None = None) -> AsyncIterator[HostLoop]:
    """Yield a host loop that journals into the store; after the block everything is on disk."""
    clock = clock or FakeClock()
    writer = Writer(store, lambda: clock.now().wall)
    built = make_host_loop(journal=Journal(writer), clock=clock, handlers={"action.request": accept_action})
    try:
        yield built
    finally:
        await built.close()
        writer.close()


@asynccontextmanager
async def visit(house: HostLoop, **terms: Any) -> AsyncIterator[Caller]:
    ours, theirs = pair()
    serving = asyncio.create_task(house.accept(theirs))
    caller = Caller(ours, AGENT)
    try:
        await caller.initialize(**{"profiles": ("web@0.1",), **terms})
        yield caller
    finally:
        await caller.close()
        await asyncio.wait_for(serving, SECONDS)


async def lively_session(house: HostLoop) -> str:
    """A bit of everything a session can do; its id."""
    async with visit(house) as caller:
        assert caller.session is not None
        id = caller.session.session_id
        await caller.call("session.ping", SessionPingPayload(nonce="n"), SessionPongPayload)
        listed = await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        known = CapabilitiesListPayload(known_revision=listed.revision)
        await caller.call("capabilities.list", known, CapabilitiesListedPayload)
        with pytest.raises(InvalidPayload):
            await caller.call("session.terminate", SessionPingPayload(), SessionPongPayload)
        with pytest.raises(UnsupportedType):
            await caller.call("uiap.workflow.list", WorkflowListPayload(), WorkflowListedPayload)
        await caller.transport.send("this is not JSON")
        asked = ActionRequestPayload(
            action_id="ui.activate", args={"huge": 10**40, "tiny": 1e-9, "list": [None]}
        )
        await caller.call("action.request", asked, ActionAcceptedPayload)
        house.connections[id].publish("capabilities.changed", CapabilitiesChangedPayload(revision="r2"))
        house.clock.advance(31)  # type: ignore[attr-defined]
        await caller.call("session.ping", SessionPingPayload(), SessionPongPayload)
    resume = SessionResume(session_id=id, last_message_id=caller.last_message_id or "")
    async with visit(house, resume=resume) as again:
        assert again.session is not None and again.session.resumed is True
        await again.terminate()
    return id


async def test_a_session_replays_without_divergence(store: Store):
    async with journalled(store) as house:
        ids = {await lively_session(house) for _ in range(3)}
    replayed = list(replay(store))
    assert ids <= {one.machine for one in replayed}
    assert [(one.diverged, one.gap) for one in replayed] == [(None, None)] * len(replayed)
    assert all(one.steps >= 12 for one in replayed if one.machine in ids)
    (one,) = replay(store, min(ids))
    assert one.machine == min(ids)
    assert store.lost_count() == 0


async def test_a_changed_event_makes_replay_name_the_machine_and_the_step(store: Store):
    async with journalled(store) as house:
        id = await lively_session(house)
        await lively_session(house)
    rows = {row["step"]: row for row in store.journal(id)}
    for step, row in rows.items():
        if step == 0 or b"nonce" not in row["event"]:
            continue
        change(store, id, step, row["event"].replace(b'"nonce":"n"', b'"nonce":"x"'))
        break
    found = {one.machine: one.diverged for one in replay(store)}
    assert found.pop(id) == step
    assert set(found.values()) == {None}


@pytest.mark.parametrize("step", [0, 1, 5])
async def test_an_unreadable_event_is_reported_too(store: Store, step: int):
    async with journalled(store) as house:
        id = await lively_session(house)
    change(store, id, step, b"\xc1 torn")
    (one,) = replay(store, id)
    assert (one.machine, one.diverged) == (id, step)


async def test_a_flipped_byte_in_an_opening_record_causes_no_crash(store: Store):
    async with journalled(store) as house:
        id = await lively_session(house)
    opening = next(iter(store.journal(id)))["event"]
    for at in range(0, len(opening), 7):
        change(store, id, 0, opening[:at] + bytes([opening[at] ^ 0x55]) + opening[at + 1 :])
        assert len(list(replay(store, id))) == 1


async def test_after_a_gap_replay_does_not_claim_a_divergence(store: Store):
    async with journalled(store) as house:
        id = await lively_session(house)
    with store._engine.begin() as connection:
        connection.execute(tables.journal.delete().where(tables.journal.c.step == 4))
    (one,) = replay(store, id)
    assert (one.diverged, one.gap) == (None, 4)


async def test_a_machine_of_an_unknown_kind_counts_as_different(store: Store):
    async with journalled(store) as house:
        id = await lively_session(house)
    with store._engine.begin() as connection:
        connection.execute(update(tables.journal).values(kind="teapot"))
    (one,) = replay(store, id)
    assert (one.kind, one.diverged) == ("teapot", 0)


def change(store: Store, machine: str, step: int, event: bytes) -> None:
    mine = (tables.journal.c.machine == machine) & (tables.journal.c.step == step)
    with store._engine.begin() as connection:
        assert connection.execute(update(tables.journal).where(mine).values(event=event)).rowcount == 1


async def test_no_token_is_in_the_database_or_the_log(tmp_path: Path, caplog):
    caplog.set_level(logging.DEBUG)
    store = Store(sqlite_url(tmp_path / "s.sqlite3"))
    seen: list[str | None] = []
    writer = Writer(store, lambda: "w")
    house = make_host_loop(journal=Journal(writer), admit=lambda _claim, _peer, token: seen.append(token))
    async with visit(house, token=TOKEN) as caller:
        await caller.call("session.ping", SessionPingPayload(), SessionPongPayload)
    await garbled(house)
    await house.close()
    writer.close()
    assert seen == [TOKEN], "the admission itself does get it"
    assert [one.diverged for one in replay(store)] == [None, None]
    for file in sorted(tmp_path.iterdir()):  # while the write-ahead log still holds all of it
        assert TOKEN.encode() not in file.read_bytes(), file
    with store._engine.begin() as connection:
        connection.execute(text("vacuum into '" + str(tmp_path / "copy.sqlite3") + "'"))
    assert TOKEN.encode() not in (tmp_path / "copy.sqlite3").read_bytes()
    assert TOKEN not in caplog.text
    store.close()


async def garbled(house: HostLoop) -> None:
    """Handshakes that break around the token."""
    ours, theirs = pair()
    serving = asyncio.create_task(house.accept(theirs))
    whole = msgspec.json.encode(
        {"id": "i1", "type": "session.initialize", "payload": {"auth": {"scheme": "bearer", "token": TOKEN}}}
    ).decode()
    for broken in (whole[:-1], whole.replace('"bearer"', "bearer"), "[" + whole, whole):
        await ours.send(broken)
        async with asyncio.timeout(SECONDS):
            await ours.receive()
    await ours.close()
    await asyncio.wait_for(serving, SECONDS)


def test_equal_commands_have_equal_digests_in_order():
    one, two = do.SendText("a"), do.WakeAt(1.5)
    assert digest([one, two]) == digest([do.SendText("a"), do.WakeAt(1.5)])
    assert len({digest([one, two]), digest([two, one]), digest([one]), digest([])}) == 4


async def test_a_failing_store_loses_no_session_only_entries(store: Store, open_store: Callable[[], Store]):
    async with journalled(store) as house, visit(house) as caller:
        with store._engine.begin() as connection:
            connection.execute(text("drop table journal"))
        await caller.call("session.ping", SessionPingPayload(), SessionPongPayload)
        with pytest.raises(UiapError):
            await caller.call("uiap.workflow.list", WorkflowListPayload(), WorkflowListedPayload)
    assert open_store().lost_count() > 0
