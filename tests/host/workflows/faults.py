"""Runs of 12 steps in Videoland while workers, browsers and the database end at random. Its write log is the judge.

Four times a run opens the form, enters a title, and creates the video. A creation must not happen twice. Two workers
with a browser each share a PostgreSQL database. A part of a unit is one fault: a worker or a browser is killed with
SIGKILL, the server ends the connections of the workers, or it is killed and started again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

import psycopg

from apps.videoland import Settings, serving
from tests.support.postgres import Postgres
from tests.workflow.simulated import definition
from uiap.api.workflow_runs import WorkflowRuns, run_order
from uiap.host.workflows.history import RunHistory
from uiap.host.workflows.performer import RunApplication, RunOrder

ROOT = Path(__file__).resolve().parents[3]
VIDEOS = 4
FAULTS = {"worker": 3, "browser": 3, "connections": 3, "database": 1}
"""How often each fault is chosen, in proportion to the others."""
EVERY_S = (0.2, 5.0)
STILL_S = 150.0
"""A run that reports nothing within this time after its last fault or its last report stands still."""
LOOK_S = 0.2


class Application(NamedTuple):
    url: str
    store: Path


def twelve_steps(url: str, number: int) -> RunOrder:
    """Return a run that creates four videos. A creation is repeated only if a person reports that it did not happen."""

    def video(index: int) -> list[dict[str, Any]]:
        title = f"Run {number} video {index}"
        field, button = ({"by": "semantic", "role": role, "name": name} for role, name in _CONTROLS)
        proof = {"policy": "all", "signals": [{"kind": "route.changed", "pattern": "/videos/:id"}]}
        again = {"onFailure": {"retry": {"max": 100}, "handoff": {"reason": "ambiguity"}}}
        return [
            _action(f"open{index}", "nav.navigate", args={"url": f"{url}/videos/new"}, **again),
            _action(f"title{index}", "ui.enterText", target=field, args={"text": title}, **again),
            _action(f"create{index}", "ui.activate", target=button, verification=proof, **again),
        ]

    steps = [step for index in range(VIDEOS) for step in video(index)]
    workflow = definition(*steps, {"id": "done", "type": "complete"})
    return run_order(workflow, RunApplication(url=f"{url}/videos/new?as=admin&lang=en"), {})


_CONTROLS = (("textbox", "Title"), ("button", "Create video"))


def _action(id: str, action_id: str, **members: Any) -> dict[str, Any]:
    return {"id": id, "type": "action", "actionId": action_id, **members}


class FaultyFleet:
    """Two workers that end and are started again."""

    def __init__(self, postgres: Postgres, log: IO[bytes], chance: random.Random) -> None:
        self._postgres, self._log, self.chance = postgres, log, chance
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        arguments = ["--database", self._postgres.url, "--runs", "1", "--browsers", "1", "--allow", "private"]
        command = [sys.executable, "-m", "tests.host.workflows.fault_worker", *arguments]
        self.workers.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=self._log))

    def inject(self, fault: str) -> bool:
        """Let one thing end; return whether there was one."""
        if fault == "worker":
            self._kill(self.chance.randrange(len(self.workers)))
            self.start()
        elif fault == "browser":
            browsers = [pid for worker in self.workers for pid in children(worker.pid)]
            if not browsers:
                return False
            _kill_process(self.chance.choice(browsers))
        elif fault == "connections":
            _end_connections(self._postgres)
        else:
            self._postgres.stop("immediate")
            self._postgres.start()
        return True

    def _kill(self, index: int) -> None:
        worker = self.workers.pop(index)
        worker.kill()
        worker.wait()

    def print_stacks(self) -> None:
        for worker in self.workers:
            worker.send_signal(signal.SIGUSR1)

    def close(self) -> None:
        while self.workers:
            self._kill(0)


def children(pid: int) -> list[int]:
    """Return the processes that a process started: the browsers of a worker."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _kill_process(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _end_connections(postgres: Postgres) -> None:
    with psycopg.connect(host=str(postgres.folder), user="uiap", dbname="postgres") as connection:
        others = "backend_type = 'client backend' and pid <> pg_backend_pid()"
        connection.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}")


def created_titles(file: Path) -> list[str]:
    """Return the title of each video that the server created, from its own log."""
    made = "SELECT title FROM writes JOIN videos ON entity = 'video:' || id WHERE effect = 'video.created'"
    with contextlib.closing(sqlite3.connect(file)) as store:
        return [title for (title,) in store.execute(made)]


async def run_under_faults(
    runs: WorkflowRuns, fleet: FaultyFleet, app: Application, number: int, figures: dict[str, Any]
) -> RunHistory:
    """Execute one run; let something end every few seconds, and answer for the person from the server's log."""
    order, chance = twelve_steps(app.url, number), fleet.chance
    id = await _patiently(lambda: runs.enqueue(order))
    last_sign, next_fault = time.monotonic(), time.monotonic() + chance.uniform(*EVERY_S)
    left, reports = figures["faults per run"], 0
    while True:
        history = await _patiently(lambda: runs.history(id))
        if history.instance.status in ("succeeded", "failed", "cancelled"):
            return history
        if left and time.monotonic() >= next_fault:
            fault = chance.choices(list(FAULTS), list(FAULTS.values()))[0]
            if await asyncio.to_thread(fleet.inject, fault):
                figures[fault] = figures.get(fault, 0) + 1
                left -= 1
            last_sign, next_fault = time.monotonic(), time.monotonic() + chance.uniform(*EVERY_S)
        if len(history.timeline) != reports:  # a slow machine is no reason to give a run up
            last_sign, reports = time.monotonic(), len(history.timeline)
        if time.monotonic() - last_sign > STILL_S:
            return history
        await _answer(runs, history, number, app, figures)
        await asyncio.sleep(LOOK_S)


async def _answer(
    runs: WorkflowRuns, history: RunHistory, number: int, app: Application, figures: dict[str, Any]
) -> None:
    """Report what the server has. A paused run goes on."""
    instance = history.instance
    if instance.status not in ("waiting_for_user", "paused"):
        return
    title = f"Run {number} video {str(instance.current_step_id)[-1]}"
    done = instance.status == "paused" or title in created_titles(app.store)
    with contextlib.suppress(Exception):  # it went on meanwhile, or the database is away
        await (runs.resume(instance.instance_id) if done else runs.decline(instance.instance_id))
        figures[instance.status] = figures.get(instance.status, 0) + 1


async def _patiently(call: Any) -> Any:
    """Call until the database answers."""
    for _ in range(300):
        try:
            return await call()
        except Exception:
            await asyncio.sleep(LOOK_S)
    return await call()


def soak(unit: str, faults: int, per_run: int = 5, log: Path | None = None) -> dict[str, Any]:
    """Execute runs until this many faults have happened, and return the counts."""
    postgres, chance = Postgres(), random.Random(unit)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            serving(Settings(rows=20, db=f"{folder}/videos.sqlite", auto_login=True)) as server,
            log.open("ab") if log else tempfile.TemporaryFile() as output,
        ):
            app = Application(server.url, Path(folder) / "videos.sqlite")
            return asyncio.run(_soak(FaultyFleet(postgres, output, chance), postgres, app, faults, per_run))
    finally:
        postgres.remove()


async def _soak(
    fleet: FaultyFleet, postgres: Postgres, app: Application, faults: int, per_run: int
) -> dict[str, Any]:
    number = 0
    figures: dict[str, Any] = {"faults per run": per_run, "runs": 0, "runs lost": 0}
    try:
        async with WorkflowRuns(postgres.url) as runs:
            fleet.start()
            fleet.start()
            while sum(figures.get(one, 0) for one in FAULTS) < faults:
                history = await run_under_faults(runs, fleet, app, number, figures)
                figures["runs"] += 1
                if history.instance.status != "succeeded":
                    figures["runs lost"] += 1
                    print(json.dumps(_ending(history)), file=sys.stderr)
                    fleet.print_stacks()
                number += 1
                print(json.dumps(figures), file=sys.stderr)
    finally:
        fleet.close()
    titles = created_titles(app.store)
    figures["videos"], figures["written twice"] = len(titles), len(titles) - len(set(titles))
    wanted = {f"Run {one} video {index}" for one in range(number) for index in range(VIDEOS)}
    figures["videos missing"] = len(wanted - set(titles))
    return figures


def _ending(history: RunHistory) -> dict[str, Any]:
    entries = [f"{one.at} {one.step_id} {one.status} {one.note}" for one in history.timeline[-12:]]
    return {
        "run": history.instance.instance_id,
        "status": history.instance.status,
        "error": str(history.instance.error),
        "timeline": entries,
    }


if __name__ == "__main__":
    print(soak(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])))
