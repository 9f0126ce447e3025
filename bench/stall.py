"""Measure how a large, hostile page in one session delays the others of the same process.

The same questions are asked by eight ordinary sessions, first alone and then beside a session whose page has thousands
of elements and private fields, and which is read all the time. They are also asked beside another process that only
uses a core, which shows what the machine itself costs. The event loop is also probed: CPU time that one step of it
takes, which does not depend on other programs of the machine.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from bench.table import Claim, show
from uiap.api.open_session import in_process_sessions
from uiap.api.ui import Ui
from uiap.drivers import events as seen
from uiap.drivers.scripted.app import ScriptedPage, Widget
from uiap.drivers.scripted.driver import ScriptedDriver
from uiap.host.loop.interpreter import tune_for_serving
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.web import ElementNode, WebElementState

SUMMARY = "delay of other sessions by one hostile page (p99 at most 2 times, loop held at most 50 ms)"
SESSIONS, QUESTIONS, ROUNDS, ELEMENTS, PRIVATE = 8, 150, 5, 20_000, 200
AGENT = PolicyPrincipal(type="agent", id="agent")


class LoopProbe:
    """Measures the longest CPU time between two turns of the event loop."""

    def __init__(self) -> None:
        self.worst_s = 0.0

    async def run(self) -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            self.worst_s = max(self.worst_s, time.thread_time() - before)


@asynccontextmanager
async def session(url: str) -> AsyncIterator[tuple[SessionServices, Ui]]:
    """Yield a session on a small page in memory."""
    widgets = [Widget(f"b{number}", "button", f"Button {number}") for number in range(100)]
    services = SessionServices(ScriptedDriver(ScriptedPage(url, widgets)), rules="standard")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(services.close)
        await services.start()
        (caller,) = await stack.enter_async_context(in_process_sessions(services, (AGENT,)))
        yield services, Ui(caller, AsyncExitStack())


def hostile_elements(document: str) -> tuple[ElementNode, ...]:
    """Return elements with texts that begin like private values, and many private fields."""
    made = []
    for number in range(ELEMENTS):
        private = number < PRIVATE
        value = f"secret value {number} of a field" if private else UNSET
        made.append(
            ElementNode(
                instance_id=f"d9e{number}",
                document_id=document,
                role="textbox" if private else "button",
                name=f"Password {number}" if private else f"secret value {number} secret value",
                text="secret value of " * 5,
                state=WebElementState(visible=True, text_value=value),
                affordances=("edit",) if private else ("activate",),
            )
        )
    return tuple(made)


def load_hostile_page(services: SessionServices, elements: tuple[ElementNode, ...]) -> None:
    page = services.page
    base = page.tab().store.snapshot()
    graph = msgspec.structs.replace(
        base, elements=elements, revision=f"rev_hostile_{base.seq}", seq=base.seq + 1
    )
    page.receive(
        seen.GraphChanged(
            tab=page.tab().id,
            at=0.0,
            revision=graph.revision,
            seq=graph.seq,
            graph=graph,
            reason="navigation",
        )
    )


async def ask_ordinary(ui: Ui, times: list[float]) -> None:
    questions: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: ui.outline(budget=500),
        lambda: ui.find("Button 42"),
    )
    for number in range(QUESTIONS):
        before = time.perf_counter()
        await questions[number % 2]()
        times.append(time.perf_counter() - before)
        await asyncio.sleep(0.005)


async def ask_hostile(services: SessionServices, ui: Ui, elements: tuple[ElementNode, ...]) -> None:
    load_hostile_page(services, elements)
    while True:
        await ui.outline(budget=2_000)
        await ui.find("secret value 19999")


class Delay(NamedTuple):
    """The p99 of the answers of ordinary sessions, and the longest step of the loop, in CPU time."""

    p99_ms: float
    step_ms: float


async def measure(ordinary: list[Ui], probe: LoopProbe) -> Delay:
    """Ask the questions of the ordinary sessions, and return their delay."""
    times: list[float] = []
    probe.worst_s = 0.0
    await asyncio.gather(*(ask_ordinary(ui, times) for ui in ordinary))
    return Delay(sorted(times)[int(len(times) * 0.99)] * 1000, probe.worst_s * 1000)


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy with another process."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as burning:
        try:
            yield
        finally:
            burning.kill()


async def compare() -> list[tuple[Delay, Delay, Delay]]:
    """Return the delays alone, beside the hostile page, and beside a busy core, by round."""
    async with AsyncExitStack() as stack:
        sessions = [
            await stack.enter_async_context(session(f"http://app{number}.test/"))
            for number in range(SESSIONS)
        ]
        services, hostile = await stack.enter_async_context(session("http://hostile.test/"))
        elements = hostile_elements(services.page.tab().store.snapshot().documents[0].document_id)
        probe = LoopProbe()
        probing = asyncio.create_task(probe.run())
        ordinary = [ui for _, ui in sessions]
        await measure(ordinary, probe)  # fills caches
        rounds = []
        for _ in range(ROUNDS):
            alone = await measure(ordinary, probe)
            attack = asyncio.create_task(ask_hostile(services, hostile, elements))
            beside = await measure(ordinary, probe)
            await _cancel(attack)
            with busy_core():
                rounds.append((alone, beside, await measure(ordinary, probe)))
        await _cancel(probing)
    return rounds


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def run() -> bool:
    tune_for_serving()  # as `uiap serve` does
    rounds = sorted(asyncio.run(compare()), key=lambda one: one[1].p99_ms / one[0].p99_ms)
    alone, beside, busy = rounds[ROUNDS // 2]
    factors = sorted(one[2].p99_ms / one[0].p99_ms for one in rounds)
    rows = [
        ("", "p99 of the others", "longest step of the loop"),
        ("alone", f"{alone.p99_ms:.1f} ms", f"{alone.step_ms:.1f} ms"),
        (f"beside {ELEMENTS:,} hostile elements", f"{beside.p99_ms:.1f} ms", f"{beside.step_ms:.1f} ms"),
        ("beside another process on one core", f"{busy.p99_ms:.1f} ms", f"{busy.step_ms:.1f} ms"),
        ("the same, median of the rounds", f"{factors[ROUNDS // 2]:.2f} times", ""),
    ]
    ratio = beside.p99_ms / alone.p99_ms
    return show(
        f"one hostile page (median of {ROUNDS} rounds)",
        rows,
        [
            Claim(f"p99 {ratio:.2f} ≤ 2 times", ratio <= 2),
            Claim(f"loop held {beside.step_ms:.1f} ms ≤ 50 ms", beside.step_ms <= 50),
        ],
    )
