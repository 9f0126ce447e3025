"""Many runs on several workers that are killed and started at random. The server's log is the judge."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.host.workflows.fleet_worker import STEPS, fleet_order
from tests.host.workflows.killed_worker import CountingServer
from tests.support.postgres import Postgres
from uiap.host.clock import SystemClock
from uiap.host.workflows.durable import RunRecords
from uiap.workflow import events as when

ROOT = Path(__file__).resolve().parents[3]
WORKERS = 4
RUNS_AT_ONCE = 8
KILL_EVERY_S = (3.0, 8.0)
TIMEOUT_S = 3000.0
LOOK_S = 1.0


class Fleet:
    """Worker processes on one PostgreSQL database."""

    def __init__(self, database: str, server: CountingServer) -> None:
        self._command = [sys.executable, "-m", "tests.host.workflows.fleet_worker", database]
        self._command += [str(server.port), str(RUNS_AT_ONCE)]
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.workers.append(subprocess.Popen(self._command, cwd=ROOT, **streams))

    def kill(self, index: int) -> None:
        worker = self.workers.pop(index)
        worker.kill()
        worker.wait()


async def run_fleet(postgres: Postgres, runs: int, chance: random.Random) -> dict[str, Any]:
    """Queue the runs, kill and start workers until all have ended, and return the counts."""
    server, begun = CountingServer(), time.monotonic()
    records = RunRecords(postgres.url)
    fleet, kills, asked = Fleet(postgres.url, server), 0, 0
    try:
        for number in range(runs):
            await asyncio.to_thread(records.enqueue, fleet_order(number))
        for _ in range(WORKERS):
            fleet.start()
        next_kill = time.monotonic() + 2 * KILL_EVERY_S[1]
        while (open_ids := await asyncio.to_thread(records.open_ids)) and _in_time(begun):
            asked += await asyncio.to_thread(_answer_for_person, records, server, open_ids)
            if time.monotonic() >= next_kill:
                fleet.kill(chance.randrange(WORKERS))
                fleet.start()
                kills, next_kill = kills + 1, time.monotonic() + chance.uniform(*KILL_EVERY_S)
            await asyncio.sleep(LOOK_S)
    finally:
        while fleet.workers:
            fleet.kill(0)
        records.close()
        server.close()
    expected = {f"run{number}.s{step}" for number in range(runs) for step in range(STEPS)}
    return {
        "runs": runs,
        "workers killed": kills,
        "questions to a person": asked,
        "seconds": round(time.monotonic() - begun),
        "writes": len(server.writes),
        "written twice": len(server.writes) - len(set(server.writes)),
        "runs lost": len(open_ids) + len({one.partition(".")[0] for one in expected - set(server.writes)}),
    }


def _in_time(begun: float) -> bool:
    return time.monotonic() - begun < TIMEOUT_S


def _answer_for_person(records: RunRecords, server: CountingServer, open_ids: list[str]) -> int:
    """Report what the server has for each run that waits for a person."""
    answered = 0
    for id in open_ids[: 2 * WORKERS * RUNS_AT_ONCE]:
        run = records.replayed(id)
        instance = None if run is None or run.unread else run.machine.instance
        if instance is not None and instance.status == "waiting_for_user":
            done = f"{id}.{instance.current_step_id}" in server.writes
            records.post(id, when.HandedBack(at=SystemClock().now(), done=done, by="ada"))
            answered += 1
    return answered


def soak(unit: str, runs: int) -> dict[str, Any]:
    postgres = Postgres()
    try:
        return asyncio.run(run_fleet(postgres, runs, random.Random(unit)))
    finally:
        postgres.remove()
