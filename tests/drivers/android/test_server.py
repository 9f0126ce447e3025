"""uiautomator2's program on the device, allowed or not: its own jar through real adb, behind it a stand-in for it."""

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
from uiap.drivers.android import server as on_device
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
    """A map that two fingers zoom, and a button that is answered by a toast alone."""
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
async def test_pinch_and_toast_are_effects_like_any_other_and_an_old_toast_is_none(
    here: Phone, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(*next(iter(ALLOWED.items())))
    async with uiap.open(here.show(atlas(here))) as ui:
        zoomed = [element_appeared(role="label", name="200%")]
        done = await ui.act("x.uiap.pinch", role="image", name="Map", args={"scale": 2}, expect=zoomed)
        assert done, done.error

        saved = [toast_contains("Saved")]
        for _ in range(2):  # the same words again are another toast
            done = await ui.act("ui.activate", role="button", name="Save", expect=saved)
            assert done, done.error
        here.handset.server.toast("Saved by another")
        dead = await ui.act("ui.activate", role="button", name="Dead", expect=saved, verify_ms=600)
        assert dead.status == "failed" and dead.error.code == "verification_failed"
        assert here.handset.asked["uiautomator"] == 0  # it would not have been let at the screen


async def test_the_program_of_the_library_is_put_there_once_and_ends_with_the_session(handset: Phone):
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


async def test_a_toast_is_told_once_with_its_gesture_though_more_gestures_follow(
    started: Start, handset: Phone
):
    stage = await started(atlas(handset), **ALLOWED)
    save, title = await stage.guard("Save"), await stage.guard("Title")
    asked = stage.handset.server.asked["getLastToast"]
    done = await stage.perform(Click(guard=save))
    await stage.perform(SetText(guard=title, text="x"))  # before anything was read
    await stage.driver.flush()
    told = [(event.signal, event.token) for event in stage.recorder.of(SignalObserved)]
    assert isinstance(done, PerformDispatched) and told == [(ToastShownSignal(text="Saved"), done.token)]
    read = stage.handset.server.asked["dumpWindowHierarchy"]
    assert stage.handset.server.asked["getLastToast"] - asked <= read + 2  # with a reading or a gesture alone


async def test_a_toast_of_before_is_told_as_that_however_late_it_is_found(started: Start, handset: Phone):
    stage = await started(atlas(handset), **ALLOWED)
    dead = await stage.guard("Dead")
    stage.handset.server.toast("Old")  # after what was read last, before what is sent now
    done = await stage.perform(Click(guard=dead))
    await stage.driver.flush()
    (told,) = stage.recorder.of(SignalObserved)
    assert isinstance(done, PerformDispatched) and told.at < done.at and told.token is None


async def test_somebody_else_who_reads_the_screen_is_named(handset: Phone):
    handset.handset.server.claimed = True
    with pytest.raises(Unavailable, match="another program reads its screen"):
        await AndroidDriver.open(handset.show(atlas(handset)), environ=handset.environ | ALLOWED)
    assert handset.running("app_process") == []


# -- not allowed --------------------------------------------------------------------------------------------


async def test_without_leave_nothing_is_put_there_and_the_refusal_says_how_to_give_it(here: Phone):
    async with uiap.open(here.show(atlas(here))) as ui:
        refused = await ui.act("x.uiap.pinch", role="image", name="Map", args={"scale": 2})
        assert refused.status == "failed" and "UIAP_ANDROID_SERVER=1" in refused.error.message
    assert here.handset.asked["app_process"] == 0 and here.handset.inputs == []


async def test_without_the_library_its_extra_is_named(handset: Phone, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(on_device, "find_spec", lambda _: None)
    with pytest.raises(Unavailable, match=r"pip install 'uiap\[android-server\]'"):
        await AndroidDriver.open(handset.show(atlas(handset)), environ=handset.environ | ALLOWED)


async def ended(handset: Phone) -> None:
    handset.handset.server.end()
    async with asyncio.timeout(30):
        while handset.running("app_process"):
            await asyncio.sleep(0.01)


# -- when it ends -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["ends", "hangs"])
async def test_without_it_the_session_says_so_once_and_goes_on_by_plain_adb(
    started: Start, handset: Phone, monkeypatch: pytest.MonkeyPatch, fault: str
):
    app = atlas(handset)
    app.on["Save"] = lambda app: app.set("org.example:id/zoom", text="Saved")
    stage = await started(app, **ALLOWED)
    the_map, save = await stage.guard("Map"), await stage.guard("Save")
    if fault == "ends":
        await ended(handset)
    else:
        for bound in ("CALL_S", "READ_S"):
            monkeypatch.setattr(on_device, bound, 0.5)
        stage.handset.server.hang_at = dict.fromkeys(SIGNATURES, threading.Event())
    refused = await stage.perform(Pinch(guard=the_map, scale=2))
    assert isinstance(refused, PerformRefused) and "has ended" in refused.detail and app.scale == 1.0
    assert isinstance(await stage.perform(Click(guard=save)), PerformDispatched)
    await stage.eventually(lambda graph: "Saved" in texts(graph))
    assert stage.handset.asked["uiautomator"] > 0
    told = [event.text for event in stage.recorder.of(ConsoleLine) if "has ended" in event.text]
    assert len(told) == 1 and "plain adb" in told[0]
    assert stage.driver.facts.ops == ANDROID_FACTS.ops
    for event in stage.handset.server.hang_at.values():
        event.set()


@pytest.mark.parametrize("fault", ["dies", "hangs", "disconnected"])
async def test_a_gesture_whose_answer_is_lost_may_have_happened_and_is_not_done_again(
    started: Start, handset: Phone, monkeypatch: pytest.MonkeyPatch, fault: str
):
    stage = await started(atlas(handset), **ALLOWED)
    the_map, server = await stage.guard("Map"), stage.handset.server
    await stage.driver.flush()
    if fault == "dies":
        server.dies_at = "gesture"
    elif fault == "disconnected":
        server.wrong_at = {"gesture": "java.lang.IllegalStateException: UiAutomation not connected"}
    else:
        monkeypatch.setattr(on_device, "CALL_S", 0.5)
        server.hang_at = {"gesture": threading.Event()}
    outcome = await stage.perform(Pinch(guard=the_map, scale=2))
    assert isinstance(outcome, PerformUnknown) and "has ended" in outcome.detail
    for event in server.hang_at.values():
        event.set()
    assert "Map" in texts(await stage.driver.observe())  # by `uiautomator`, which is let at the screen again
    assert server.asked["gesture"] <= 1
