"""`python -m tests.host.workflows.failing_database DATABASE PORT POINT STICKY`: a run whose fsync fails (F10).

The worker has the shim of `tests.host.store_faults` loaded, which lets the POINTth fsync fail, and all later ones if
STICKY. It prints the number of fsync calls. A healthy worker then finishes the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.host.workflows.killed_worker import STEPS, CountingServer, work

ROOT = Path(__file__).resolve().parents[3]
LIFE_S = 8.0
"""How long a worker lives whose database fails for good. With one fault, the run comes to its end."""
TIMEOUT_S = 120


def run_with_fault(folder: Path, shim: Path, point: int, *, sticky: bool) -> dict[str, int]:
    """Run with one failing fsync, finish it with a healthy worker, and return what the server and the file say."""
    server = CountingServer()
    database = folder / f"runs-{point}-{int(sticky)}.sqlite"
    try:
        printed = _worker(database, server, shim, point, sticky)
        before = len(server.writes)
        finished = _worker(database, server, shim, 0, False)
    finally:
        server.close()
    with contextlib.closing(sqlite3.connect(database)) as file:
        intact = file.execute("pragma integrity_check").fetchone() == ("ok",)
    return {
        "trials": 1,
        "fsync calls": int(printed.stdout.split()[-1]) if printed.stdout else 0,
        "writes before the end of the fault": before,
        "written twice": len(server.writes) - len(set(server.writes)),
        "runs lost": int(finished.returncode != 0 or len(set(server.writes)) != STEPS),
        "damaged files": int(not intact),
    }


def _worker(
    database: Path, server: CountingServer, shim: Path, point: int, sticky: bool
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.host.workflows.failing_database", f"sqlite:///{database}"]
    return subprocess.run(
        [*command, str(server.port), str(point), str(int(sticky))],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(shim)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=TIMEOUT_S,
    )


async def _live(database: str, port: int, point: int, sticky: int) -> None:
    shim = ctypes.CDLL(None)
    shim.uiap_fail_at(point, sticky)
    code = 3
    with contextlib.suppress(Exception):
        async with asyncio.timeout(LIFE_S if sticky else None):
            code = 0 if await work(database, port, 0) == "succeeded" else 1
    print(shim.uiap_fail_at(0, 0), flush=True)
    os._exit(code)  # threads of a run that cannot be recorded still wait for the database


if __name__ == "__main__":
    asyncio.run(_live(sys.argv[1], *map(int, sys.argv[2:])))
