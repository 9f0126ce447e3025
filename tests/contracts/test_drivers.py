"""One test suite for all drivers, which must behave as their facts declare.

To add a driver, add an entry to `HARNESSES` that opens the same small application in it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import pytest
import pytest_asyncio

from tests.drivers.android.harness import AndroidHarness
from tests.drivers.appium.harness import AppiumHarness
from tests.drivers.chromium.site import Site
from tests.drivers.desktop.session import APPS, desktop, missing, missing_module
from tests.drivers.playwright.browser import playwright_chromium
from tests.drivers.recorder import Recorder
from uiap.actions.ops import (
    OP_KINDS,
    Adjust,
    AnyOp,
    Check,
    Click,
    Dismiss,
    Drag,
    Focus,
    Guard,
    Highlight,
    Holds,
    Hover,
    Invoke,
    LongPress,
    Pinch,
    Press,
    Scroll,
    ScrollIntoView,
    Select,
    SetFiles,
    SetText,
    Submit,
    TypeText,
)
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.desktop import DesktopDriver
from uiap.drivers.driver import Dialog, Driver, PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import BlockedByDialog, DriverError, NotSupported
from uiap.drivers.events import (
    GraphChanged,
    Navigated,
    PageDialogClosed,
    PageDialogOpened,
    TabClosed,
    TabOpened,
)
from uiap.drivers.playwright import PlaywrightDriver
from uiap.drivers.scripted import SCRIPTED_FACTS, App, ScriptedDriver, ScriptedPage, Widget
from uiap.graph.store import Applied, GraphStore
from uiap.spec.capability import EXECUTION_MODES
from uiap.spec.web import ElementNode, PageGraph, SnapshotOptions

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HTML = """<title>Notes</title>
<button onclick="document.querySelector('[role=status]').textContent = 'Saved'">Save</button>
<button disabled>Locked</button>
<button onclick="confirm('Really?')">Ask</button>
<input aria-label="Title" value="old">
<label><input type="checkbox">Agree</label>
<select aria-label="Colour"><option>Red<option>Blue</select>
<div role="status">Idle</div>"""


class Harness(Protocol):
    """Opens the application in one driver, resets it, and knows its two addresses."""

    home: str
    other: str

    async def open(self, stack: AsyncExitStack) -> Driver: ...

    async def reset(self, driver: Driver) -> None: ...


class NavigatedHarness:
    """Resets the application by navigation."""

    home: str

    async def reset(self, driver: Driver) -> None:
        for extra in [info.tab for info in driver.tabs.all()][1:]:
            await driver.tabs.close(extra)
        await driver.navigate(self.home)


class WebHarness(NavigatedHarness):
    """The application as web pages."""

    def __init__(self, site: Site) -> None:
        self.home = site.page("/notes", HTML)
        self.other = site.page("/other", "<title>Other</title><button>Elsewhere</button>")


class ChromiumHarness(WebHarness):
    async def open(self, stack: AsyncExitStack) -> Driver:
        browser = await ChromiumBrowser.launch(environ=os.environ)
        stack.push_async_callback(browser.close)
        return ChromiumDriver(browser)


class PlaywrightHarness(WebHarness):
    async def open(self, stack: AsyncExitStack) -> Driver:
        browser = await stack.enter_async_context(playwright_chromium())
        return PlaywrightDriver(await browser.new_page())


class ScriptedHarness(NavigatedHarness):
    home = "http://notes.test/"
    other = "http://notes.test/other"

    def __init__(self, site: Site, **facts: Any) -> None:
        self._facts = replace(SCRIPTED_FACTS, **facts)

    async def open(self, stack: AsyncExitStack) -> Driver:
        def save(app: App) -> None:
            app.set("status", text="Saved")

        def ask(app: App) -> None:
            app.open_dialog(Dialog(kind="confirm", message="Really?"))

        widgets = [
            Widget("save", "button", "Save", on={"click": save}),
            Widget("locked", "button", "Locked", state={"enabled": False}),
            Widget("ask", "button", "Ask", on={"click": ask}),
            Widget("title", "textbox", "Title", state={"textValue": "old"}),
            Widget("agree", "checkbox", "Agree", state={"checked": False}),
            Widget("colour", "combobox", "Colour", state={"textValue": "Red"}, options=["Red", "Blue"]),
            Widget("status", "status", text="Idle"),
        ]
        elsewhere = ScriptedPage(self.other, [Widget("elsewhere", "button", "Elsewhere")], title="Other")
        blank = ScriptedPage("about:blank")
        return ScriptedDriver(
            blank, ScriptedPage(self.home, widgets, title="Notes"), elsewhere, facts=self._facts
        )


class TrackedDesktopDriver(DesktopDriver):
    """Records whether a gesture was performed since the last reset."""

    touched = False

    async def perform(self, op: AnyOp, *, tab: str | None = None, timeout: float = 5.0) -> PerformOutcome:
        outcome = await super().perform(op, tab=tab, timeout=timeout)
        self.touched = self.touched or not isinstance(outcome, PerformRefused)
        return outcome


class DesktopHarness:
    """The application as a window; its own button resets it."""

    other = "desktop:elsewhere"

    def __init__(self, program: str, module: str) -> None:
        self.home = f"desktop:/usr/bin/python3 {APPS / program}"
        self._module, self._round = module, 1

    async def open(self, stack: AsyncExitStack) -> Driver:
        if reason := missing() or missing_module(self._module):
            pytest.skip(reason)
        folder = stack.enter_context(TemporaryDirectory(prefix="uiap-desk-", ignore_cleanup_errors=True))
        environ = stack.enter_context(desktop(Path(folder)))
        return await TrackedDesktopDriver.open(self.home, environ=environ)

    async def reset(self, driver: Driver) -> None:
        assert isinstance(driver, TrackedDesktopDriver)
        if driver.touched:
            self._round += 1
            stage = Stage(driver, Recorder(), self)
            await driver.perform(Click(guard=await stage.guard("Reset"), mode="semanticUi"))
            await stage.eventually(lambda graph: f"round {self._round}" in texts(graph))
        driver.touched = False


HARNESSES: dict[str, Callable[[Site], Harness]] = {
    "chromium": ChromiumHarness,
    "playwright": PlaywrightHarness,
    "scripted": ScriptedHarness,
    "desktop-gtk": lambda site: DesktopHarness("notes_gtk.py", "gi"),
    "desktop-qt": lambda site: DesktopHarness("notes_qt.py", "PyQt5"),
    "android": lambda site: AndroidHarness(),
    "appium-android": lambda site: AppiumHarness("Android"),
    "appium-ios": lambda site: AppiumHarness("iOS"),
    "scripted-pull": lambda site: ScriptedHarness(site, push=False, attribution="time", read_cost_s=0.2),
}


class Stage:
    """An opened driver at the application's home."""

    def __init__(self, driver: Driver, recorder: Recorder, harness: Harness) -> None:
        self.driver = driver
        self.recorder = recorder
        self.harness = harness

    async def graph(self) -> PageGraph:
        return await self.driver.observe()

    async def element(self, name: str) -> ElementNode:
        graph = await self.graph()
        # a visible label is an element with the same name as its field
        (found,) = [each for each in graph.elements if each.name == name and each.role != "label"]
        return found

    async def guard(self, name: str) -> Guard:
        element = await self.element(name)
        return Guard(node=element.instance_id, role=element.role, name=name)

    async def eventually(self, condition: Callable[[PageGraph], bool]) -> PageGraph:
        async with asyncio.timeout(60):
            while not condition(graph := await self.graph()):
                await asyncio.sleep(0.01)
        return graph


@pytest.fixture(scope="module")
def site() -> Any:
    served = Site()
    yield served
    served.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=HARNESSES)
async def opened(
    request: pytest.FixtureRequest, site: Site
) -> AsyncIterator[tuple[Driver, Recorder, Harness]]:
    harness = HARNESSES[request.param](site)
    async with AsyncExitStack() as stack:
        driver, recorder = await harness.open(stack), Recorder()
        await driver.start(recorder)
        yield driver, recorder, harness
        await driver.close()


@pytest_asyncio.fixture(loop_scope="module")
async def stage(opened: tuple[Driver, Recorder, Harness]) -> Stage:
    driver, recorder, harness = opened
    await harness.reset(driver)
    recorder.events.clear()
    return Stage(driver, recorder, harness)


def texts(graph: PageGraph) -> set[object]:
    return {element.text for element in graph.elements} | {element.name for element in graph.elements}


async def test_facts_use_only_defined_values(stage: Stage) -> None:
    facts = stage.driver.facts
    assert set(facts.ops) <= set(OP_KINDS) and facts.ops
    assert set(facts.modes) <= set(EXECUTION_MODES) and facts.modes
    assert facts.profile == (await stage.graph()).profile
    assert facts.push or facts.read_cost_s > 0, "a driver that pushes no changes says what a read costs"


ONE_OF_EACH: dict[str, Callable[[Guard], AnyOp]] = {
    "adjust": lambda guard: Adjust(guard=guard, value=7),
    "check": lambda guard: Check(guard=guard, checked=True),
    "click": lambda guard: Click(guard=guard),
    "dismiss": lambda guard: Dismiss(guard=guard),
    "drag": lambda guard: Drag(guard=guard, dx=5),
    "focus": lambda guard: Focus(guard=guard),
    "highlight": lambda guard: Highlight(guard=guard),
    "holds": lambda guard: Holds(guard=guard, text="x"),
    "hover": lambda guard: Hover(guard=guard),
    "invoke": lambda guard: Invoke(guard=guard, action="note.save"),
    "longPress": lambda guard: LongPress(guard=guard),
    "pinch": lambda guard: Pinch(guard=guard, scale=2),
    "press": lambda guard: Press(guard=guard, key="Enter"),
    "scroll": lambda guard: Scroll(guard=guard, dy=10),
    "scrollIntoView": lambda guard: ScrollIntoView(guard=guard),
    "select": lambda guard: Select(guard=guard, values=("Red",)),
    "setFiles": lambda guard: SetFiles(guard=guard, paths=()),
    "setText": lambda guard: SetText(guard=guard, text="x"),
    "submit": lambda guard: Submit(guard=guard),
    "typeText": lambda guard: TypeText(guard=guard, text="x"),
}


async def test_every_op_has_a_contract() -> None:
    assert set(ONE_OF_EACH) == set(OP_KINDS)


@pytest.mark.parametrize("kind", OP_KINDS)
async def test_op_is_supported_exactly_if_the_facts_list_it(stage: Stage, kind: str) -> None:
    document = (await stage.graph()).documents[0].document_id
    outcome = await stage.driver.perform(ONE_OF_EACH[kind](Guard(node=f"{document}e99999")))
    assert isinstance(outcome, PerformRefused)
    assert outcome.reason == ("gone" if kind in stage.driver.facts.ops else "unsupported")


async def test_holds_compares_the_text_of_a_field_without_changing_it(stage: Stage) -> None:
    guard = await stage.guard("Title")
    await stage.driver.perform(SetText(guard=guard, text="kept", mode="semanticUi"))
    assert isinstance(await stage.driver.perform(Holds(guard=guard, text="kept")), PerformDispatched)
    refused = await stage.driver.perform(Holds(guard=guard, text="other"))
    assert isinstance(refused, PerformRefused) and refused.detail == "differs"
    assert isinstance(await stage.driver.perform(Holds(guard=guard, text="kept")), PerformDispatched)


async def test_mode_outside_the_facts_is_refused(stage: Stage) -> None:
    guard = await stage.guard("Save")
    # the host decides about visionAssist; for a driver it is a trusted press, or unsupported
    for mode in set(EXECUTION_MODES) - set(stage.driver.facts.modes) - {"visionAssist"}:
        outcome = await stage.driver.perform(Click(guard=guard, mode=mode))
        assert isinstance(outcome, PerformRefused) and outcome.reason == "unsupported"


async def test_observed_graph_is_complete_and_loads_into_a_store(stage: Stage) -> None:
    graph = await stage.graph()
    assert {"Save", "Locked", "Title", "Agree", "Colour", "Idle"} <= texts(graph)
    assert [document.kind for document in graph.documents] == ["root"]
    ids = {element.instance_id for element in graph.elements}
    assert len(ids) == len(graph.elements)
    assert all(not e.parent_instance_id or e.parent_instance_id in ids for e in graph.elements)
    assert isinstance(GraphStore().load(graph), Applied)


async def test_observing_twice_without_change_gives_the_same_graph(stage: Stage) -> None:
    first, second = await stage.graph(), await stage.graph()
    assert (first.seq, first.elements) == (second.seq, second.elements)


async def test_options_reduce_the_graph(stage: Stage) -> None:
    graph = await stage.driver.observe(SnapshotOptions(max_elements=2, include_text=False))
    assert len(graph.elements) == 2
    assert graph.truncated and graph.truncated.omitted_elements > 0
    assert all(not element.text for element in graph.elements)


async def test_dispatched_gesture_has_its_effect_after_its_revision(stage: Stage) -> None:
    outcome = await stage.driver.perform(Click(guard=await stage.guard("Save")))
    assert isinstance(outcome, PerformDispatched)
    graph = await stage.eventually(lambda graph: "Saved" in texts(graph))
    assert graph.seq > outcome.seq


async def test_changes_are_pushed_as_deltas_that_follow_the_observed_graph(stage: Stage) -> None:
    if not stage.driver.facts.push:
        await stage.driver.perform(Click(guard=await stage.guard("Save")))
        assert not stage.recorder.of(GraphChanged)  # a driver without push is polled
        return
    before = await stage.graph()
    store = GraphStore(before)
    await stage.driver.perform(Click(guard=await stage.guard("Save")))
    after = await stage.eventually(lambda graph: "Saved" in texts(graph))
    for event in stage.recorder.of(GraphChanged):
        if before.seq < event.seq <= after.seq:
            assert event.delta is not None and isinstance(store.apply(event.delta), Applied)
    assert store.snapshot().elements == after.elements


async def test_own_change_is_attributed_if_the_facts_declare_it(stage: Stage) -> None:
    if stage.driver.facts.attribution != "causal" or not stage.driver.facts.push:
        pytest.skip("this driver declares attribution by time")
    outcome = await stage.driver.perform(Click(guard=await stage.guard("Save")))
    assert isinstance(outcome, PerformDispatched) and outcome.token
    await stage.recorder.first(GraphChanged, lambda event: event.token == outcome.token)


@pytest.mark.parametrize("terms", [{"name": "Delete"}, {"role": "link"}, {"record": "row-7"}])
async def test_guard_that_does_not_hold_refuses_without_effect(stage: Stage, terms: dict[str, Any]) -> None:
    node = (await stage.element("Save")).instance_id
    outcome = await stage.driver.perform(Click(guard=Guard(node=node, **terms)))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "changed"
    assert "Idle" in texts(await stage.graph())


async def test_disabled_target_is_refused(stage: Stage) -> None:
    outcome = await stage.driver.perform(Click(guard=await stage.guard("Locked")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "disabled"


def is_supported(stage: Stage, kind: str, outcome: PerformOutcome) -> bool:
    """Return whether the facts list this op; if not, check that it was refused as unsupported."""
    if kind in stage.driver.facts.ops:
        return True
    assert isinstance(outcome, PerformRefused) and outcome.reason == "unsupported"
    return False


def state(name: str, member: str, value: object) -> Callable[[PageGraph], bool]:
    return lambda graph: any(
        element.name == name and getattr(element.state, member) == value for element in graph.elements
    )


@pytest.mark.parametrize(
    ("name", "op", "member", "value"),
    [
        ("Title", lambda guard: SetText(guard=guard, text="new"), "text_value", "new"),
        ("Title", lambda guard: SetText(guard=guard, text="new", mode="semanticUi"), "text_value", "new"),
        ("Title", lambda guard: SetText(guard=guard, text=""), "text_value", ""),
        ("Agree", lambda guard: Check(guard=guard, checked=True), "checked", True),
        ("Colour", lambda guard: Select(guard=guard, values=("Blue",)), "text_value", "Blue"),
    ],
)
async def test_control_takes_its_new_value(
    stage: Stage, name: str, op: Callable[[Guard], AnyOp], member: str, value: object
) -> None:
    wanted = op(await stage.guard(name))
    outcome = await stage.driver.perform(wanted)
    if not is_supported(stage, wanted.kind, outcome):
        return
    assert isinstance(outcome, PerformDispatched)
    await stage.eventually(state(name, member, value))


async def test_missing_option_is_refused_and_changes_nothing(stage: Stage) -> None:
    outcome = await stage.driver.perform(Select(guard=await stage.guard("Colour"), values=("Green",)))
    if not is_supported(stage, "select", outcome):
        return
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"
    assert state("Colour", "text_value", "Red")(await stage.graph())


async def test_focus_is_part_of_the_graph(stage: Stage) -> None:
    title = await stage.guard("Title")
    if not is_supported(stage, "focus", await stage.driver.perform(Focus(guard=title))):
        return
    await stage.eventually(lambda graph: bool(graph.focus and graph.focus.target == title.node))


async def test_probe_reports_attached_and_missing_elements(stage: Stage) -> None:
    save, locked = (await stage.element("Save")).instance_id, (await stage.element("Locked")).instance_id
    facts = await stage.driver.probe([save, locked, "d0e1"])
    assert (facts[save].attached, facts[save].visible, facts[save].enabled) == (True, True, True)
    assert (facts[save].role, facts[save].name) == ("button", "Save")
    assert facts[locked].enabled is False
    assert facts["d0e1"].attached is False


async def test_navigation_is_a_new_graph_and_old_refs_are_gone(stage: Stage) -> None:
    if "navigate" not in stage.driver.facts.surfaces:
        refused = await stage.driver.navigate(stage.harness.other)
        assert isinstance(refused, PerformRefused) and refused.reason == "unsupported"
        assert "Save" in texts(await stage.graph())
        return
    old = await stage.guard("Save")
    before = (await stage.graph()).seq
    assert isinstance(await stage.driver.navigate(stage.harness.other), PerformDispatched)
    graph = await stage.eventually(lambda graph: "Elsewhere" in texts(graph))
    assert graph.seq > before and graph.route.url == stage.harness.other
    assert [event.url for event in stage.recorder.of(Navigated)] == [stage.harness.other]
    outcome = await stage.driver.perform(Click(guard=old))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "gone"


async def test_dialog_blocks_until_it_is_answered(stage: Stage) -> None:
    driver, save = stage.driver, await stage.guard("Save")
    if "dialogs" not in driver.facts.surfaces:
        await check_dialog_in_the_graph(stage)
        return
    outcome = await driver.perform(Click(guard=await stage.guard("Ask")))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "dialog"
    dialog = driver.dialog.current()
    assert dialog is not None and (dialog.kind, dialog.message) == ("confirm", "Really?")
    assert (await driver.perform(Click(guard=save))) == PerformRefused(
        "dialog", "a JavaScript confirm is open; answer it first"
    )
    with pytest.raises(BlockedByDialog):
        await driver.observe()
    await driver.dialog.answer(False)
    assert driver.dialog.current() is None
    assert [event.kind for event in stage.recorder.of(PageDialogOpened)] == ["confirm"]
    assert [event.accepted for event in stage.recorder.of(PageDialogClosed)] == [False]
    assert isinstance(await driver.perform(Click(guard=save)), PerformDispatched)


async def check_dialog_in_the_graph(stage: Stage) -> None:
    """Check a dialog that is part of the graph: it blocks all input until its own button is pressed."""
    driver, save = stage.driver, await stage.guard("Save")
    assert isinstance(await driver.perform(Click(guard=await stage.guard("Ask"))), PerformDispatched)
    graph = await stage.eventually(lambda graph: bool(graph.modal_stack))
    assert driver.dialog.current() is None and "Really?" in texts(graph)
    outcome = await driver.perform(Click(guard=save))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "obscured"
    with pytest.raises(NotSupported):
        await driver.dialog.answer(False)
    await driver.perform(Click(guard=await stage.guard("Leave it")))
    await stage.eventually(lambda graph: not graph.modal_stack)
    assert isinstance(await driver.perform(Click(guard=save)), PerformDispatched)


async def test_tabs_open_with_their_own_graph_and_close_again(stage: Stage) -> None:
    if "tabs" not in stage.driver.facts.surfaces:
        assert [info.active for info in stage.driver.tabs.all()] == [True]
        with pytest.raises(NotSupported):
            await stage.driver.tabs.open(stage.harness.other)
        return
    tabs, first = stage.driver.tabs, stage.driver.tabs.active
    second = await tabs.open(stage.harness.other)
    assert tabs.active == second
    assert "Elsewhere" in texts(await stage.driver.observe(tab=second))
    assert "Save" in texts(await stage.driver.observe(tab=first))
    await tabs.activate(first)
    assert [(info.tab, info.active) for info in tabs.all()] == [(first, True), (second, False)]
    await tabs.close(second)
    await stage.recorder.first(TabClosed, lambda event: event.tab == second)
    assert [event.tab for event in stage.recorder.of(TabOpened)] == [second]


async def test_storage_state_can_be_saved_and_loaded(stage: Stage) -> None:
    state = await stage.driver.storage.save()
    assert set(state) == {"cookies", "origins"}
    await stage.driver.storage.load(state)


async def test_flush_returns_the_revision_that_is_then_current(stage: Stage) -> None:
    seq = await stage.driver.flush()
    assert seq == (await stage.graph()).seq


async def test_event_times_never_decrease(stage: Stage) -> None:
    await stage.driver.perform(Click(guard=await stage.guard("Save")))
    await stage.eventually(lambda graph: "Saved" in texts(graph))
    times = [event.at for event in stage.recorder.events]
    assert times == sorted(times)


@pytest.mark.parametrize("harness", HARNESSES)
async def test_closed_driver_fails_fast_and_can_be_closed_again(harness: str, site: Site) -> None:
    async with AsyncExitStack() as stack:
        driver = await HARNESSES[harness](site).open(stack)
        await driver.start(Recorder())
        await driver.close()
        await driver.close()
        calls: list[Awaitable[Any]] = [driver.observe(), driver.evaluate("1"), driver.flush()]
        for call in calls:
            with pytest.raises(DriverError):
                async with asyncio.timeout(5):
                    await call
