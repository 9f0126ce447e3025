"""Sessions with npm's Appium: its own fake driver, and simulated screens on which a touch has an effect."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.drivers.appium.harness import open_screen
from tests.drivers.recorder import Recorder
from tests.support.appium_server import missing, server
from uiap.actions.ops import Click, Guard, Invoke, LongPress, Pinch, SetText
from uiap.drivers.address import open_application
from uiap.drivers.driver import Driver, PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.errors import DriverError
from uiap.drivers.events import SignalObserved
from uiap.errors import Unavailable
from uiap.spec.web import ToastShownSignal

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))
FAKE = """<app name="Mocky" width="400" height="800">
  <window><MockButton id="ask" text="Ask" left="0" top="10" width="100" height="40" showAlert="sure"/>
  <MockButton id="off" text="Locked" left="0" top="60" width="100" height="40" enabled="false"/>
  <MockInputField id="title" name="Title" left="0" top="110" width="300" height="40"/></window>
  <alert id="sure" text="Really?"/></app>"""


@asynccontextmanager
async def session(address: str) -> AsyncIterator[tuple[Driver, Recorder]]:
    driver, recorder = await open_application(address, environ={}), Recorder()
    try:
        await driver.start(recorder)
        yield driver, recorder
    finally:
        await driver.close()


async def guard_of(driver: Driver, name: str) -> Guard:
    (found,) = [one for one in (await driver.observe()).elements if one.name == name and one.role != "label"]
    return Guard(node=found.instance_id, role=found.role, name=name)


async def test_fake_driver_supports_presses_and_text_by_element(tmp_path: Path):
    (tmp_path / "app.xml").write_text(FAKE)
    address = f"appium:platformName=Fake,automationName=Fake,app={tmp_path / 'app.xml'}@{server()}"
    async with session(address) as (driver, _):
        assert (
            set(driver.facts.ops) == {"click", "setText", "typeText", "invoke"} and not driver.facts.surfaces
        )
        assert isinstance(
            await driver.perform(SetText(guard=await guard_of(driver, "Title"), text="it's")),
            PerformDispatched,
        )
        refused = await driver.perform(Click(guard=await guard_of(driver, "Locked")))
        assert isinstance(refused, PerformRefused) and refused.reason == "disabled"
        assert isinstance(
            await driver.perform(LongPress(guard=await guard_of(driver, "Ask"))), PerformRefused
        )
        ask = await guard_of(driver, "Ask")
        assert isinstance(await driver.perform(Click(guard=ask)), PerformDispatched)
        blocked = await driver.perform(Click(guard=ask))
        assert (
            isinstance(blocked, PerformRefused) and blocked.reason == "obscured" and "alert" in blocked.detail
        )
        assert isinstance(await driver.perform(Invoke(action="appium.dismiss")), PerformDispatched)
        assert isinstance(await driver.perform(Click(guard=ask)), PerformDispatched)
        picture = await driver.evidence("screenshot", hide=[ask.node])
        assert picture.data.startswith(b"\x89PNG")


@pytest.mark.requirement("MDM-R9")
async def test_pinch_toast_and_a_field_that_moved():
    async with AsyncExitStack() as stack:
        screen, address = open_screen(stack, "Android")
        driver, recorder = await stack.enter_async_context(session(address))
        zoomed: list[object] = []
        screen.app.on["pinch"] = zoomed.append
        assert isinstance(
            await driver.perform(Pinch(guard=await guard_of(driver, "Save"), scale=2)), PerformDispatched
        )
        assert len(zoomed) == 1

        screen.app.on["Save"] = lambda app: screen.toasts.append("Kept")
        done = await driver.perform(Click(guard=await guard_of(driver, "Save")))
        await driver.flush()
        await driver.flush()
        emitted = [(event.signal, event.token) for event in recorder.of(SignalObserved)]
        assert isinstance(done, PerformDispatched) and emitted == [
            (ToastShownSignal(text="Kept"), done.token)
        ]

        title = await guard_of(driver, "Title")
        screen.moved_by, before = 300, len(screen.inputs)
        moved = await driver.perform(SetText(guard=title, text="for another field"))
        assert (
            isinstance(moved, PerformRefused) and moved.reason == "changed" and len(screen.inputs) == before
        )


async def test_system_alert_is_reported_and_answered_by_a_command():
    async with AsyncExitStack() as stack:
        screen, address = open_screen(stack, "iOS")
        driver, _ = await stack.enter_async_context(session(address))
        save = await guard_of(driver, "Save")
        screen.alert = "Allow notifications?"
        blocked = await driver.perform(Click(guard=save))
        assert isinstance(blocked, PerformRefused) and "appium.accept" in blocked.detail and not screen.inputs
        with pytest.raises(DriverError, match=r"appium\.accept"):
            await driver.observe()
        assert isinstance(await driver.perform(Invoke(action="appium.accept")), PerformDispatched)
        assert screen.answers == [True]
        screen.failing["actions"] = (
            "state"  # the server reports an error after it may have started the gesture
        )
        assert isinstance(await driver.perform(Click(guard=save)), PerformUnknown)


async def test_missing_server_and_refused_session_are_reported():
    with pytest.raises(Unavailable, match="no Appium server answers"):
        await open_application("appium:platformName=iOS@http://127.0.0.1:9", environ={})
    with pytest.raises(Unavailable, match="new session"):
        await open_application(f"appium:platformName=Fridge@{server()}", environ={})


async def test_close_ends_the_session_on_the_server():
    async with AsyncExitStack() as stack:
        _, address = open_screen(stack, "iOS")
        driver = await open_application(address, environ={})
        await driver.start(Recorder())
        await driver.close()
        with pytest.raises(DriverError):
            await driver.observe()
