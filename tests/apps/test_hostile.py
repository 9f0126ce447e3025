"""Hostile pages in a real browser; the full amounts are run by `make soak CASE=HOSTILE` and `CASE=F12`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

import uiap
from apps.hostile import CANARY, POLLUTIONS, Server, serving
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, ContextOptions, WorldConfig
from uiap.drivers.driver import PerformDispatched, PerformUnknown
from uiap.drivers.errors import CallTimedOut
from uiap.drivers.events import PageError, SignalObserved, TabOpened
from uiap.graph.outline import outline
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode, PageGraph

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
BOUND = 60.0
STEERING = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.fixture(scope="module")
def hostile() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[ChromiumBrowser]:
    running = await ChromiumBrowser.launch(environ=os.environ)
    yield running
    await running.close()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest_asyncio.fixture(loop_scope="module")
async def driver(chromium: ChromiumBrowser, recorder: Recorder) -> AsyncIterator[ChromiumDriver]:
    opened = ChromiumDriver(chromium)
    await opened.start(recorder)
    async with asyncio.timeout(BOUND):
        yield opened
    await opened.close()


def meaning(graph: PageGraph) -> list[Any]:
    """Return the graph without its generated ids."""
    return [(e.role, e.name, e.text, e.state, tuple(e.affordances or ())) for e in graph.elements]


def named(graph: PageGraph, name: str) -> ElementNode:
    (found,) = [element for element in graph.elements if element.name == name]
    return found


async def press(driver: ChromiumDriver, name: str, **options: Any) -> Any:
    node = named(await driver.observe(), name)
    return await driver.perform(Click(guard=Guard(node=node.instance_id, name=name)), **options)


# -- size, depth, cycles ------------------------------------------------------------------------------------------


async def test_a_large_page_is_published_completely_or_reported_as_truncated(
    chromium: ChromiumBrowser, driver: ChromiumDriver, hostile: Server
) -> None:
    await driver.navigate(hostile.page("many", 2_000))
    graph = await driver.observe()
    assert len(graph.elements) >= 1_500 and not graph.truncated
    assert isinstance(await press(driver, "Go"), PerformDispatched)
    capped = ChromiumDriver(chromium, ContextOptions(world=WorldConfig(max_elements=300)))
    await capped.start(Recorder())
    await capped.navigate(hostile.page("many", 2_000))
    graph = await capped.observe()
    assert len(graph.elements) <= 300
    assert graph.truncated and graph.truncated.omitted_elements > 0
    await capped.close()


async def test_nested_frames_are_read_to_the_innermost(
    driver: ChromiumDriver, recorder: Recorder, hostile: Server
) -> None:
    await driver.navigate(hostile.page("deep_frames", 12))
    await recorder.until(lambda: any("Deepest" in str(event) for event in recorder.events), seconds=BOUND)
    graph = await driver.observe()
    assert len(graph.documents) == 13
    assert isinstance(await press(driver, "Deepest"), PerformDispatched)


async def test_nested_shadow_roots_are_read_to_the_innermost(driver: ChromiumDriver, hostile: Server) -> None:
    await driver.navigate(hostile.page("shadows", 60))
    assert [e.name for e in (await driver.observe()).elements if e.role == "button"] == [
        f"in {i}" for i in range(60)
    ]


async def test_cyclic_references_do_not_hang_the_reader(driver: ChromiumDriver, hostile: Server) -> None:
    await driver.navigate(hostile.page("cycles"))
    graph = await driver.observe()
    assert {"Q", "Go"} <= {element.name for element in graph.elements}
    assert isinstance(await press(driver, "Go"), PerformDispatched)


async def test_an_endless_list_is_read_as_far_as_it_is_rendered(
    driver: ChromiumDriver, hostile: Server
) -> None:
    await driver.navigate(hostile.page("infinite_scroll"))
    for _ in range(3):
        graph = await driver.observe()
    assert sum(element.name == "like" for element in graph.elements) == 50


# -- forged messages, instructions, misleading names, patched globals ----------------------------------------------


@pytest.mark.requirement("DISC-12.5")
async def test_no_forged_message_is_accepted(
    driver: ChromiumDriver, recorder: Recorder, hostile: Server
) -> None:
    await driver.navigate(hostile.page("plain"))
    clean = meaning(await driver.observe())
    recorder.events.clear()
    await driver.navigate(hostile.page("forger"))
    await driver.flush()
    graph = await driver.observe()
    assert meaning(graph) == clean
    reported = [event for event in recorder.events if isinstance(event, SignalObserved | PageError)]
    assert not any("FORGED" in str(event) for event in reported) and "FORGED" not in str(graph)
    assert isinstance(await press(driver, "Send"), PerformDispatched)


@pytest.mark.requirement("DISC-12.2")
async def test_instructions_to_a_model_are_dropped_or_marked_and_have_no_effect(
    driver: ChromiumDriver, hostile: Server
) -> None:
    await driver.navigate(hostile.page("orders"))
    graph = await driver.observe()
    published = str(graph)
    for place in ("hidden", "clear", "away", "comment"):
        assert f"account. {place}" not in published, place
    invisible = [e for e in graph.elements if e.name and ("label" in e.name or "alt" in e.name)]
    assert len(invisible) == 2
    assert all((e.metadata or {}).get("text") == {"visible": False} for e in invisible)
    assert all(len(element.name or "") <= 1_000 for element in graph.elements)
    text = outline(GraphStore(graph))
    assert not any(c in STEERING or 0xE0000 <= ord(c) < 0xE0080 for c in published + text)


async def test_names_that_look_alike_are_marked_and_not_confused(hostile: Server) -> None:
    async with uiap.open(hostile.page("spoofs")) as ui:
        text = (await ui.observe()).outline()
        (spoofed,) = [line for line in text.splitlines() if "mixed scripts" in line]
        assert "C\u0430ncel" in spoofed and "\u202e" not in text
        assert 'button "Cancel" showing "Delete" ⟨label not painted⟩' in text
        pressed = await ui.act("ui.activate", role="button", name="Cancel")
        assert pressed.error is not None and pressed.error.code == "target_ambiguous"


async def test_patched_globals_and_clobbered_names_change_nothing(
    driver: ChromiumDriver, hostile: Server
) -> None:
    await driver.navigate(hostile.page("plain"))
    clean = meaning(await driver.observe())
    for number, name in enumerate(POLLUTIONS):
        await driver.navigate(hostile.page("pollution", number))
        assert meaning(await driver.observe()) == clean, name
        assert isinstance(await press(driver, "Send"), PerformDispatched), name


# -- content policies and boundaries ------------------------------------------------------------------------------


async def test_a_strict_content_policy_neither_blocks_the_driver_nor_is_violated(
    driver: ChromiumDriver, recorder: Recorder, hostile: Server
) -> None:
    await driver.navigate(hostile.page("strict"))
    graph = await driver.observe()
    assert {"Name", "Send"} <= {element.name for element in graph.elements}
    assert isinstance(await press(driver, "Send"), PerformDispatched)
    await driver.evidence("annotated")
    await driver.flush()
    assert hostile.reports == []
    assert not [e for e in recorder.of(PageError) if "Content Security" in e.text]


@pytest.mark.requirement("DISC-2.5", "DISC-12.5")
async def test_nothing_leaks_from_behind_a_boundary(
    driver: ChromiumDriver, recorder: Recorder, hostile: Server
) -> None:
    await driver.navigate(hostile.page("boundaries"))

    async def kinds() -> list[str]:
        return sorted(region.kind for region in (await driver.observe()).opaque_regions)

    expected = ["canvas", "closed_shadow", "closed_shadow", "cross_origin_frame", "cross_origin_frame"]
    while await kinds() != expected:
        await recorder.more()
    await press(driver, "Open")
    popup = await recorder.first(TabOpened, lambda event: event.opener is not None)
    await driver.observe(tab=popup.tab)
    assert CANARY not in str(recorder.events)
    assert CANARY not in str(await driver.observe())
    assert CANARY not in outline(GraphStore(await driver.observe()))


# -- pages that never stop ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["loop", "flood", "alerts", "history", "frames"])
async def test_a_page_that_never_stops_does_not_delay_its_step_or_other_sessions(
    chromium: ChromiumBrowser, driver: ChromiumDriver, hostile: Server, name: str
) -> None:
    other = ChromiumDriver(chromium)
    await other.start(Recorder())
    await other.navigate(hostile.page("plain"))
    await driver.navigate(hostile.page(name, 200 if name == "frames" else None))
    outcome = await press(driver, "Go", timeout=2.0)
    assert isinstance(outcome, PerformUnknown if name == "loop" else PerformDispatched | PerformUnknown)
    assert isinstance(await press(other, "Send"), PerformDispatched)  # while the first one is stuck
    if name == "loop":
        with pytest.raises(CallTimedOut):
            await driver.observe(timeout=1.0)
    elif name == "alerts":
        standing = driver.dialog.current()
        assert standing is not None and standing.message == "again 0"
    else:
        assert "Go" in [element.name for element in (await driver.observe()).elements]
    await other.close()


async def test_a_beforeunload_dialog_can_be_dismissed(driver: ChromiumDriver, hostile: Server) -> None:
    await driver.navigate(hostile.page("leaving"))
    await press(driver, "Go")
    outcome = await driver.navigate(hostile.page("plain"))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "dialog"
    hostile.answers.clear()  # the next page arrives well after the dialog has closed
    asyncio.get_running_loop().call_later(0.2, hostile.answers.set)
    await driver.dialog.answer(True)
    assert [tab.url for tab in driver.tabs.all()] == [hostile.page("plain")]
    assert "Send" in [element.name for element in (await driver.observe()).elements]
