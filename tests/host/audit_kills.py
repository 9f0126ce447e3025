"""A process that appends audit records until it is killed, and prints each one that the store confirmed (case P14)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TextIO

from uiap.host.clock import SystemClock
from uiap.host.records.audit import Audit, entries, verify
from uiap.host.records.store import Store
from uiap.host.records.writer import Writer

KEY = b"kills"
ROOT = Path(__file__).resolve().parent.parent.parent


async def append(url: str) -> None:
    clock = SystemClock()
    store = Store(url, audit_key=KEY)
    audit = Audit(clock, Writer(store, lambda: clock.now().wall))
    number = 0
    while True:
        number += 1
        await audit.record_durably("result", handle=f"act_{os.getpid()}_{number}")
        print(number, flush=True)


def kill_once(url: str, after: int) -> int:
    """Kill the process after a number of records. Return how many records the store had confirmed."""
    command = [sys.executable, "-m", "tests.host.audit_kills", url]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        confirmed = _kill_after(child.pid, child.stdout, after)
    child.wait()
    return check_promised_records(url, child.pid, confirmed)


def kill_forked(url: str, after: int) -> int:
    """Do the same with a fork of this process, which is faster. The process must have no threads."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        os.dup2(writing, 1)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        try:
            asyncio.run(append(url))
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as lines:
        confirmed = _kill_after(pid, lines, after)
    os.waitpid(pid, 0)
    return check_promised_records(url, pid, confirmed)


def _kill_after(pid: int, lines: TextIO | IO[str], after: int) -> int:
    confirmed = 0
    for line in lines:
        confirmed = int(line)
        if confirmed == after:
            os.kill(pid, signal.SIGKILL)
    return confirmed


def check_promised_records(url: str, pid: int, confirmed: int) -> int:
    """Check that all confirmed records of the killed process are in an intact chain, in order."""
    store = Store(url, audit_key=KEY)
    found = verify(store)
    assert found.intact, found.problem
    mine = [e.handle for _, e in entries(store) if e is not None and e.handle.startswith(f"act_{pid}_")]
    assert mine == [f"act_{pid}_{n}" for n in range(1, len(mine) + 1)]
    assert len(mine) >= confirmed
    store.close()
    return confirmed


if __name__ == "__main__":
    asyncio.run(append(sys.argv[1]))
