"""The android driver through the real adb and the real adbd, on a stand-in for the Android behind them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.drivers.android.stage import Phone, Stage, alive, holds, texts
from tests.drivers.recorder import Recorder
from tests.support.android_apps import notes
from tests.support.android_handset import Handset
from uiap.actions.ops import (
    OP_KINDS,
    Adjust,
    Check,
    Click,
    Drag,
    Guard,
    Holds,
    Invoke,
    LongPress,
    Pinch,
    Press,
    Scroll,
    Secret,
    Select,
    SetText,
    TypeText,
)
from uiap.drivers.android import ANDROID_FACTS, AndroidDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.errors import ConnectionLost, DriverError
from uiap.drivers.events import ConsoleLine, PageError
from uiap.drivers.touchscreen.snapshot import ScreenUnreadable
from uiap.errors import UiapError, Unavailable

Start = Callable[..., Awaitable[Stage]]
HOSTILE = 'it\'s $(id) `id` ;id>x & "q" \\ | %s %% <a>*?~{b}[c]#!'


def test_facts_promise_only_what_a_device_can_keep():
    assert set(ANDROID_FACTS.ops) < set(OP_KINDS) and "pinch" not in ANDROID_FACTS.ops
    assert (ANDROID_FACTS.push, ANDROID_FACTS.atomic, ANDROID_FACTS.attribution) == (False, "reread", "time")


# -- choosing a device --------------------------------------------------------------------------------------


async def test_a_device_that_is_not_there_is_said_with_those_that_are(handset: Phone):
    with pytest.raises(Unavailable, match=rf"no device `nobody`; adb sees {handset.serial} \(device\)"):
        await AndroidDriver.open("android:@nobody", environ=handset.environ)


async def test_an_application_that_is_not_installed_is_said(handset: Phone):
    with pytest.raises(UiapError, match=r"`org\.absent` is not installed"):
        await AndroidDriver.open(f"android:org.absent@{handset.serial}", environ=handset.environ)


async def test_without_an_adb_server_nothing_else_is_tried(tmp_path: Path):
    with pytest.raises(Unavailable, match="is not a tcp address"):
        await AndroidDriver.open("android:", environ={"ADB_SERVER_SOCKET": "localfilesystem:/nowhere"})


async def test_the_only_device_needs_no_name(handset: Phone):
    handset.show(notes())
    driver = await AndroidDriver.open("android:org.example.notes", environ=handset.environ)
    assert driver.device.serial == handset.serial
    await driver.close()


async def test_of_two_devices_the_one_with_the_application_is_meant_else_one_must_be_named(handset: Phone):
    handset.show(notes())
    other = handset.bridge.add(Handset(alive("quick-settings", "com.android.systemui/.Main")), port=5600)
    try:
        with pytest.raises(Unavailable, match=r"2 devices are ready: .*; say which: `android:@"):
            await AndroidDriver.open("android:", environ=handset.environ)
        driver = await AndroidDriver.open("android:org.example.notes", environ=handset.environ)
        assert driver.device.serial == handset.serial
        named = await AndroidDriver.open(f"android:@{other}", environ=handset.environ)
        await named.start(lambda _: None)
        assert "蓝牙。" in texts(await named.observe())
        for one in (driver, named):
            await one.close()
    finally:
        handset.bridge.remove(other)


# -- text ---------------------------------------------------------------------------------------------------


@pytest.mark.requirement("MDM-P1")
async def test_what_is_typed_is_text_to_the_field_and_never_a_command_to_the_shell(started: Start):
    stage = await started(notes())
    title = await stage.guard("Title")
    assert isinstance(await stage.perform(SetText(guard=title, text=HOSTILE)), PerformDispatched)
    await stage.eventually(holds("Title", "text_value", HOSTILE))
    assert isinstance(await stage.perform(TypeText(guard=title, text="\nmore")), PerformDispatched)
    await stage.eventually(holds("Title", "text_value", HOSTILE + "\nmore"))
    assert set(stage.handset.asked) <= {
        "am", "cmd", "dumpsys", "input", "logcat", "pidof", "settings", "uiautomator", "wm",
    }  # fmt: skip


async def test_what_has_no_key_is_refused_before_the_field_is_touched_unless_a_keyboard_takes_it(
    started: Start,
):
    stage = await started(notes())
    title = await stage.guard("Title")
    refused = await stage.perform(SetText(guard=title, text="Grüße 日本"))
    assert isinstance(refused, PerformRefused) and "ü" in refused.detail and "ADBKeyboard" in refused.detail
    assert stage.handset.inputs == []
    stage.handset.settings["secure", "default_input_method"] = "com.android.adbkeyboard/.AdbIME"
    assert isinstance(await stage.perform(SetText(guard=title, text="Grüße 日本")), PerformDispatched)
    await stage.eventually(holds("Title", "text_value", "Grüße 日本"))


async def test_a_masked_field_takes_a_secret_and_tells_only_its_length(handset: Phone):
    address = handset.show(notes())
    driver = await AndroidDriver.open(address, environ=handset.environ, secrets={"pin": "4711"}.__getitem__)
    try:
        await driver.start(lambda _: None)
        stage = Stage(driver, None, handset.handset)  # type: ignore[arg-type]
        secret = await stage.guard("Secret")
        assert isinstance(
            await stage.perform(SetText(guard=secret, text=Secret(name="pin"))), PerformDispatched
        )
        assert isinstance(
            await stage.perform(Holds(guard=secret, text=Secret(name="pin"))), PerformDispatched
        )
        assert isinstance(await stage.perform(Holds(guard=secret, text="47")), PerformRefused)
        assert "•" not in repr(await driver.observe())
        assert b"\xe2\x80\xa2" not in (await driver.evidence("ax")).data
    finally:
        await driver.close()


# -- gestures -----------------------------------------------------------------------------------------------


@pytest.mark.requirement("MDM-R8")
async def test_every_gesture_reaches_the_device_as_its_own_input(started: Start):
    stage = await started(notes())
    save, agree = await stage.guard("Save"), await stage.guard("Agree")
    for op in (
        Click(guard=save, count=2),
        LongPress(guard=save, duration_ms=900),
        Drag(guard=save, dx=100, dy=50),
        Drag(guard=save, to=agree),
        Check(guard=agree, checked=True),
        Press(key="Enter"),
        Press(key="GoBack"),
    ):
        assert isinstance(await stage.perform(op), PerformDispatched), op
    assert stage.handset.inputs == [
        ("tap", "200", "260"),
        ("tap", "200", "260"),
        ("swipe", "200", "260", "200", "260", "900"),
        ("draganddrop", "200", "260", "300", "310", "600"),
        ("draganddrop", "200", "260", "200", "760", "600"),
        ("tap", "200", "760"),
        ("keyevent", "66"),
        ("keyevent", "4"),
    ]
    assert isinstance(await stage.perform(Check(guard=agree, checked=True)), PerformDispatched)
    assert len(stage.handset.inputs) == 8  # it was so already


async def test_what_input_cannot_do_is_refused_and_said(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    for op in (Pinch(guard=save, scale=2), Click(guard=save, button="right"), Press(key="Hyper")):
        refused = await stage.perform(op)
        assert isinstance(refused, PerformRefused) and refused.detail, op
    assert stage.handset.inputs == []


async def test_a_list_that_scrolls_says_whether_it_moved(started: Start):
    app = alive("lan-audio-1")
    stage = await started(app)
    still = await stage.perform(Scroll(dy=600, mode="semanticUi"))
    assert isinstance(still, PerformDispatched) and still.detail["held"] is False
    app.on["swipe"] = lambda app: app.show(alive("lan-audio-2").dump())
    moved = await stage.perform(Scroll(dy=600, mode="semanticUi"))
    assert isinstance(moved, PerformDispatched) and moved.detail["held"] is True


async def test_nothing_is_tapped_where_the_keyboard_lies(started: Start):
    app = alive("lan-audio-1")
    stage = await started(app)
    stage.handset.keyboard = True
    low = await stage.guard("检查更新")
    refused = await stage.perform(Click(guard=low))
    assert (
        isinstance(refused, PerformRefused) and refused.reason == "obscured" and "keyboard" in refused.detail
    )
    assert isinstance(await stage.perform(Click(guard=await stage.guard("Show menu"))), PerformDispatched)


async def test_an_option_that_is_not_in_the_list_closes_it_again(started: Start):
    stage = await started(notes())
    colour = await stage.guard("Colour")
    refused = await stage.perform(Select(guard=colour, values=("Green",)))
    assert isinstance(refused, PerformRefused) and refused.detail == "no_such_option"
    assert "Save" in texts(await stage.driver.observe())


# -- what goes wrong ----------------------------------------------------------------------------------------


async def test_a_device_that_knows_no_such_input_was_not_touched(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    stage.handset.broken_input = "Error: Unknown command: draganddrop"
    outcome = await stage.perform(Drag(guard=save, dx=50))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "unsupported"


async def test_a_complaint_of_the_device_after_it_began_is_not_knowing(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    stage.handset.broken_input = "java.lang.SecurityException: Injecting input events requires permission"
    outcome = await stage.perform(Click(guard=save))
    assert isinstance(outcome, PerformUnknown) and "SecurityException" in outcome.detail


async def test_a_device_that_goes_away_is_said_and_used_again_when_it_is_back(started: Start, handset: Phone):
    stage = await started(notes())
    save = await stage.guard("Save")
    handset.bridge.disconnect(handset.serial)
    try:
        with pytest.raises(ConnectionLost, match="gone"):
            await stage.driver.observe()
        refused = await stage.perform(Click(guard=save))
        assert isinstance(refused, PerformRefused) and refused.reason == "unavailable"
    finally:
        handset.bridge.connect(handset.serial)
    assert isinstance(await stage.perform(Click(guard=save)), PerformDispatched)
    await stage.eventually(lambda graph: "Saved" in texts(graph))


async def test_a_dump_that_hangs_ends_with_its_bound_and_nothing_was_touched(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    stage.handset.hang = threading.Event()
    await asyncio.sleep(0)
    stage.driver._snapshot = None
    stage.driver._read_cost_s = 0.01
    try:
        refused = await stage.driver.perform(Click(guard=save), timeout=0.5)
        assert isinstance(refused, PerformRefused) and refused.reason == "unavailable"
        assert stage.handset.inputs == []
    finally:
        stage.handset.hang.set()
        stage.handset.hang = None


async def test_a_closed_driver_answers_at_once(started: Start):
    stage = await started(notes())
    await stage.driver.close()
    await stage.driver.close()
    for call in (stage.driver.observe(), stage.driver.flush(), stage.driver.evaluate("1")):
        with pytest.raises(DriverError):
            await call


# -- applications, pictures, log ----------------------------------------------------------------------------


async def test_applications_are_started_stopped_reset_installed_and_removed(started: Start, tmp_path: Path):
    stage = await started(notes())
    apps, told = stage.driver.applications, stage.handset
    await apps.restart("org.example.notes/.Main")
    await apps.reset("org.example.notes")
    assert told.started[-3:] == [
        "stop org.example.notes",
        "org.example.notes/.Main",
        "clear org.example.notes",
    ]
    (tmp_path / "fresh.apk").write_bytes(b"an apk")
    (tmp_path / "no.apk").write_bytes(b"no apk")
    await apps.install(tmp_path / "fresh.apk")
    assert "org.example.fresh" in await apps.installed()
    await apps.uninstall("org.example.fresh")
    for failing in (
        lambda: apps.install(tmp_path / "no.apk"),
        lambda: apps.uninstall("org.example.fresh"),
        lambda: apps.reset("org.absent"),
        lambda: apps.stop("org.example; reboot"),
        lambda: apps.grant("org.example.notes", "CAMERA; id"),
    ):
        with pytest.raises(UiapError):
            await failing()
    await apps.grant("org.example.notes", "CAMERA")
    assert told.granted == {("org.example.notes", "android.permission.CAMERA")}
    await apps.revoke("org.example.notes", "android.permission.CAMERA")
    assert told.granted == set()


async def test_what_a_device_does_besides_touches_is_an_action_of_its_own(started: Start):
    stage = await started(notes())
    offered = {one["id"] for one in await stage.driver.app_actions()}
    assert {"android.restart", "android.link", "android.rotate", "android.grant", "android.back"} <= offered

    async def invoke(action: str, **args: str) -> object:
        return await stage.driver.perform(Invoke(action=action, args=args))

    assert isinstance(await invoke("android.rotate", to="landscape"), PerformDispatched)
    assert stage.handset.settings["system", "user_rotation"] == "1"
    assert isinstance(await invoke("android.link", url="https://example.org/?a=1&b=$(id)"), PerformDispatched)
    assert stage.handset.started[-1] == "https://example.org/?a=1&b=$(id)"
    assert isinstance(
        await invoke("android.copy", text="x"), PerformUnknown | PerformRefused
    )  # this device lets no shell do it
    assert isinstance(await invoke("android.fly"), PerformRefused)


async def test_a_picture_has_black_boxes_where_asked(started: Start):
    stage = await started(notes())
    save = await stage.element("Save")
    bare = await stage.driver.evidence("screenshot")
    assert bare.data.startswith(b"\x89PNG")
    hidden = await stage.driver.evidence("screenshot", hide=[save.instance_id])
    assert hidden.data.startswith(b"\x89PNG")


@pytest.mark.requirement("MDM-R7", "MDM-R10")
async def test_the_log_is_followed_and_only_what_matters_is_told(started: Start):
    stage = await started(notes())
    for line in (
        "11-15 09:00:00.400   900   901 E vendor.hal: sensor went away",
        "11-15 09:00:00.300  4242  4242 E Notes   : cannot save",
        "11-15 09:00:00.500  4242  4242 E AndroidRuntime: FATAL EXCEPTION: main",
    ):
        stage.handset.log(line)
    error = await stage.recorder.first(PageError, lambda event: "FATAL" in event.text)
    assert error.text.startswith("AndroidRuntime")
    told = [event.text for event in stage.recorder.events if isinstance(event, ConsoleLine | PageError)]
    assert not any("sensor" in text for text in told)
    assert "sensor went away" in {line.message for line in stage.driver.log}  # there for whoever asks


async def test_another_size_and_a_turned_screen_are_noticed(started: Start):
    app = alive("lan-audio-1")  # 1200 x 2670, larger than what the device said at first
    stage = await started(app)
    stage.handset.size = "Physical size: 1080x2400\nOverride size: 1200x2670"
    graph = await stage.driver.observe()
    assert graph.viewport and (graph.viewport.width, graph.viewport.height) == (1200, 2670)
    app.root.set("rotation", "1")
    turned = await stage.driver.observe()
    assert turned.viewport and (turned.viewport.width, turned.viewport.height) == (2670, 1200)


async def test_a_screen_without_rest_is_an_error_and_never_the_screen_before(started: Start):
    app = notes()
    stage = await started(app)
    app.set("org.example.notes:id/status", text="Changed")
    stage.handset.restless = 99
    with pytest.raises(ScreenUnreadable, match="could not get idle state"):
        await stage.driver.observe()
    stage.handset.restless = 1  # once is no reason to give up
    assert "Changed" in texts(await stage.driver.observe())


@pytest.mark.parametrize("wanted", [0, 17, 100])
@pytest.mark.requirement("MDM-R5")
async def test_a_recorded_slider_is_set_and_read_back(started: Start, wanted: int):
    stage = await started(alive("fractal-controls"))
    slider = await stage.guard("Iterations", "slider")
    outcome = await stage.perform(Adjust(guard=slider, value=wanted, tolerance=1))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is True
    held = (await stage.element("Iterations", "slider")).state.numeric_value
    assert isinstance(held, int) and abs(held - wanted) <= 1


async def test_a_value_that_cannot_be_read_back_is_refused(started: Start):
    stage = await started(alive("quick-settings"))
    brightness = await stage.guard("屏幕亮度", "slider")
    refused = await stage.perform(Adjust(guard=brightness, value=50))
    assert isinstance(refused, PerformRefused) and refused.reason == "invalid"
    other = await started(alive("fractal-controls"))
    beyond = await other.perform(Adjust(guard=await other.guard("Bailout", "slider"), value=101))
    assert isinstance(beyond, PerformRefused) and beyond.reason == "invalid"
    assert other.handset.inputs == []


async def test_a_guard_that_does_not_hold_refuses_and_nothing_is_sent(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    for guard, reason in (
        (Guard(node=save.node, name="Delete"), "changed"),
        (Guard(node=save.node, role="link"), "changed"),
        (Guard(node=save.node, record="user-0"), "changed"),
        (Guard(node="d1e999"), "gone"),
        (await stage.guard("Locked"), "disabled"),
    ):
        refused = await stage.perform(Click(guard=guard))
        assert isinstance(refused, PerformRefused) and refused.reason == reason
    assert stage.handset.inputs == []


async def test_nothing_of_ours_runs_on_the_device_when_a_session_has_ended(handset: Phone):
    address = handset.show(notes())
    for _ in range(2):
        driver = await AndroidDriver.open(address, environ=handset.environ)
        await driver.start(Recorder())
        async with asyncio.timeout(30):
            while len(handset.running("logcat")) != 1:
                await asyncio.sleep(0.01)
        await driver.close()
        assert handset.running("logcat") == []


async def test_a_connection_that_breaks_ends_what_ran_behind_it(started: Start, handset: Phone):
    await started(notes())
    async with asyncio.timeout(30):
        while len(handset.running("logcat")) != 1:
            await asyncio.sleep(0.01)
        handset.bridge.disconnect(handset.serial)
        try:
            while handset.running("logcat"):
                await asyncio.sleep(0.01)
        finally:
            handset.bridge.connect(handset.serial)
