"""Action requests on the wire: accepted or refused, one handle each, and the effect of every member of a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.support.handlers import Notes, running_handler
from uiap.api.open_session import in_process_sessions
from uiap.client.caller import Caller
from uiap.drivers.scripted import ScriptedDriver, ScriptedFault, Widget
from uiap.errors import Conflict, RuntimeFault
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
    PresentationHints,
)
from uiap.spec.capability import SemanticRef
from uiap.spec.policy import PolicyPrincipal

SAVE = ActionTarget(ref=SemanticRef(role="button", name="Save"))


@asynccontextmanager
async def served() -> AsyncIterator[tuple[Caller, Notes, asyncio.Queue[ActionResultPayload]]]:
    notes = Notes()
    place = SessionServices(ScriptedDriver(notes.page()), rules="trusted")
    await place.start()
    results: asyncio.Queue[ActionResultPayload] = asyncio.Queue()
    try:
        async with in_process_sessions(place, (PolicyPrincipal(type="user", id="ann"),)) as (caller,):
            caller.listen("action.result", results.put_nowait)
            async with asyncio.timeout(30):
                yield caller, notes, results
    finally:
        await place.close()


async def ask(caller: Caller, **members: Any) -> ActionAcceptedPayload:
    request = ActionRequestPayload(**{"action_id": "ui.activate", "target": SAVE, **members})
    return await caller.call("action.request", request, ActionAcceptedPayload)


@pytest.mark.requirement("ACT-5.1a")
@pytest.mark.requirement("ACT-9.1")
async def test_a_request_is_accepted_or_refused_and_a_refused_one_has_no_result() -> None:
    async with served() as (caller, notes, results):
        with pytest.raises(RuntimeFault, match="is not an action here"):
            await ask(caller, action_id="ui.fly")
        assert (await ask(caller)).status == "accepted"
        assert (await results.get()).status == "succeeded"
        assert results.empty() and notes.saved == 1


@pytest.mark.requirement("ACT-5.1b")
async def test_every_action_has_a_handle_of_its_own() -> None:
    async with served() as (caller, _notes, results):
        handles = [(await ask(caller, action_id="ui.read")).action_handle for _ in range(20)]
        ended = [(await results.get()).action_handle for _ in handles]
        assert len(set(handles)) == 20
        assert sorted(ended) == sorted(handles)


@pytest.mark.requirement("ACT-5.1c", "ACT-13.3")
async def test_a_key_of_another_request_is_a_conflict_on_the_wire() -> None:
    async with served() as (caller, notes, results):
        await ask(caller, idempotency_key="k")
        await results.get()
        with pytest.raises(Conflict):
            await ask(caller, idempotency_key="k", timeout_ms=9000)
        assert (await ask(caller, idempotency_key="k")).status == "accepted"
        again = await results.get()
        assert again.metadata is not UNSET and again.metadata["replayed"] is True
        assert notes.saved == 1


@pytest.mark.requirement("ACT-3.6")
async def test_presentation_changes_no_outcome() -> None:
    shown = PresentationHints(ghost_cursor=True, highlight="spotlight", narration="Look", pace="humanized")
    for name in ("Save", "Dead"):
        async with running_handler() as plain, running_handler() as fancy:
            without = await plain.act(name, verify_ms=1000)
            with_it = await fancy.act(name, verify_ms=1000, presentation=shown)
            assert (with_it.status, with_it.side_effect_state) == (without.status, without.side_effect_state)
            assert plain.code(without) == fancy.code(with_it)
            assert [op.kind for op in plain.driver.performed] == [op.kind for op in fancy.driver.performed]
            assert plain.notes.saved == fancy.notes.saved


@pytest.mark.requirement("ACT-11.1")
async def test_reading_returns_the_requested_value_and_never_a_masked_one() -> None:
    async with running_handler() as one:
        one.driver.change(lambda app: app.set("title", textValue="Hello", sensitive=False))
        one.driver.change(lambda app: app.add(Widget("pin", "textbox", "PIN", state={"sensitive": True})))
        value = await one.act("Title", "ui.read", role="textbox", args={"what": "value"})
        assert value.return_value == {"value": "Hello"}
        state = await one.act("Title", "ui.read", role="textbox")
        assert state.return_value is not UNSET and state.return_value["role"] == "textbox"
        secret = await one.act("PIN", "ui.read", role="textbox", args={"what": "value"})
        assert secret.return_value == {"value": None}
        assert secret.side_effect_state == "none"


@pytest.mark.requirement("ACT-11.2")
async def test_focus_succeeds_only_when_the_focus_is_there() -> None:
    async with running_handler() as one:
        assert (await one.act("Title", "ui.focus", role="textbox")).status == "succeeded"
        one.driver.inject(ScriptedFault("focus", no_effect=True))
        lost = await one.act("Save", "ui.focus", verify_ms=600)
        assert one.code(lost) == "verification_failed"


@pytest.mark.requirement("ACT-9.4")
async def test_an_address_that_cannot_be_loaded_is_refused_and_nothing_remains() -> None:
    async with running_handler() as one:
        request = ActionRequestPayload(action_id="nav.navigate", args={"url": "/nowhere"})
        result = await one.handler.run(request, one.on_message)
        assert (result.status, result.side_effect_state) == ("failed", "none")
        assert "no page" in str(result.error)
        there = msgspec.structs.replace(request, args={"url": "/"})
        assert (await one.handler.run(there, one.on_message)).status == "succeeded"
