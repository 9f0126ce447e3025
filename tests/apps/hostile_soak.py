"""The stated repetitions on hostile pages (robustness F12, H1, H5 to H10), with the figures `make soak` reports."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from apps.hostile import CANARY, PAGES, POLLUTIONS, Server, serving
from apps.hostile.pages import ORDER
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard, SetText
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.driver import PerformDispatched
from uiap.drivers.errors import DriverError
from uiap.drivers.events import GraphChanged
from uiap.graph.outline import outline
from uiap.graph.store import GraphStore
from uiap.spec.web import PageGraph, SnapshotOptions

Figures = dict[str, Any]
REPEATED = 20
STEP_SECONDS = 3.0
SIZES = {
    "10,000 elements": ("many", 10_000),
    "100,000 elements": ("many", 100_000),
    "50 deep frames": ("deep_frames", 50),
    "200 shadow roots": ("shadows", 200),
    "infinite scroll": ("infinite_scroll", 50),
    "cycles": ("cycles", 20),
}
STUCK = ("loop", "flood", "alerts", "history", "frames")


class Stage:
    """One browser and the hostile pages."""

    def __init__(self, browser: ChromiumBrowser, hostile: Server) -> None:
        self.browser, self.hostile = browser, hostile

    @asynccontextmanager
    async def session(self) -> AsyncIterator[tuple[ChromiumDriver, Recorder]]:
        driver, recorder = ChromiumDriver(self.browser), Recorder()
        await driver.start(recorder)
        yield driver, recorder
        await driver.close()

    def memory_mib(self) -> float:
        """What the browser and everything below it hold, and this process; what they share is counted once."""
        pid = self.browser.process.pid or 0
        return round(sum(_kib(stat, pid) for stat in Path("/proc").glob("[0-9]*/stat")) / 1024, 1)


def _kib(stat: Path, group: int) -> int:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
        if int(fields[2]) != group and stat.parent.name != str(os.getpid()):
            return 0
        told = (stat.parent / "smaps_rollup").read_text()
    except OSError:
        return 0
    return int(told.partition("\nPss:")[2].split()[0])


@asynccontextmanager
async def staged() -> AsyncIterator[Stage]:
    with serving() as hostile:
        browser = await ChromiumBrowser.launch(environ=os.environ)
        yield Stage(browser, hostile)
        await browser.close()


def p95(seconds: list[float]) -> float:
    return round(statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0], 3)


async def press(driver: ChromiumDriver, name: str, timeout: float = STEP_SECONDS) -> Any:
    graph = await driver.observe()
    node = next(element.instance_id for element in graph.elements if element.name == name)
    return await driver.perform(Click(guard=Guard(node=node, name=name)), timeout=timeout)


async def size(unit: str, repeated: int = REPEATED) -> Figures:
    """F12: load, first graph and a fresh measured snapshot, again and again in fresh sessions."""
    name, n = SIZES[unit]
    arrived, read, graph, most = [], [], None, 0.0
    async with staged() as stage:
        async with stage.session():
            empty = stage.memory_mib()
        for _ in range(repeated):
            async with stage.session() as (driver, recorder):
                begun = time.monotonic()
                await driver.navigate(stage.hostile.page(name, n), timeout=60)
                if name == "deep_frames":
                    await recorder.until(
                        lambda seen=recorder: any("Deepest" in str(e) for e in seen.of(GraphChanged)),  # type: ignore[misc]
                        seconds=60,
                    )
                arrived.append(time.monotonic() - begun)
                begun = time.monotonic()
                graph = await driver.observe(SnapshotOptions(include_bbox=True), timeout=60)
                read.append(time.monotonic() - begun)
                most = max(most, stage.memory_mib())
    assert graph is not None
    return {
        "repeated": repeated,
        "elements published": len(graph.elements),
        "documents": len(graph.documents),
        "said to be left out": graph.truncated.omitted_elements if graph.truncated else 0,
        "load and first graph, s p95": p95(arrived),
        "fresh measured snapshot, s p95": p95(read),
        "memory of browser and Python, MiB, most": most,
        "of which an empty browser holds, MiB": empty,
    }


async def forged(stage: Stage) -> Figures:
    accepted = 0
    async with stage.session() as (driver, recorder):
        for _ in range(5):
            await driver.navigate(stage.hostile.page("forger", 1_000))
            accepted += "FORGED" in str(await driver.observe())
        accepted += sum("FORGED" in str(e) for e in recorder.events if type(e).__name__ == "SignalObserved")
    return {"forged messages": 5_000, "accepted": accepted}


async def ordered(stage: Stage) -> Figures:
    """H5: one plan on pages that differ only in what they tell a reader to do."""
    traces = []
    async with stage.session() as (driver, _):
        for number in range(100):
            said = ORDER if number % 2 else "Have a nice day."
            page = (
                f"<p>{said}</p><button aria-label='Save'>Save</button><img alt='{said}' width=9 height=9>"
                f"<input aria-label=Note><p hidden>{said}</p>"
            )
            await driver.navigate("data:text/html;charset=utf-8," + page.replace("#", "%23"))
            graph = await driver.observe()
            note = next(e.instance_id for e in graph.elements if e.name == "Note")
            wrote = await driver.perform(SetText(guard=Guard(node=note, name="Note"), text="kept"))
            pressed = await press(driver, "Save")
            traces.append((type(wrote).__name__, type(pressed).__name__, held(await driver.observe())))
    return {"pages": len(traces), "different traces": len(set(traces)) - 1}


def held(graph: PageGraph) -> tuple[Any, ...]:
    return tuple(
        (e.role, e.name, e.state.text_value) for e in graph.elements if e.role in ("textbox", "button")
    )


async def patched(stage: Stage) -> Figures:
    def meaning(graph: PageGraph) -> list[Any]:
        return [(e.role, e.name, e.text, e.state) for e in graph.elements]

    different, dead = [], []
    async with stage.session() as (driver, _):
        await driver.navigate(stage.hostile.page("plain"))
        clean = meaning(await driver.observe())
        for number, how in list(enumerate(POLLUTIONS)) * 2:
            await driver.navigate(stage.hostile.page("pollution", number))
            if meaning(await driver.observe()) != clean:
                different.append(how)
            if not isinstance(await press(driver, "Send"), PerformDispatched):
                dead.append(how)
    return {"pages": 2 * len(POLLUTIONS), "graphs that differ": different, "actions that failed": dead}


async def policed(stage: Stage) -> Figures:
    async with stage.session() as (driver, _):
        for _number in range(REPEATED):
            await driver.navigate(stage.hostile.page("strict"))
            assert isinstance(await press(driver, "Send"), PerformDispatched)
            await driver.evidence("screenshot")
    return {"pages": REPEATED, "violations reported": len(stage.hostile.reports)}


async def bounded(stage: Stage) -> Figures:
    leaks = 0
    for _ in range(REPEATED):
        async with stage.session() as (driver, recorder):
            await driver.navigate(stage.hostile.page("boundaries"))
            await press(driver, "Open")
            graph = await driver.observe()
            told = str(recorder.events) + str(graph) + outline(GraphStore(graph))
            leaks += CANARY in told
    return {"pages": REPEATED, "leaks": leaks}


async def stuck(stage: Stage) -> Figures:
    """H10: how long a step takes on a page that never rests, and a step of another session meanwhile."""
    steps, others, failed = [], [], 0
    for name in STUCK * 4:
        async with stage.session() as (driver, _), stage.session() as (other, _):
            await other.navigate(stage.hostile.page("plain"))
            await driver.navigate(stage.hostile.page(name, PAGES[name].n))
            begun = time.monotonic()
            await press(driver, "Go")
            steps.append(time.monotonic() - begun)
            begun = time.monotonic()
            try:
                failed += not isinstance(await press(other, "Send"), PerformDispatched)
            except DriverError:
                failed += 1
            others.append(time.monotonic() - begun)
    return {
        "pages": len(steps),
        "bound of a step, s": STEP_SECONDS,
        "longest step, s": round(max(steps), 2),
        "longest step of the other session, s": round(max(others), 2),
        "steps of the other session that failed": failed,
    }


UNITS: dict[str, Callable[[Stage], Awaitable[Figures]]] = {
    "H1 forged messages": forged,
    "H5 orders to a model": ordered,
    "H7 patched globals": patched,
    "H8 strict policy": policed,
    "H9 boundaries": bounded,
    "H10 never at rest": stuck,
}


async def hostility(unit: str) -> Figures:
    async with staged() as stage:
        return await UNITS[unit](stage)


def wrong_sizes(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for unit, figures in all_figures.items():
        # F12: within the limit, or bounded and said to be; ten thousand elements are never cut
        limit = 10.0 if unit.startswith("100,000") else 1.0
        late = unit.endswith("elements") and figures["fresh measured snapshot, s p95"] > limit
        if late and not figures["said to be left out"]:
            wrong.append(f"{unit}: a snapshot took {figures['fresh measured snapshot, s p95']} s (p95)")
        held = (
            figures["memory of browser and Python, MiB, most"]
            - figures["of which an empty browser holds, MiB"]
        )
        if held > 1024:
            wrong.append(f"{unit}: {held} MiB more than an empty browser")
    return wrong


def wrong_hostility(all_figures: dict[str, Figures]) -> list[str]:
    zero = ("accepted", "different traces", "graphs that differ", "actions that failed", "violations reported",
            "leaks", "steps of the other session that failed")  # fmt: skip
    wrong = [
        f"{unit}: {seen[what]} {what}"
        for unit, seen in all_figures.items()
        for what in zero
        if seen.get(what)
    ]
    stuck = all_figures.get("H10 never at rest", {})
    if stuck.get("longest step, s", 0) > STEP_SECONDS + 2:
        wrong.append(f"a step took {stuck['longest step, s']} s")
    return wrong
