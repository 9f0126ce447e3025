"""The desktop driver on real applications: galculator, and a form and a slider of zenity.

The contract suite tests the requirements of every driver on GTK and Qt applications.
"""

from __future__ import annotations

import asyncio
import os
import signal
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.drivers.recorder import Recorder
from uiap.actions.ops import (
    OP_KINDS,
    Adjust,
    Click,
    Focus,
    Guard,
    Holds,
    Pinch,
    Press,
    Secret,
    Select,
    SetText,
    TypeText,
)
from uiap.drivers.desktop import DESKTOP_FACTS, DesktopDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused
from uiap.drivers.errors import ConnectionLost, DriverError, NotSupported
from uiap.drivers.events import GraphChanged
from uiap.errors import Unavailable
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import ElementNode, PageGraph

CALCULATOR = "desktop:galculator"
SCALE = "desktop:zenity --scale --text=Volume --min-value=0 --max-value=40 --step=2 --value=10"
FORM = (
    "desktop:zenity --forms --title=Demo --text=Fill --add-entry=Name --add-password=Secret"
    " --add-combo=Colour --combo-values=Red|Green"
)


class Stage:
    """A newly started application."""

    def __init__(self, driver: DesktopDriver, recorder: Recorder) -> None:
        self.driver, self.recorder = driver, recorder

    async def element(self, name: str) -> ElementNode:
        graph = await self.driver.observe()
        (found,) = [one for one in graph.elements if one.name == name and one.role != "label"]
        return found

    async def guard(self, name: str) -> Guard:
        element = await self.element(name)
        return Guard(node=element.instance_id, role=element.role, name=name)

    async def click(self, name: str, mode: str) -> PerformDispatched:
        outcome = await self.driver.perform(Click(guard=await self.guard(name), mode=mode))  # type: ignore[arg-type]
        assert isinstance(outcome, PerformDispatched), outcome
        return outcome

    async def eventually(self, condition: Callable[[PageGraph], bool]) -> PageGraph:
        async with asyncio.timeout(60):
            while not condition(graph := await self.driver.observe()):
                await self.recorder.more()
        return graph


@asynccontextmanager
async def started(address: str, environ: dict[str, str]) -> AsyncIterator[Stage]:
    driver, recorder = await DesktopDriver.open(address, environ=environ), Recorder()
    try:
        await driver.start(recorder)
        yield Stage(driver, recorder)
    finally:
        await driver.close()


def shows(text: str) -> Callable[[PageGraph], bool]:
    return lambda graph: any(one.role == "textarea" and one.text == text for one in graph.elements)


def holds(name: str, member: str, value: object) -> Callable[[PageGraph], bool]:
    return lambda graph: any(
        one.name == name and getattr(one.state, member) == value for one in graph.elements
    )


def test_facts_declare_only_what_a_desktop_supports():
    assert set(DESKTOP_FACTS.ops) < set(OP_KINDS)
    assert (DESKTOP_FACTS.atomic, DESKTOP_FACTS.attribution) == ("reread", "time")
    assert DESKTOP_FACTS.profile == "x.uiap.desktop@0.1"


@pytest.mark.parametrize("mode", ["semanticUi", "externalDriver"])
async def test_calculation_works_by_accessibility_action_and_by_trusted_input(
    environ: dict[str, str], mode: str
):
    async with started(CALCULATOR, environ) as stage:
        for key, display in (("7", "7"), ("+", "7"), ("5", "5"), ("=", "12")):
            before = await stage.click(key, mode)
            graph = await stage.eventually(shows(display))
            assert graph.seq > before.seq or key == "+"


async def test_application_is_a_document_with_windows_as_scopes_and_emits_deltas(
    environ: dict[str, str],
):
    async with started(CALCULATOR, environ) as stage:
        graph = await stage.driver.observe()
        assert graph.profile == "x.uiap.desktop@0.1"
        assert [one.kind for one in graph.documents] == ["root"]
        assert [(one.kind, one.name) for one in graph.scopes] == [("region", "galculator")]
        assert {one.scope_id for one in graph.elements} == {graph.scopes[0].scope_id}
        ids = {one.instance_id for one in graph.elements}
        assert all(not one.parent_instance_id or one.parent_instance_id in ids for one in graph.elements)
        store = GraphStore()
        assert isinstance(store.load(graph), Applied)
        await stage.click("7", "semanticUi")
        await stage.eventually(shows("7"))
        for event in stage.recorder.of(GraphChanged):
            if event.seq > graph.seq:
                assert event.delta is not None and isinstance(store.apply(event.delta), Applied)
        assert store.seq >= graph.seq + 1
        assert any(one.text == "7" for one in store.elements.values())


async def test_guard_mismatch_is_refused_and_nothing_happens(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as stage:
        seven = await stage.guard("7")
        for guard, reason in (
            (Guard(node=seven.node, role="button", name="8"), "changed"),
            (Guard(node=seven.node, role="link"), "changed"),
            (Guard(node=seven.node, record="row-7"), "changed"),
            (Guard(node="d1e99999"), "gone"),
            (await stage.guard("MR"), "disabled"),
        ):
            outcome = await stage.driver.perform(Click(guard=guard))
            assert isinstance(outcome, PerformRefused) and outcome.reason == reason
        display = next(one for one in (await stage.driver.observe()).elements if one.role == "textarea")
        read_only = Guard(node=display.instance_id)
        assert isinstance(await stage.driver.perform(SetText(guard=read_only, text="9")), PerformRefused)
        unknown = await stage.driver.perform(Pinch(guard=seven, scale=2))
        assert isinstance(unknown, PerformRefused) and unknown.reason == "unsupported"
        assert shows("0")(await stage.driver.observe())
        facts = await stage.driver.probe([seven.node, "d1e99999"])
        assert (facts[seven.node].visible, facts[seven.node].role, facts[seven.node].name) == (
            True,
            "button",
            "7",
        )
        assert facts["d1e99999"].attached is False


async def test_keys_reach_the_window_and_the_screenshot_shows_it(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as stage:
        for key in ("4", "2"):
            assert isinstance(await stage.driver.perform(Press(key=key)), PerformDispatched)
        await stage.eventually(shows("42"))
        seven = await stage.element("7")
        bare = await stage.driver.evidence("screenshot")
        hidden = await stage.driver.evidence("screenshot", hide=[seven.instance_id])
        width, height = struct.unpack(">II", bare.data[16:24])
        window = (await stage.driver.observe()).scopes[0].bbox
        assert window and (width, height) == (window.width, window.height)
        assert bare.data.startswith(b"\x89PNG") and hidden.data != bare.data
        with pytest.raises(NotSupported):
            await stage.driver.evidence("annotated")


async def test_attached_application_keeps_running_after_close(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as stage:
        pid = stage.driver.application.pid
        async with started(f"desktop:@{pid}", environ) as other:
            await other.click("8", "semanticUi")
            await other.eventually(shows("8"))
        with pytest.raises(ConnectionLost):
            await other.driver.observe()
        await stage.eventually(shows("8"))
        with pytest.raises(Unavailable, match=r"does not run here; running: .*galculator"):
            await DesktopDriver.open("desktop:@mousepad", environ=environ)


async def test_press_never_hits_a_window_of_another_application(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as below, started(SCALE, environ) as above:
        cover = (await above.driver.observe()).scopes[0].bbox
        assert cover
        covered = [
            one
            for one in (await below.driver.observe()).elements
            if one.role == "button" and one.bbox and one.state.enabled
            if cover.x < one.bbox.x + one.bbox.width / 2 < cover.x + cover.width
            if cover.y < one.bbox.y + one.bbox.height / 2 < cover.y + cover.height
        ]
        assert covered  # without a window manager both windows are in the same corner
        guard = Guard(node=covered[0].instance_id)
        outcome = await below.driver.perform(Click(guard=guard))
        assert isinstance(outcome, PerformRefused) and outcome.reason == "obscured"
        assert isinstance(
            await below.driver.perform(Click(guard=guard, mode="semanticUi")), PerformDispatched
        )


async def test_application_that_hangs_is_reported_and_works_again_later(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as stage:
        seven = await stage.guard("7")
        os.kill(stage.driver.application.pid, signal.SIGSTOP)
        try:
            outcome = await stage.driver.perform(Click(guard=seven), timeout=0.3)
            assert isinstance(outcome, PerformRefused) and outcome.reason == "unavailable"
        finally:
            os.kill(stage.driver.application.pid, signal.SIGCONT)
        await stage.click("8", "semanticUi")
        await stage.eventually(shows("8"))  # the refused 7 was never entered


async def test_slider_has_range_and_step_and_takes_a_value(environ: dict[str, str]):
    async with started(SCALE, environ) as stage:
        slider = await stage.element("Volume")
        state = slider.state
        assert (state.numeric_value, state.min, state.max, state.step) == (10, 0, 40, 2)
        assert slider.source == "heuristic"  # the name comes from the label above
        guard = await stage.guard("Volume")
        outcome = await stage.driver.perform(Adjust(guard=guard, value=28))
        assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is True
        await stage.eventually(holds("Volume", "numeric_value", 28))
        beyond = await stage.driver.perform(Adjust(guard=guard, value=41))
        assert isinstance(beyond, PerformRefused) and beyond.reason == "invalid"


async def test_form_takes_text_keys_a_secret_and_a_choice_and_closes(
    environ: dict[str, str],
):
    async with started(FORM, environ) as stage:
        name, secret, perform = await stage.guard("Name"), await stage.guard("Secret"), stage.driver.perform
        await perform(SetText(guard=name, text="Grüße 日本", mode="semanticUi"))
        await stage.eventually(holds("Name", "text_value", "Grüße 日本"))
        await perform(SetText(guard=name, text="Ada L"))
        await stage.eventually(holds("Name", "text_value", "Ada L"))
        await perform(TypeText(guard=name, text="!"))
        await stage.eventually(holds("Name", "text_value", "Ada L!"))
        assert isinstance(
            await perform(TypeText(guard=name, text="日")), PerformRefused
        )  # the keyboard has no such key
        assert isinstance(await perform(Holds(guard=name, text="Ada L!")), PerformDispatched)
        await perform(SetText(guard=secret, text="hush", mode="semanticUi"))
        assert isinstance(await perform(Holds(guard=secret, text="hush")), PerformDispatched)
        assert isinstance(await perform(Holds(guard=secret, text="hus")), PerformRefused)
        assert isinstance(
            await perform(SetText(guard=secret, text=Secret(name="nobody-knows"))), PerformRefused
        )
        masked = await stage.element("Secret")
        assert masked.state.sensitive is True and not masked.state.text_value and not masked.text
        await perform(Focus(guard=secret))
        await stage.eventually(lambda graph: bool(graph.focus and graph.focus.target == secret.node))
        colour = await stage.guard("Colour")
        assert isinstance(await perform(Select(guard=colour, values=("Blue",))), PerformRefused)
        assert isinstance(await perform(Select(guard=colour, values=("Green",))), PerformDispatched)
        await stage.eventually(holds("Colour", "text_value", "Green"))
        await stage.click("OK", "externalDriver")
        await stage.eventually(lambda graph: not graph.elements and not graph.scopes)
        outcome = await perform(Click(guard=name))
        assert isinstance(outcome, PerformRefused) and outcome.reason == "unavailable"


async def test_closed_driver_answers_at_once_and_has_ended_its_application(environ: dict[str, str]):
    async with started(CALCULATOR, environ) as stage:
        pass
    await stage.driver.close()
    assert stage.driver.application.process is not None
    assert stage.driver.application.process.returncode is not None
    for call in (stage.driver.observe(), stage.driver.flush(), stage.driver.evaluate("1")):
        with pytest.raises(DriverError):
            await call


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("desktop:no-such-program", "the program `no-such-program` does not exist"),
        ("desktop:false", "`false` exited at once with code 1"),
        ("desktop:", "names no application"),
    ],
)
async def test_failed_start_is_reported_in_one_sentence(environ: dict[str, str], address: str, message: str):
    with pytest.raises(Exception, match=message):
        await DesktopDriver.open(address, environ=environ)


async def test_missing_display_is_reported():
    with pytest.raises(Unavailable, match="DISPLAY is not set"):
        await DesktopDriver.open(CALCULATOR, environ={})
