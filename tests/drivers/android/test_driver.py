"""The android driver through the real adb and the real adbd, on a simulated Android behind them."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PIL import Image

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


def test_facts_declare_only_what_a_device_supports():
    assert set(ANDROID_FACTS.ops) < set(OP_KINDS) and "pinch" not in ANDROID_FACTS.ops
    assert (ANDROID_FACTS.push, ANDROID_FACTS.atomic, ANDROID_FACTS.attribution) == (False, "reread", "time")


# -- choosing a device --------------------------------------------------------------------------------------


async def test_missing_device_is_reported_with_the_connected_ones(handset: Phone):
    with pytest.raises(Unavailable, match=rf"no device `nobody`; adb sees {handset.serial} \(device\)"):
        await AndroidDriver.open("android:@nobody", environ=handset.environ)


async def test_missing_application_is_reported(handset: Phone):
    with pytest.raises(UiapError, match=r"`org\.absent` is not installed"):
        await AndroidDriver.open(f"android:org.absent@{handset.serial}", environ=handset.environ)


async def test_address_of_the_adb_server_must_be_tcp(tmp_path: Path):
    with pytest.raises(Unavailable, match="is not a tcp address"):
        await AndroidDriver.open("android:", environ={"ADB_SERVER_SOCKET": "localfilesystem:/nowhere"})


async def test_only_device_needs_no_serial(handset: Phone):
    handset.show(notes())
    driver = await AndroidDriver.open("android:org.example.notes", environ=handset.environ)
    assert driver.device.serial == handset.serial
    await driver.close()


async def test_device_with_the_application_is_chosen_and_otherwise_a_serial_is_required(handset: Phone):
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
async def test_typed_text_is_never_a_shell_command(started: Start):
    stage = await started(notes())
    title = await stage.guard("Title")
    assert isinstance(await stage.perform(SetText(guard=title, text=HOSTILE)), PerformDispatched)
    await stage.eventually(holds("Title", "text_value", HOSTILE))
    assert isinstance(await stage.perform(TypeText(guard=title, text="\nmore")), PerformDispatched)
    await stage.eventually(holds("Title", "text_value", HOSTILE + "\nmore"))
    assert set(stage.handset.commands) <= {
        "am", "cmd", "dumpsys", "input", "logcat", "pidof", "settings", "uiautomator", "wm",
    }  # fmt: skip


async def test_untypeable_text_is_refused_before_the_field_is_touched_unless_adbkeyboard_is_selected(
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


async def test_password_field_takes_a_secret_and_reveals_only_its_length(handset: Phone):
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
async def test_each_gesture_sends_its_own_input_command(started: Start):
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
    assert len(stage.handset.inputs) == 8  # it was already checked


async def test_gestures_that_input_does_not_support_are_refused(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    for op in (Pinch(guard=save, scale=2), Click(guard=save, button="right"), Press(key="Hyper")):
        refused = await stage.perform(op)
        assert isinstance(refused, PerformRefused) and refused.detail, op
    assert stage.handset.inputs == []


async def test_scroll_reports_whether_the_list_moved(started: Start):
    app = alive("lan-audio-1")
    stage = await started(app)
    still = await stage.perform(Scroll(dy=600, mode="semanticUi"))
    assert isinstance(still, PerformDispatched) and still.detail["held"] is False
    app.on["swipe"] = lambda app: app.show(alive("lan-audio-2").dump())
    moved = await stage.perform(Scroll(dy=600, mode="semanticUi"))
    assert isinstance(moved, PerformDispatched) and moved.detail["held"] is True


async def test_element_under_the_keyboard_is_not_tapped(started: Start):
    app = alive("lan-audio-1")
    stage = await started(app)
    stage.handset.keyboard = True
    low = await stage.guard("检查更新")
    refused = await stage.perform(Click(guard=low))
    assert (
        isinstance(refused, PerformRefused) and refused.reason == "obscured" and "keyboard" in refused.detail
    )
    assert isinstance(await stage.perform(Click(guard=await stage.guard("Show menu"))), PerformDispatched)


async def test_missing_option_closes_the_list_again(started: Start):
    stage = await started(notes())
    colour = await stage.guard("Colour")
    refused = await stage.perform(Select(guard=colour, values=("Green",)))
    assert isinstance(refused, PerformRefused) and refused.detail == "no_such_option"
    assert "Save" in texts(await stage.driver.observe())


# -- failures -----------------------------------------------------------------------------------------------


async def test_unknown_input_command_is_a_refusal(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    stage.handset.broken_input = "Error: Unknown command: draganddrop"
    outcome = await stage.perform(Drag(guard=save, dx=50))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "unsupported"


async def test_error_of_the_device_during_input_is_an_unknown_outcome(started: Start):
    stage = await started(notes())
    save = await stage.guard("Save")
    stage.handset.broken_input = "java.lang.SecurityException: Injecting input events requires permission"
    outcome = await stage.perform(Click(guard=save))
    assert isinstance(outcome, PerformUnknown) and "SecurityException" in outcome.detail


async def test_lost_device_is_reported_and_used_again_after_a_reconnect(started: Start, handset: Phone):
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


async def test_dump_that_hangs_ends_with_its_timeout_and_nothing_is_touched(started: Start):
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


async def test_closed_driver_answers_at_once(started: Start):
    stage = await started(notes())
    await stage.driver.close()
    await stage.driver.close()
    for call in (stage.driver.observe(), stage.driver.flush(), stage.driver.evaluate("1")):
        with pytest.raises(DriverError):
            await call


# -- applications, screenshots, log -------------------------------------------------------------------------


async def test_applications_are_started_stopped_reset_installed_and_removed(started: Start, tmp_path: Path):
    stage = await started(notes())
    apps, handset = stage.driver.applications, stage.handset
    await apps.restart("org.example.notes/.Main")
    await apps.reset("org.example.notes")
    assert handset.started[-3:] == [
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
    assert handset.granted == {("org.example.notes", "android.permission.CAMERA")}
    await apps.revoke("org.example.notes", "android.permission.CAMERA")
    assert handset.granted == set()


async def test_commands_of_a_device_are_application_actions(started: Start):
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
    )  # this device has no clipboard for a shell
    assert isinstance(await invoke("android.fly"), PerformRefused)


async def test_screenshot_has_black_boxes_over_hidden_elements(started: Start):
    stage = await started(notes())
    save = await stage.element("Save")
    assert save.bbox
    inside = (int(save.bbox.x + save.bbox.width / 2), int(save.bbox.y + save.bbox.height / 2))
    outside = (int(save.bbox.x + save.bbox.width / 2), int(save.bbox.y) - 2)
    bare = await stage.driver.evidence("screenshot")
    hidden = await stage.driver.evidence("screenshot", hide=[save.instance_id])
    colours = [
        [Image.open(io.BytesIO(shot.data)).getpixel(point) for point in (inside, outside)]
        for shot in (bare, hidden)
    ]
    white, black = (255, 255, 255), (0, 0, 0)
    assert colours == [[white, white], [black, white]]


@pytest.mark.requirement("MDM-R7", "MDM-R10")
async def test_log_is_followed_and_only_relevant_lines_are_reported(started: Start):
    stage = await started(notes())
    for line in (
        "11-15 09:00:00.400   900   901 E vendor.hal: sensor went away",
        "11-15 09:00:00.300  4242  4242 E Notes   : cannot save",
        "11-15 09:00:00.500  4242  4242 E AndroidRuntime: FATAL EXCEPTION: main",
    ):
        stage.handset.log(line)
    error = await stage.recorder.first(PageError, lambda event: "FATAL" in event.text)
    assert error.text.startswith("AndroidRuntime")
    reported = [event.text for event in stage.recorder.events if isinstance(event, ConsoleLine | PageError)]
    assert not any("sensor" in text for text in reported)
    assert "sensor went away" in {line.message for line in stage.driver.log}  # available on request


async def test_changes_of_size_and_rotation_are_noticed(started: Start):
    app = alive("lan-audio-1")  # 1200 x 2670, larger than the first size of the device
    stage = await started(app)
    stage.handset.size = "Physical size: 1080x2400\nOverride size: 1200x2670"
    graph = await stage.driver.observe()
    assert graph.viewport and (graph.viewport.width, graph.viewport.height) == (1200, 2670)
    app.root.set("rotation", "1")
    rotated = await stage.driver.observe()
    assert rotated.viewport and (rotated.viewport.width, rotated.viewport.height) == (2670, 1200)


async def test_screen_that_never_becomes_idle_is_an_error_and_not_the_previous_screen(started: Start):
    app = notes()
    stage = await started(app)
    app.set("org.example.notes:id/status", text="Changed")
    stage.handset.failing_dumps = 99
    with pytest.raises(ScreenUnreadable, match="could not get idle state"):
        await stage.driver.observe()
    stage.handset.failing_dumps = 1  # one failed attempt is repeated
    assert "Changed" in texts(await stage.driver.observe())


@pytest.mark.parametrize("wanted", [0, 17, 100])
@pytest.mark.requirement("MDM-R5")
async def test_recorded_slider_is_set_and_read_back(started: Start, wanted: int):
    stage = await started(alive("fractal-controls"))
    slider = await stage.guard("Iterations", "slider")
    outcome = await stage.perform(Adjust(guard=slider, value=wanted, tolerance=1))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is True
    value = (await stage.element("Iterations", "slider")).state.numeric_value
    assert isinstance(value, int) and abs(value - wanted) <= 1


async def test_value_that_cannot_be_read_back_is_refused(started: Start):
    stage = await started(alive("quick-settings"))
    brightness = await stage.guard("屏幕亮度", "slider")
    refused = await stage.perform(Adjust(guard=brightness, value=50))
    assert isinstance(refused, PerformRefused) and refused.reason == "invalid"
    other = await started(alive("fractal-controls"))
    beyond = await other.perform(Adjust(guard=await other.guard("Bailout", "slider"), value=101))
    assert isinstance(beyond, PerformRefused) and beyond.reason == "invalid"
    assert other.handset.inputs == []


async def test_guard_mismatch_is_refused_and_nothing_is_sent(started: Start):
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


async def test_no_process_remains_on_the_device_after_a_session(handset: Phone):
    address = handset.show(notes())
    for _ in range(2):
        driver = await AndroidDriver.open(address, environ=handset.environ)
        await driver.start(Recorder())
        async with asyncio.timeout(30):
            while len(handset.running("logcat")) != 1:
                await asyncio.sleep(0.01)
        await driver.close()
        assert handset.running("logcat") == []


async def test_broken_connection_ends_the_processes_on_the_device(started: Start, handset: Phone):
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
