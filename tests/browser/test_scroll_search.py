"""Scroll search: a row that a long list has not rendered is found by scrolling, and the result reports how far."""

from __future__ import annotations

import pytest

import uiap
from apps.hazards import Server
from uiap.spec import tools

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_a_row_far_down_is_found_by_scrolling_and_the_search_ends_with_the_list(
    hazards: Server,
) -> None:
    async with uiap.open(hazards.page("virtual_list")) as ui:
        assert not [f for f in await ui.find("Open user-60", role="button") if f.name == "Open user-60"]
        found = await ui.find("Open user-60", role="button", scroll=True)
        assert found[0].name == "Open user-60" and found[0].confidence >= 0.9
        pressed = await ui.act("ui.activate", ref=found[0].instance_id)
        assert pressed.status == "succeeded", pressed
        assert await ui.evaluate("__truth.opened") == ["user-60"]
        await ui.evaluate("box.onscroll = null, box.scrollTop = 150000 - 900")
        payload = tools.ToolsFindPayload(text="Open nobody", scroll=True)
        found = await ui._caller.call("x.uiap.tools.find", payload, tools.ToolsFoundPayload, timeout=60.0)
        assert found.scrolled and found.scrolled.ended == "end" and 1 <= found.scrolled.steps <= 10
