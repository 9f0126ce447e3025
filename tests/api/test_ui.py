"""The Python API on the example application in a real browser."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any

import pytest

import uiap
from apps.videoland import Server
from uiap.errors import RuntimeFault, Unavailable

pytestmark = pytest.mark.browser


def truth(server: Server) -> dict[str, Any]:
    """Return what the application's server recorded."""
    with urllib.request.urlopen(f"{server.url}/__truth", timeout=10) as answer:
        recorded: dict[str, Any] = json.load(answer)
    return recorded


@pytest.mark.requirement("ACT-3.4", "ACT-11.4", "ACT-11.5", "ACT-SEC.3")
async def test_a_form_is_filled_and_sent_and_the_server_agrees(videoland: Server):
    before = truth(videoland)["videos"]
    async with uiap.open(f"{videoland.url}/videos/new?as=admin&lang=en") as ui:
        graph = await ui.observe()
        assert "Create video" in graph.outline()
        written = await ui.act("ui.enterText", stable_id="video.title", args={"text": "From Python"})
        assert written.ok, written
        assert written.side_effect_state == "applied"
        again = await ui.act("ui.enterText", stable_id="video.title", args={"text": "From Python"})
        assert again.ok
        assert again.side_effect_state == "none"
        result = await ui.act(
            "ui.activate",
            role="button",
            name="Create video",
            expect=[uiap.route_changed("/videos/:id"), {"kind": "toast.contains", "text": "created"}],
        )
        assert result.ok, result
        assert [s.kind for s in result.verification.observed] == ["route.changed", "toast.contains"]
        changed = await ui.outline(since=graph.revision)
        assert "/videos/" in changed
        read = await ui.act("ui.read", role="link", name="Videos", args={"what": "state"})
        assert read.return_value["role"] == "link"
    assert truth(videoland)["videos"] == before + 1


async def test_a_missing_element_is_a_failed_result_not_an_exception(videoland: Server):
    async with uiap.open(f"{videoland.url}/videos/new?as=admin&lang=en") as ui:
        result = await ui.act("ui.activate", role="button", name="No such thing")
        assert not result
        assert result.error is not None
        assert result.error.code == "target_not_found"
        assert result.side_effect_state == "none"
        with pytest.raises(RuntimeFault) as raised:
            result.check()
        assert raised.value.code == "target_not_found"
        wrong = await ui.act("ui.enterText", stable_id="video.title", args={"txt": "x"})
        assert wrong.error is not None
        assert "`txt` is not an argument" in wrong.error.message


@pytest.mark.requirement("ACT-8.2b")
async def test_two_equal_matches_are_refused_with_their_records(videoland: Server):
    async with uiap.open(f"{videoland.url}/videos?as=admin&lang=en") as ui:
        result = await ui.act("ui.activate", role="button", name="Delete")
        assert result.error is not None
        assert result.error.code == "target_ambiguous"
        shown = result.error.detail["candidates"]
        assert len({candidate["record"] for candidate in shown}) == len(shown) > 1
        one = shown[1]
        found = await ui.find("Delete", role="button", near=one["record"].partition(":")[2] or one["record"])
        assert found[0].record is not None


async def test_python_may_evaluate_expressions_and_take_screenshots(videoland: Server):
    async with uiap.open(f"{videoland.url}/videos/new?as=admin&lang=de") as ui:
        assert await ui.evaluate("document.title") == "Neues Video"
        assert (await ui.screenshot()).startswith(b"\x89PNG")
        document = await ui.capabilities()
        assert {a.id for a in document.actions} >= {"ui.activate", "ui.enterText", "nav.navigate"}


@pytest.mark.requirement("ACT-5.3", "ACT-5.4", "ACT-5.5")
async def test_under_standard_rules_a_press_needs_a_grant_and_a_denial_prevents_it(videoland: Server):
    before = truth(videoland)["videos"]
    async with uiap.open(f"{videoland.url}/videos/new?as=admin&lang=en", rules="standard") as ui:
        await ui.act("ui.enterText", stable_id="video.title", args={"text": "Never made"})
        asked: asyncio.Queue[Any] = asyncio.Queue()
        ui.on_confirmation(asked.put_nowait)
        pressed = asyncio.create_task(ui.act("ui.activate", role="button", name="Create video"))
        async with asyncio.timeout(20):
            question = await asked.get()
            await ui.deny(question.action_handle, "not today")
            result = await pressed
        assert result.status == "cancelled"
        assert result.error is not None
        assert result.error.code == "confirmation_denied"
        assert question.preview.target.name == "Create video"
    assert truth(videoland)["videos"] == before


@pytest.mark.parametrize("url", ["", "not a url", "gopher://x", "http://127.0.0.1:1/"])
async def test_a_bad_address_is_reported_in_one_sentence(url: str):
    with pytest.raises(uiap.UiapError) as refused:
        async with uiap.open(url):
            pass
    assert "\n" not in refused.value.message
    assert isinstance(refused.value, Unavailable) or "web page" in refused.value.message
