"""`python -m tests.host.workflows.killed_worker DATABASE PORT KILL_AT [watch]`: execute a run; be killed at a point.

The points are before and after each journal entry, each claim of an intent and each write. A local server counts the
writes; it is the judge. The worker also plays the person, except with `watch`: where the outcome of a step is not
known, it looks at the server and reports what it finds. It prints the final status, if it gets there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from tests.workflow.simulated import ONCE, definition
from uiap.host.clock import SystemClock
from uiap.host.workflows import durable
from uiap.host.workflows.durable import DurableRuns, RunRecords
from uiap.host.workflows.performer import Observation, PagePosition, RunApplication, RunOrder
from uiap.host.workflows.run_store import DatabaseRunStore
from uiap.host.workflows.workers import WorkerPresence
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, VerificationOutcome
from uiap.workflow import events as when
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.run import WorkflowTerms

STEPS = 12
MAX_KILLS = 1000
"""The retry policy allows a repetition after each kill, once a person reports that the step did not happen."""
INSTANCE = "wf_killed"


def twelve_steps() -> WorkflowTerms:
    """Twelve writes. Every other one has a signal that proves it; for the others a person is asked."""

    def step(number: int) -> dict[str, Any]:
        proof = {"policy": "all", "signals": [{"kind": "toast.contains", "text": f"s{number}"}]}
        verified = {"verification": proof} if number % 2 else {}
        return {"id": f"s{number}", **ONCE, "onFailure": {"retry": {"max": MAX_KILLS}}, **verified}

    steps = [step(number) for number in range(STEPS)]
    return WorkflowTerms(
        instance_id=INSTANCE, definition=definition(*steps, {"id": "done", "type": "complete"}), mode="auto"
    )


class Points:
    """Counts the points that a worker passes, and kills it at one of them."""

    def __init__(self, kill_at: int) -> None:
        self.passed, self._kill_at = 0, kill_at

    def passing(self) -> None:
        self.passed += 1
        if self.passed == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            self.passing()
            result = work(*args)
            self.passing()
            return result

        return counted

    def around_async(self, work: Callable[..., Any]) -> Callable[..., Any]:
        async def counted(*args: Any) -> Any:
            self.passing()
            result = await work(*args)
            self.passing()
            return result

        return counted


class CountingServer:
    """A server that counts the writes of each step. It outlives the workers."""

    def __init__(self) -> None:
        self.writes: list[str] = []
        self._written = threading.Condition()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                with server._written:
                    server.writes.append(self.path.strip("/"))
                    server._written.notify_all()
                self.do_GET()

            def do_GET(self) -> None:
                prefix = self.path.strip("/")
                body = " ".join(one for one in list(server.writes) if one.startswith(prefix)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def wait_for_writes(self, count: int, timeout_s: float) -> bool:
        """Wait until the server has this many writes, and return whether it has."""
        with self._written:
            return self._written.wait_for(lambda: len(self.writes) >= count, timeout_s)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class HttpPerformer:
    """Each action is one write to the server; a signal holds if the server has the write."""

    def __init__(self, port: int, points: Points) -> None:
        self._url, self._points = f"http://127.0.0.1:{port}", points

    def fetch(self, path: str, *, write: bool = False) -> list[str]:
        request = urllib.request.Request(f"{self._url}/{path}", method="POST" if write else "GET")
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read().decode().split()  # type: ignore[no-any-return]

    async def position(self) -> PagePosition:
        return PagePosition("/")

    async def facts(self) -> ConditionFacts:
        return ConditionFacts()

    async def show(self, text: str, target: Any) -> None:
        pass

    async def act(self, request: ActionRequestPayload, _confirmation: Any = None) -> ActionResultPayload:
        step_id = request.metadata["stepId"]  # type: ignore[index]
        await asyncio.to_thread(self._points.around(lambda: self.fetch(step_id, write=True)))
        return ActionResultPayload(
            action_handle="act_1",
            action_id=request.action_id,
            status="succeeded",
            side_effect_state="applied",
            verification=VerificationOutcome(passed=True, policy="none", observed=()),
        )

    def changes(self) -> tuple[str, ...]:
        return ()

    async def reopen(self, url: str) -> str:
        return ""

    def lost(self) -> str:
        return ""

    async def discard(self) -> None:
        pass

    async def observe(self, signals: Any, policy: str, timeout_s: float | None) -> Observation:
        there = await asyncio.to_thread(self.fetch, "")
        missing = tuple(index for index, one in enumerate(signals) if one.text not in there)
        return Observation(not missing, missing)


async def answer_for_person(records: RunRecords, performer: HttpPerformer) -> None:
    """Report what the server has, whenever the run waits for a person."""
    run = await asyncio.to_thread(records.replayed, INSTANCE)
    instance = None if run is None else run.machine.instance
    if instance is not None and instance.status == "waiting_for_user":
        done = instance.current_step_id in performer.fetch("")
        records.post(INSTANCE, when.HandedBack(at=SystemClock().now(), done=done, by="ada"))


async def work(database: str, port: int, kill_at: int, *, person: bool = True) -> str:
    """Execute the run to its end and return its status."""
    points = Points(kill_at)
    durable.DbosJournal.record = points.around_async(durable.DbosJournal.record)  # type: ignore[method-assign]
    DatabaseRunStore.claim = points.around(DatabaseRunStore.claim)  # type: ignore[method-assign]
    performer = HttpPerformer(port, points)

    @asynccontextmanager
    async def performers(_order: RunOrder) -> AsyncIterator[HttpPerformer]:
        yield performer

    durable.WorkerPresence = partial(WorkerPresence, beat_s=0.2, lost_s=2.0)  # type: ignore[assignment,misc]
    runs = DurableRuns(database, performers, SystemClock())
    await runs.launch()
    await runs.start(RunOrder(terms=twelve_steps(), application=RunApplication(url="http://127.0.0.1/")))
    records = RunRecords(database)
    result = asyncio.ensure_future(runs.result(INSTANCE))
    while not result.done():
        await asyncio.wait({result}, timeout=0.3)
        if person:
            await answer_for_person(records, performer)
    records.close()
    await runs.close()
    print(msgspec.json.encode({"status": result.result().status, "points": points.passed}).decode())
    return result.result().status


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), person="watch" not in sys.argv))
