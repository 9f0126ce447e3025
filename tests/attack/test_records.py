"""Records cannot be used to read what a session may not see: traces of other sessions, and the log by questions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.attack.stage import open_stage
from uiap.drivers import events as seen
from uiap.drivers.scripted.app import Widget
from uiap.errors import UiapError
from uiap.policy.autonomy import Autonomy, rules_at

NEXT = Widget("b", "button", "Next")
PIN = Widget("p", "textbox", "Password", state={"sensitive": True})


@pytest.mark.parametrize("level", ("ask", "assist"))
async def test_an_agent_reads_no_traces_of_another_session_with_the_same_store(
    level: Autonomy, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite3"
    async with open_stage(NEXT, rules="trusted", store=store) as earlier:
        done = await earlier.agent.act("ui.activate", role="button", name="Next", policy="none")
        assert [one.action_handle for one in await earlier.agent.traces()] == [done.payload.action_handle], (
            "its own"
        )
    async with open_stage(NEXT, rules=rules_at(level), store=store) as stage:
        assert [one.action_handle for one in await stage.person.traces()] == [done.payload.action_handle]
        assert list(await stage.agent.traces()) == []
        assert await stage.person.trace(done.payload.action_handle)
        with pytest.raises(UiapError, match="no trace"):
            await stage.agent.trace(done.payload.action_handle)


@pytest.mark.parametrize("level", ("observe", "ask", "assist"))
async def test_a_private_value_in_the_log_cannot_be_guessed(level: Autonomy) -> None:
    async with open_stage(PIN, rules=rules_at(level)) as stage:
        stage.services.actions.private_values.learn("hunter2-Zebra", None)
        tab, at = stage.driver.tabs.active, time.monotonic()
        stage.services.page.receive(seen.ConsoleLine(tab=tab, at=at, level="error", text="got hunter2-Zebra"))
        assert (await stage.agent.log(contains="got")).lines, "the line itself is there"
        for guess in ("hunter", "hunter2-Zebra", "zebra", "r2-Z"):
            assert not (await stage.agent.log(contains=guess)).lines, guess
