"""`python -m tests.host.workflows.fleet_worker DATABASE PORT RUNS`: execute queued runs of writes until it is killed.

It is a worker without a browser. Each action is one write to a local server, under the name of its run.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from tests.host.workflows.killed_worker import HttpPerformer, Points
from tests.workflow.simulated import ONCE, definition
from uiap.host.clock import SystemClock
from uiap.host.workflows import durable
from uiap.host.workflows.durable import DurableRuns, RunLimits
from uiap.host.workflows.performer import Observation, RunApplication, RunOrder
from uiap.host.workflows.workers import WorkerPresence
from uiap.spec.action import ActionRequestPayload, ActionResultPayload
from uiap.workflow.run import WorkflowTerms

STEPS = 3
APPLICATION = RunApplication(url="http://127.0.0.1/")


def fleet_order(number: int) -> RunOrder:
    """Return a run of three writes, each with a signal that proves it."""

    def step(name: str) -> dict[str, Any]:
        proof = {"policy": "all", "signals": [{"kind": "toast.contains", "text": name}]}
        return {"id": name, **ONCE, "onFailure": {"retry": {"max": 1000}}, "verification": proof}

    steps = [step(f"s{one}") for one in range(STEPS)]
    workflow = definition(*steps, {"id": "done", "type": "complete"})
    terms = WorkflowTerms(instance_id=f"run{number}", definition=workflow, mode="auto")
    return RunOrder(terms=terms, application=APPLICATION)


class NamedPerformer(HttpPerformer):
    """Writes `RUN.STEP`, so that one server tells many runs apart."""

    def __init__(self, port: int, run: str) -> None:
        super().__init__(port, Points(0))
        self._run = run

    async def act(self, request: ActionRequestPayload, _confirmation: Any = None) -> ActionResultPayload:
        step_id = request.metadata["stepId"]  # type: ignore[index]
        named = ActionRequestPayload(
            action_id=request.action_id, metadata={"stepId": f"{self._run}.{step_id}"}
        )
        return await super().act(named)

    async def observe(self, signals: Any, policy: str, timeout_s: float | None) -> Observation:
        there = await asyncio.to_thread(self.fetch, f"{self._run}.")
        missing = tuple(i for i, one in enumerate(signals) if f"{self._run}.{one.text}" not in there)
        return Observation(not missing, missing)


async def execute(database: str, port: int, runs: int) -> None:
    @asynccontextmanager
    async def performers(order: RunOrder) -> AsyncIterator[HttpPerformer]:
        yield NamedPerformer(port, order.terms.instance_id)

    durable.WorkerPresence = partial(WorkerPresence, beat_s=0.5, lost_s=5.0)  # type: ignore[assignment,misc]
    limits = RunLimits(runs=runs, per_application=1000)
    await DurableRuns(database, performers, SystemClock(), limits=limits).launch()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(execute(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
