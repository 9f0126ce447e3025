"""Soak cases of durable runs: killed workers, a database that fails, a clock that jumps. The server is the judge."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.host.workflows.killed_worker import STEPS, CountingServer

ROOT = Path(__file__).resolve().parents[3]
KILLS = 20
"""Kills per unit."""
MAX_POINT = 60
WORKER_TIMEOUT_S = 300


def kills(unit: str) -> dict[str, Any]:
    """Kill workers at random points until the unit has its number of kills, and finish every run."""
    chance = random.Random(unit)
    figures = {"runs": 0, "kills": 0, "writes": 0, "written twice": 0, "runs lost": 0}
    while figures["kills"] < KILLS:
        with tempfile.TemporaryDirectory() as folder:
            _one_run(Path(folder), chance, figures)
    return figures


def _one_run(folder: Path, chance: random.Random, figures: dict[str, int]) -> None:
    server = CountingServer()
    try:
        while figures["kills"] < KILLS and _worker(folder, server, chance.randint(1, MAX_POINT)) == -9:
            figures["kills"] += 1
        ended = _worker(folder, server, 0) == 0
    finally:
        server.close()
    figures["runs"] += 1
    figures["writes"] += len(server.writes)
    figures["written twice"] += len(server.writes) - len(set(server.writes))
    figures["runs lost"] += not (ended and len(set(server.writes)) == STEPS)


def _worker(folder: Path, server: CountingServer, kill_at: int) -> int:
    database = f"sqlite:///{folder / 'runs.sqlite'}"
    command = [sys.executable, "-m", "tests.host.workflows.killed_worker", database, str(server.port)]
    return subprocess.run(
        [*command, str(kill_at)], cwd=ROOT, timeout=WORKER_TIMEOUT_S, capture_output=True
    ).returncode


WAITS = 50


def failing_fsync(points: range) -> dict[str, Any]:
    """Fail each of these fsync calls of a run, once and permanently."""
    from tests.host.store_faults import compile_shim
    from tests.host.workflows.failing_database import run_with_fault

    totals: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        shim = compile_shim(Path(name))
        if shim is None:
            return {"skipped": "needs Linux and a C compiler"}
        for point in points:
            for sticky in (False, True):
                _add(totals, run_with_fault(Path(name), shim, point, sticky=sticky))
    return totals


def jumping_clock() -> dict[str, Any]:
    """Let waits of a run live through jumps of the wall clock."""
    from tests.host.workflows.clock_jumps import wait_over_a_restart, wait_under_jumps

    async def live() -> dict[str, Any]:
        totals: dict[str, Any] = {}
        for seed in range(WAITS):
            _add(totals, await wait_under_jumps(seed))
            _add(totals, await wait_over_a_restart(seed))
        return totals

    return asyncio.run(live())


def _add(totals: dict[str, Any], found: dict[str, int]) -> None:
    for name, value in found.items():
        totals[name] = totals.get(name, 0) + value


WRONG = ("written twice", "runs lost", "videos missing", "damaged files", "wrong states")


def judge(figures: dict[str, dict[str, Any]]) -> list[str]:
    """Return the units in which a write happened twice, a run was lost, or anything else was wrong."""
    return [
        f"{unit}: {name}: {found[name]}"
        for unit, found in figures.items()
        for name in WRONG
        if found.get(name)
    ]
