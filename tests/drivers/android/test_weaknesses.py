"""Known weaknesses of a widely used phone tool, each tested for its absence here: through the runtime and adb."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from msgspec import UNSET

import uiap
from tests.drivers.android.stage import Phone, alive
from tests.drivers.touchscreen.screens import node, rows, screen
from tests.support.android_apps import LiveDump, notes
from uiap.api.open_session import in_process_sessions
from uiap.api.signals import element_appeared, element_state, value_equals
from uiap.api.ui import Ui
from uiap.drivers.scripted import ScriptedDriver, ScriptedPage, Widget
from uiap.errors import UiapError
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.policy import PolicyPrincipal

SAVED = element_appeared(role="label", name="Saved")
STATUS = "org.example.notes:id/status"


@pytest.fixture
def opened(handset: Phone, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    for name, value in handset.environ.items():
        monkeypatch.setenv(name, value)

    @asynccontextmanager
    async def open(app: Any, **options: Any) -> AsyncIterator[Ui]:
        async with uiap.open(handset.show(app), **options) as ui:
            handset.handset.commands.clear()
            yield ui

    return open


@pytest.mark.parametrize("latency", [0, 0.3, 0.8, 2])
@pytest.mark.requirement("MDM-R1", "MDM-4", "MDM-7")
async def test_effect_is_verified_even_if_readings_are_slow(
    opened: Callable[..., Any], handset: Phone, latency: float
):
    async with opened(notes()) as ui:
        handset.handset.latency = latency
        assert await ui.expect([element_state({"checked": False}, role="checkbox", name="Agree")])
        result = await ui.act("ui.activate", role="button", name="Save", expect=[SAVED])
        assert result.status == "succeeded", result.error


@pytest.mark.requirement("MDM-X")
async def test_verified_tap_needs_one_reading_before_and_one_after(
    opened: Callable[..., Any], handset: Phone
):
    async with opened(notes()) as ui:
        handset.handset.latency = 0.6
        await ui.observe()
        handset.handset.commands.clear()
        assert await ui.act("ui.activate", role="button", name="Save", expect=[SAVED])
        assert handset.handset.commands["uiautomator"] == 2
        assert handset.handset.commands["input"] == 1


@pytest.mark.requirement("MDM-7", "MDM-11")
async def test_tap_without_effect_does_not_succeed(opened: Callable[..., Any], handset: Phone):
    async with opened(notes()) as ui:
        handset.handset.ignores_input = True  # the device reports success
        result = await ui.act("ui.activate", role="button", name="Save", expect=[SAVED], verify_ms=600)
        assert result.status == "failed" and result.error is not None
        assert result.error.code == "verification_failed"


async def test_action_waits_for_a_late_effect(opened: Callable[..., Any], handset: Phone):
    app = notes()
    app.on["Save"] = lambda app: app.later(0.7, lambda: app.set(STATUS, text="Saved"))
    async with opened(app) as ui:
        result = await ui.act("ui.activate", role="button", name="Save", expect=[SAVED])
        assert result.status == "succeeded", result.error


@pytest.mark.requirement("MDM-R3a", "MDM-R3c")
async def test_wait_sees_a_change_that_happened_before_it(opened: Callable[..., Any], handset: Phone):
    app = notes()
    async with opened(app) as ui:
        revision = (await ui.observe()).revision
        app.set(STATUS, text="Saved")
        waited = await ui.wait(since=revision, timeout_ms=20_000)
        assert waited and waited.changed
        assert await ui.expect([SAVED], since=revision)


@pytest.mark.requirement("MDM-R5")
async def test_recorded_sliders_are_set_by_name_and_read_back(opened: Callable[..., Any], handset: Phone):
    async with opened(alive("fractal-controls")) as ui:
        result = await ui.act(
            "ui.setValue",
            role="slider",
            name="Bailout",
            args={"value": 70, "tolerance": 1},
            timeout_ms=60_000,
        )
        assert result.status == "succeeded", result.error
        (slider,) = [one for one in await ui.observe() if one.name == "Bailout" and one.role == "slider"]
        assert abs(slider.state.numeric_value - 70) <= 1


@pytest.mark.requirement("MDM-R4b")
async def test_ambiguous_target_is_reported_and_nothing_is_touched(
    opened: Callable[..., Any], handset: Phone
):
    async with opened(alive("lan-audio-1")) as ui:
        result = await ui.act("ui.setValue", role="slider", args={"value": 10}, timeout_ms=30_000)
        assert result.error is not None and result.error.code == "target_ambiguous"
        assert handset.handset.inputs == []


async def test_exact_name_is_not_ambiguous_with_names_that_contain_it(
    opened: Callable[..., Any], handset: Phone
):
    keys = [
        node(
            "Button",
            text=text,
            clickable="true",
            focused=str(text == "M +").lower(),
            bounds=(0, top, 400, top + 90),
        )
        for text, top in (("+", 2000), ("+ / -", 1000), ("M +", 100))
    ]
    async with opened(LiveDump(screen(*keys), "org.example/.Keys")) as ui:
        assert await ui.act("ui.activate", role="button", name="+", policy="none")
        assert handset.handset.inputs == [("tap", "200", "2045")]


async def test_id_survives_a_layout_shift_and_the_tap_hits_the_new_position(
    opened: Callable[..., Any], handset: Phone
):
    app = notes()
    async with opened(app) as ui:
        (save,) = await ui.find("Save", role="button")
        app.set("Save", bounds="[600,1300][1000,1400]")
        result = await ui.act("ui.activate", ref=save.instance_id, expect=[SAVED])
        assert result.status == "succeeded", result.error
        assert handset.handset.inputs == [("tap", "800", "1350")]


async def test_delete_never_hits_a_recycled_row(opened: Callable[..., Any], handset: Phone):
    app = LiveDump(rows("user-0", "user-1", "user-2"), "org.example/.Users")
    async with opened(app) as ui:
        found = await ui.find("Delete", role="button", near="user-0")
        app.show(rows("user-7", "user-8", "user-9"))  # the list was scrolled: same positions, other records
        result = await ui.act("ui.activate", ref=found[0].instance_id)
        assert result.status == "failed" and result.error is not None
        assert result.error.code == "stale_target"
        assert handset.handset.inputs == []


@pytest.mark.requirement("MDM-R1")
async def test_screen_that_never_becomes_idle_fails_and_nothing_is_touched(
    opened: Callable[..., Any], handset: Phone
):
    async with opened(notes()) as ui:
        handset.handset.failing_dumps = 99
        result = await ui.act("ui.activate", role="button", name="Save", expect=[SAVED], timeout_ms=20_000)
        assert result.status == "failed" and handset.handset.inputs == []
        handset.handset.failing_dumps = 0


async def test_text_is_entered_cleared_and_verified(opened: Callable[..., Any], handset: Phone):
    async with opened(notes()) as ui:
        for action, text in (("ui.enterText", "it's; id"), ("ui.clearText", "")):
            args = {"text": text} if text else {}
            result = await ui.act(action, role="textbox", name="Title", args=args)
            assert result.status == "succeeded", result.error
            values = [one.state.text_value for one in await ui.observe() if one.name == "Title"]
            assert values == [text]


async def test_toggle_is_verified_by_the_state_of_the_switch(opened: Callable[..., Any], handset: Phone):
    async with opened(alive("quick-settings")) as ui:
        result = await ui.act("ui.toggle", role="switch", name="热点", args={"checked": True})
        assert result.status == "succeeded", result.error
        again = await ui.act("ui.toggle", role="switch", name="热点", args={"checked": True})
        assert again.status == "succeeded" and len(handset.handset.inputs) == 1


@pytest.mark.requirement("MDM-P2")
async def test_device_commands_are_application_actions(opened: Callable[..., Any], handset: Phone):
    app = notes()
    async with opened(app) as ui:
        restarted = value_equals("old", role="textbox", name="Title")
        app.set("Title", text="draft")
        result = await ui.act(
            "app.invoke",
            args={"actionId": "android.restart", "args": {}},
            expect=[restarted],
            timeout_ms=30_000,
        )
        assert result.status == "succeeded", result.error
        assert handset.handset.started[-2:] == ["stop org.example.notes", "org.example.notes/.Main"]


async def test_concurrent_actions_do_not_mix_their_touches(opened: Callable[..., Any], handset: Phone):
    async with opened(notes()) as ui:
        title = {"role": "textbox", "name": "Title"}
        done = await asyncio.gather(
            ui.act("ui.enterText", **title, args={"text": "one"}, timeout_ms=40_000),
            ui.act("ui.toggle", role="checkbox", name="Agree", args={"checked": True}, timeout_ms=40_000),
        )
        assert [one.status for one in done] == ["succeeded", "succeeded"], [one.error for one in done]


@pytest.mark.requirement("MDM-R3c", "MDM-R3d")
async def test_agent_observes_and_finds_on_the_current_screen(opened: Callable[..., Any], handset: Phone):
    app = notes()
    async with opened(app) as ui:
        before = await ui.observe()
        app.set(STATUS, text="Fresh")
        assert "Fresh" in await ui.outline(since=before.revision)
        app.set("Ask", text="Beg")
        assert [one.name for one in await ui.find("Beg", role="button")] == ["Beg"]
        app.set(STATUS, text="Fresher")
        after = await ui.observe()
        assert "Fresher" in after.outline() and after.revision != before.revision
        handset.handset.failing_dumps = 99  # an old screen is never returned as the current one
        with pytest.raises(UiapError, match="could not get idle state"):
            await ui.observe()
        handset.handset.failing_dumps = 0


@pytest.mark.requirement("ACT-1a")
async def test_a_device_passes_the_states_and_gives_the_result_of_a_page(opened: Callable[..., Any]):
    async def press(ui: Ui) -> tuple[list[str], set[str]]:
        stages: list[str] = []
        result = await ui.act(
            "ui.activate",
            role="button",
            name="Save",
            policy="any",
            on_progress=lambda one: stages.append(one.stage),
        )
        assert result.status == "succeeded", result.error
        members = {
            name for name in result.payload.__struct_fields__ if getattr(result.payload, name) is not UNSET
        }
        return stages, members

    page = ScriptedPage("http://a.test/", (
        Widget("save", "button", "Save", on={"click": lambda app: app.set("out", text="Saved")}),
        Widget("out", "status"),
    ))  # fmt: skip
    services = SessionServices(ScriptedDriver(page), rules="trusted")
    await services.start()
    async with in_process_sessions(services, (PolicyPrincipal(type="user", id="ann"),)) as (caller,):
        on_page = await press(Ui(caller, AsyncExitStack()))
    await services.close()
    async with opened(notes()) as ui:
        assert await press(ui) == on_page
