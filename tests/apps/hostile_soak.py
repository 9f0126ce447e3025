"""The repetitions on large and hostile pages, with the figures that `make soak` reports (cases F12 and HOSTILE)."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from apps.hostile import CANARY, PAGES, POLLUTIONS, Server, serving
from apps.hostile.pages import INSTRUCTION
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
        """Return the memory of this process and of the browser with all its children; shared pages count once."""
        pid = self.browser.process.pid or 0
        return round(sum(_kib(stat, pid) for stat in Path("/proc").glob("[0-9]*/stat")) / 1024, 1)


def _kib(stat: Path, group: int) -> int:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
        if int(fields[2]) != group and stat.parent.name != str(os.getpid()):
            return 0
        rollup = (stat.parent / "smaps_rollup").read_text()
    except OSError:
        return 0
    return int(rollup.partition("\nPss:")[2].split()[0])


@asynccontextmanager
async def open_stage() -> AsyncIterator[Stage]:
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


async def measure_size(unit: str, repeated: int = REPEATED) -> Figures:
    """Measure load, first graph and a fresh measured snapshot, repeatedly in fresh sessions."""
    name, n = SIZES[unit]
    load_s, read_s, graph, peak = [], [], None, 0.0
    async with open_stage() as stage:
        async with stage.session():
            empty = stage.memory_mib()
        for _ in range(repeated):
            async with stage.session() as (driver, recorder):
                begun = time.monotonic()
                await driver.navigate(stage.hostile.page(name, n), timeout=60)
                if name == "deep_frames":
                    await recorder.until(
                        lambda recorder=recorder: any("Deepest" in str(e) for e in recorder.of(GraphChanged)),  # type: ignore[misc]
                        seconds=60,
                    )
                load_s.append(time.monotonic() - begun)
                begun = time.monotonic()
                graph = await driver.observe(SnapshotOptions(include_bbox=True), timeout=60)
                read_s.append(time.monotonic() - begun)
                peak = max(peak, stage.memory_mib())
    assert graph is not None
    return {
        "repetitions": repeated,
        "elements published": len(graph.elements),
        "documents": len(graph.documents),
        "elements reported as omitted": graph.truncated.omitted_elements if graph.truncated else 0,
        "load and first graph, s p95": p95(load_s),
        "fresh measured snapshot, s p95": p95(read_s),
        "peak memory of browser and Python, MiB": peak,
        "memory of an empty browser, MiB": empty,
    }


async def forge_messages(stage: Stage) -> Figures:
    accepted = 0
    async with stage.session() as (driver, recorder):
        for _ in range(5):
            await driver.navigate(stage.hostile.page("forger", 1_000))
            accepted += "FORGED" in str(await driver.observe())
        accepted += sum("FORGED" in str(e) for e in recorder.events if type(e).__name__ == "SignalObserved")
    return {"forged messages": 5_000, "accepted": accepted}


async def instruct_model(stage: Stage) -> Figures:
    """Follow one plan on pages that differ only in the instructions they give to a reader."""
    traces = []
    async with stage.session() as (driver, _):
        for number in range(100):
            text = INSTRUCTION if number % 2 else "Have a nice day."
            page = (
                f"<p>{text}</p><button aria-label='Save'>Save</button><img alt='{text}' width=9 height=9>"
                f"<input aria-label=Note><p hidden>{text}</p>"
            )
            await driver.navigate("data:text/html;charset=utf-8," + page.replace("#", "%23"))
            graph = await driver.observe()
            note = next(e.instance_id for e in graph.elements if e.name == "Note")
            wrote = await driver.perform(SetText(guard=Guard(node=note, name="Note"), text="kept"))
            pressed = await press(driver, "Save")
            traces.append(
                (type(wrote).__name__, type(pressed).__name__, control_values(await driver.observe()))
            )
    return {"pages": len(traces), "different traces": len(set(traces)) - 1}


def control_values(graph: PageGraph) -> tuple[Any, ...]:
    return tuple(
        (e.role, e.name, e.state.text_value) for e in graph.elements if e.role in ("textbox", "button")
    )


async def patch_globals(stage: Stage) -> Figures:
    def meaning(graph: PageGraph) -> list[Any]:
        return [(e.role, e.name, e.text, e.state) for e in graph.elements]

    different, failed = [], []
    async with stage.session() as (driver, _):
        await driver.navigate(stage.hostile.page("plain"))
        clean = meaning(await driver.observe())
        for number, name in list(enumerate(POLLUTIONS)) * 2:
            await driver.navigate(stage.hostile.page("pollution", number))
            if meaning(await driver.observe()) != clean:
                different.append(name)
            if not isinstance(await press(driver, "Send"), PerformDispatched):
                failed.append(name)
    return {"pages": 2 * len(POLLUTIONS), "graphs that differ": different, "actions that failed": failed}


async def forbid_scripts(stage: Stage) -> Figures:
    async with stage.session() as (driver, _):
        for _number in range(REPEATED):
            await driver.navigate(stage.hostile.page("strict"))
            assert isinstance(await press(driver, "Send"), PerformDispatched)
            await driver.evidence("screenshot")
    return {"pages": REPEATED, "violations reported": len(stage.hostile.reports)}


async def cross_boundaries(stage: Stage) -> Figures:
    leaks = 0
    for _ in range(REPEATED):
        async with stage.session() as (driver, recorder):
            await driver.navigate(stage.hostile.page("boundaries"))
            await press(driver, "Open")
            graph = await driver.observe()
            output = str(recorder.events) + str(graph) + outline(GraphStore(graph))
            leaks += CANARY in output
    return {"pages": REPEATED, "leaks": leaks}


async def never_stop(stage: Stage) -> Figures:
    """Measure a step on a page that never stops changing, and a step of another session at the same time."""
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
        "limit of a step, s": STEP_SECONDS,
        "longest step, s": round(max(steps), 2),
        "longest step of the other session, s": round(max(others), 2),
        "steps of the other session that failed": failed,
    }


UNITS: dict[str, Callable[[Stage], Awaitable[Figures]]] = {
    "forged messages": forge_messages,
    "instructions to a model": instruct_model,
    "patched globals": patch_globals,
    "strict content policy": forbid_scripts,
    "boundaries": cross_boundaries,
    "endless activity": never_stop,
}


async def run_hostile(unit: str) -> Figures:
    async with open_stage() as stage:
        return await UNITS[unit](stage)


def size_problems(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for unit, figures in all_figures.items():
        # a slow snapshot is a problem unless the graph is truncated and says so; 10,000 elements are never truncated
        limit = 10.0 if unit.startswith("100,000") else 1.0
        late = unit.endswith("elements") and figures["fresh measured snapshot, s p95"] > limit
        if late and not figures["elements reported as omitted"]:
            wrong.append(f"{unit}: a snapshot took {figures['fresh measured snapshot, s p95']} s (p95)")
        grown_mib = (
            figures["peak memory of browser and Python, MiB"] - figures["memory of an empty browser, MiB"]
        )
        if grown_mib > 1024:
            wrong.append(f"{unit}: {grown_mib} MiB more than an empty browser")
    return wrong


def hostile_problems(all_figures: dict[str, Figures]) -> list[str]:
    zero = ("accepted", "different traces", "graphs that differ", "actions that failed", "violations reported",
            "leaks", "steps of the other session that failed")  # fmt: skip
    wrong = [
        f"{unit}: {found[name]} {name}"
        for unit, found in all_figures.items()
        for name in zero
        if found.get(name)
    ]
    endless = all_figures.get("endless activity", {})
    if endless.get("longest step, s", 0) > STEP_SECONDS + 2:
        wrong.append(f"a step took {endless['longest step, s']} s")
    return wrong
