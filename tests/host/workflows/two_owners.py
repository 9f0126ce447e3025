"""Two workers that continue the same run (F9). One of them may be stopped for a while and believe it still owns it.

Each run is left behind by a killed worker. Two workers start together. The process of one is stopped with SIGSTOP until
the other has taken over, and then goes on. A local server counts the writes; it is the judge.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.host.workflows.killed_worker import STEPS, CountingServer

ROOT = Path(__file__).resolve().parents[3]
TIMEOUT_S = 240
LOST_S = 2.0
"""A killed worker is lost after this time (`killed_worker`)."""


def start_worker(database: str, server: CountingServer, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.host.workflows.killed_worker", database, str(server.port), *more]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def resume_twice(database: str, chance: random.Random, *, stop: bool) -> dict[str, int]:
    """Let two workers continue one run, and return what the server and the workers report."""
    server = CountingServer()
    workers: list[subprocess.Popen[bytes]] = []
    try:
        first = start_worker(database, server, str(chance.randint(10, 50)))
        first.wait(TIMEOUT_S)
        workers = [start_worker(database, server, "0"), start_worker(database, server, "0", "watch")]
        if stop:
            _stop_for_a_while(workers[1], server, len(server.writes) + chance.randint(0, STEPS // 2))
        codes = [worker.wait(TIMEOUT_S) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
        server.close()
    return {
        "runs": 1,
        "writes": len(server.writes),
        "written twice": len(server.writes) - len(set(server.writes)),
        "runs lost": int(len(set(server.writes)) != STEPS or any(codes)),
    }


def _stop_for_a_while(worker: subprocess.Popen[bytes], server: CountingServer, writes: int) -> None:
    """Stop the process when the server has this many writes, until the other one has finished the run or is stuck."""
    server.wait_for_writes(min(writes, STEPS), TIMEOUT_S)
    if worker.poll() is None:
        worker.send_signal(signal.SIGSTOP)
        server.wait_for_writes(STEPS, 4 * LOST_S)
        worker.send_signal(signal.SIGCONT)


def two_owners(unit: str, runs: int) -> dict[str, Any]:
    """Continue `runs` runs twice each, on a PostgreSQL server of their own."""
    from tests.support.postgres import Postgres

    chance = random.Random(unit)
    totals = {"runs": 0, "writes": 0, "written twice": 0, "runs lost": 0}
    postgres = Postgres()
    try:
        for number in range(runs):
            postgres.clear()
            found = resume_twice(postgres.url, chance, stop=number % 2 == 0)
            totals = {name: totals[name] + found[name] for name in totals}
    finally:
        postgres.remove()
    return totals
