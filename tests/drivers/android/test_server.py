"""The server of uiautomator2 on the device: its own jar through real adb, and a simulated server behind it."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import uiap
from tests.drivers.android.stage import Phone, Stage, texts
from tests.drivers.touchscreen.screens import node, screen
from tests.support.android_apps import LiveDump
from tests.support.android_server import SIGNATURES
from uiap.actions.ops import Click, Pinch, SetText
from uiap.api.signals import element_appeared, toast_contains
from uiap.drivers.android import server as server_module
from uiap.drivers.android.driver import ANDROID_FACTS, AndroidDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.events import ConsoleLine, SignalObserved
from uiap.errors import Unavailable
from uiap.spec.web import ToastShownSignal

Start = Callable[..., Awaitable[Stage]]
ALLOWED = {"UIAP_ANDROID_SERVER": "1"}
PRESSED = {"clickable": "true"}
MAP = screen(
    node("ImageView", content_desc="Map", bounds=(0, 0, 1080, 1000)),
    node("TextView", text="100%", resource_id="org.example:id/zoom", bounds=(0, 1000, 1080, 1100), index="1"),
    node("Button", text="Save", bounds=(0, 1200, 400, 1300), index="2", **PRESSED),
    node("Button", text="Dead", bounds=(0, 1400, 400, 1500), index="3", **PRESSED),
    node("EditText", content_desc="Title", bounds=(0, 1600, 400, 1700), index="4", **PRESSED),
)


def atlas(handset: Phone) -> LiveDump:
    """Return a map that a pinch zooms, and a button whose only effect is a toast."""
    return LiveDump(
        MAP,
        "org.example.atlas/.Main",
        {
            "pinch Map": lambda app: app.set("org.example:id/zoom", text=f"{round(app.scale * 10) * 10}%"),
            "Save": lambda _: handset.handset.server.toast("Saved"),
        },
    )


# -- allowed ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("MDM-R9")
async def test_pinch_and_toast_verify_an_action_but_an_old_toast_does_not(
    here: Phone, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(*next(iter(ALLOWED.items())))
    async with uiap.open(here.show(atlas(here))) as ui:
        zoomed = [element_appeared(role="label", name="200%")]
        done = await ui.act("x.uiap.pinch", role="image", name="Map", args={"scale": 2}, expect=zoomed)
        assert done, done.error

        saved = [toast_contains("Saved")]
        for _ in range(2):  # the same text again is a new toast
            done = await ui.act("ui.activate", role="button", name="Save", expect=saved)
            assert done, done.error
        here.handset.server.toast("Saved by another")
        dead = await ui.act("ui.activate", role="button", name="Dead", expect=saved, verify_ms=600)
        assert dead.status == "failed" and dead.error.code == "verification_failed"
        assert here.handset.commands["uiautomator"] == 0  # the server has exclusive access to the screen


async def test_server_is_copied_once_and_ends_with_the_session(handset: Phone):
    spec = find_spec("uiautomator2")
    assert spec is not None and spec.origin
    jar = (Path(spec.origin).parent / "assets" / "u2.jar").read_bytes()
    address = handset.show(atlas(handset))
    for _ in range(2):
        driver = await AndroidDriver.open(address, environ=handset.environ | ALLOWED)
        assert len(handset.running("app_process")) == 1
        await driver.close()
        assert handset.running("app_process") == []
    assert hashlib.sha256(handset.handset.pushed).digest() == hashlib.sha256(jar).digest()
    assert len(list(handset.handset.folder.glob("uiap-u2-*.jar"))) == 1


async def test_toast_is_emitted_once_with_the_token_of_its_gesture(started: Start, handset: Phone):
    stage = await started(atlas(handset), **ALLOWED)
    save, title = await stage.guard("Save"), await stage.guard("Title")
    before = stage.handset.server.calls["getLastToast"]
    done = await stage.perform(Click(guard=save))
    await stage.perform(SetText(guard=title, text="x"))  # before the next reading
    await stage.driver.flush()
    emitted = [(event.signal, event.token) for event in stage.recorder.of(SignalObserved)]
    assert isinstance(done, PerformDispatched) and emitted == [(ToastShownSignal(text="Saved"), done.token)]
    readings = stage.handset.server.calls["dumpWindowHierarchy"]
    assert (
        stage.handset.server.calls["getLastToast"] - before <= readings + 2
    )  # asked only with a reading or a gesture


async def test_late_toast_is_not_attributed_to_the_next_gesture(started: Start, handset: Phone):
    stage = await started(atlas(handset), **ALLOWED)
    dead = await stage.guard("Dead")
    stage.handset.server.toast("Old")  # after the last reading, before the next input
    done = await stage.perform(Click(guard=dead))
    await stage.driver.flush()
    (emitted,) = stage.recorder.of(SignalObserved)
    assert isinstance(done, PerformDispatched) and emitted.at < done.at and emitted.token is None


async def test_error_names_another_program_that_reads_the_screen(handset: Phone):
    handset.handset.server.claimed = True
    with pytest.raises(Unavailable, match="another program reads its screen"):
        await AndroidDriver.open(handset.show(atlas(handset)), environ=handset.environ | ALLOWED)
    assert handset.running("app_process") == []


# -- not allowed --------------------------------------------------------------------------------------------


async def test_server_that_is_not_allowed_is_not_copied_and_the_refusal_says_how_to_allow_it(here: Phone):
    async with uiap.open(here.show(atlas(here))) as ui:
        refused = await ui.act("x.uiap.pinch", role="image", name="Map", args={"scale": 2})
        assert refused.status == "failed" and "UIAP_ANDROID_SERVER=1" in refused.error.message
    assert here.handset.commands["app_process"] == 0 and here.handset.inputs == []


async def test_error_names_the_extra_if_the_library_is_missing(
    handset: Phone, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(server_module, "find_spec", lambda _: None)
    with pytest.raises(Unavailable, match=r"pip install 'uiap\[android-server\]'"):
        await AndroidDriver.open(handset.show(atlas(handset)), environ=handset.environ | ALLOWED)


async def stop_server(handset: Phone) -> None:
    handset.handset.server.stop()
    async with asyncio.timeout(30):
        while handset.running("app_process"):
            await asyncio.sleep(0.01)


# -- the server ends ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["ends", "hangs"])
async def test_session_reports_the_end_of_the_server_once_and_continues_with_plain_adb(
    started: Start, handset: Phone, monkeypatch: pytest.MonkeyPatch, fault: str
):
    app = atlas(handset)
    app.on["Save"] = lambda app: app.set("org.example:id/zoom", text="Saved")
    stage = await started(app, **ALLOWED)
    the_map, save = await stage.guard("Map"), await stage.guard("Save")
    if fault == "ends":
        await stop_server(handset)
    else:
        for timeout in ("CALL_S", "READ_S"):
            monkeypatch.setattr(server_module, timeout, 0.5)
        stage.handset.server.hang_at = dict.fromkeys(SIGNATURES, threading.Event())
    refused = await stage.perform(Pinch(guard=the_map, scale=2))
    assert isinstance(refused, PerformRefused) and "has ended" in refused.detail and app.scale == 1.0
    assert isinstance(await stage.perform(Click(guard=save)), PerformDispatched)
    await stage.eventually(lambda graph: "Saved" in texts(graph))
    assert stage.handset.commands["uiautomator"] > 0
    emitted = [event.text for event in stage.recorder.of(ConsoleLine) if "has ended" in event.text]
    assert len(emitted) == 1 and "plain adb" in emitted[0]
    assert stage.driver.facts.ops == ANDROID_FACTS.ops
    for event in stage.handset.server.hang_at.values():
        event.set()


@pytest.mark.parametrize("fault", ["dies", "hangs", "disconnected"])
async def test_gesture_without_an_answer_has_an_unknown_outcome_and_is_not_repeated(
    started: Start, handset: Phone, monkeypatch: pytest.MonkeyPatch, fault: str
):
    stage = await started(atlas(handset), **ALLOWED)
    the_map, server = await stage.guard("Map"), stage.handset.server
    await stage.driver.flush()
    if fault == "dies":
        server.dies_at = "gesture"
    elif fault == "disconnected":
        server.error_at = {"gesture": "java.lang.IllegalStateException: UiAutomation not connected"}
    else:
        monkeypatch.setattr(server_module, "CALL_S", 0.5)
        server.hang_at = {"gesture": threading.Event()}
    outcome = await stage.perform(Pinch(guard=the_map, scale=2))
    assert isinstance(outcome, PerformUnknown) and "has ended" in outcome.detail
    for event in server.hang_at.values():
        event.set()
    assert "Map" in texts(
        await stage.driver.observe()
    )  # by `uiautomator`, which has access to the screen again
    assert server.calls["gesture"] <= 1
