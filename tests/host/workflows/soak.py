"""`make soak CASE=WORKFLOW-KILL`: runs whose workers are killed again and again; the server's log is the judge."""

from __future__ import annotations

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


def judge(figures: dict[str, dict[str, Any]]) -> list[str]:
    """Return the units in which a write happened twice or a run was lost."""
    return [
        f"{unit}: {name}: {found[name]}"
        for unit, found in figures.items()
        for name in ("written twice", "runs lost")
        if found[name]
    ]
