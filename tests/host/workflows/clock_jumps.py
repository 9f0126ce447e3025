"""Waits of a workflow run while the wall clock jumps (F11). Only monotonic time may end a wait of one process.

After a restart the stored deadline counts, which is wall time: the wait never becomes longer than its timeout, and a
deadline that is over ends it at once.
"""

from __future__ import annotations

import asyncio
import random
from datetime import datetime

from tests.workflow.simulated import DONE, definition, terms
from uiap.host.clock import FakeClock
from uiap.host.workflows.executor import WorkflowExecutor
from uiap.host.workflows.performer import PagePosition, StepPerformer
from uiap.host.workflows.run_store import MemoryRunStore
from uiap.workflow import events as when

JUMPS_S = (-3600.0, 3600.0, -7200.0, 86_400.0, -0.5, 0.5)
TURNS = 200
"""Turns of the event loop after which everything that can happen has happened."""


class NoPage:
    async def position(self) -> PagePosition:
        return PagePosition("/")


class WaitingRun:
    """A run that asks a person for a value, with a timeout."""

    def __init__(self, timeout_s: float) -> None:
        ask = {"id": "ask", "type": "collect", "parameterNames": ["title"], "timeoutMs": timeout_s * 1000}
        title = {"name": "title", "type": "string", "required": True}
        self._terms = terms(definition(ask, DONE, parameters=[title]))
        self.clock, self.store = FakeClock(), MemoryRunStore()
        self.store.poll_s = 0.0
        self.start()

    def start(self) -> None:
        performer: StepPerformer = NoPage()  # type: ignore[assignment]
        self.executor = WorkflowExecutor(self._terms, performer, self.store, self.clock)
        self._task = asyncio.ensure_future(self.executor.run())

    async def status(self) -> str:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        return self.executor.machine.instance.status

    async def restart(self) -> None:
        """Continue in a new process: the monotonic clock is another one, the stored deadline is the same."""
        await self.stop()
        self.clock._mono -= 500.0
        self.start()

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def provide(self) -> None:
        self.store.post("wf_1", when.InputProvided(at=self.clock.now(), values={"title": "Intro"}))


async def wait_under_jumps(seed: int) -> dict[str, int]:
    """Let one wait live through jumps; return how often its state was compared, and how often it was wrong."""
    chance = random.Random(seed)
    timeout_s = chance.choice([5.0, 60.0, 4000.0])
    run, waited_s, compared, wrong = WaitingRun(timeout_s), 0.0, 0, 0
    compared, wrong = 1, int(await run.status() != "waiting_for_input")
    while waited_s < timeout_s * 1.2:
        run.clock.jump_wall(chance.choice(JUMPS_S))
        moved_s = timeout_s * chance.uniform(0.05, 0.4)
        run.clock.advance(moved_s)
        waited_s += moved_s
        expected = "waiting_for_input" if waited_s < timeout_s else "failed"
        compared, wrong = compared + 1, wrong + int(await run.status() != expected)
    await run.stop()
    return {"waits": 1, "states compared": compared, "wrong states": wrong}


async def wait_over_a_restart(seed: int) -> dict[str, int]:
    """Restart in the middle of a wait after a jump: the stored deadline counts, and never prolongs the wait."""
    chance = random.Random(seed)
    run = WaitingRun(60.0)
    await run.status()
    deadline = datetime.fromisoformat(run.clock.now().wall).timestamp() + 60.0
    run.clock.advance(chance.uniform(1.0, 50.0))
    run.clock.jump_wall(chance.choice(JUMPS_S))
    await run.restart()
    left_s = min(max(deadline - datetime.fromisoformat(run.clock.now().wall).timestamp(), 0.0), 60.0)
    wrong = int(await run.status() != ("waiting_for_input" if left_s else "failed"))
    run.clock.advance(left_s + 0.01)
    wrong += int(await run.status() != "failed")
    await run.stop()
    return {"waits": 1, "states compared": 2, "wrong states": wrong}
