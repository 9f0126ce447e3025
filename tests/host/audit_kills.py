"""A process that appends audit records until it is killed, and says which ones it was promised (P14)."""

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
    """Kill it in the middle of its work; returns how many records it had been promised."""
    command = [sys.executable, "-m", "tests.host.audit_kills", url]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        promised = _killed(child.pid, child.stdout, after)
    child.wait()
    return kept(url, child.pid, promised)


def kill_forked(url: str, after: int) -> int:
    """The same by a copy of this process, which must have no threads: a thousand times, that is what counts."""
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
        promised = _killed(pid, lines, after)
    os.waitpid(pid, 0)
    return kept(url, pid, promised)


def _killed(pid: int, lines: TextIO | IO[str], after: int) -> int:
    promised = 0
    for line in lines:
        promised = int(line)
        if promised == after:
            os.kill(pid, signal.SIGKILL)
    return promised


def kept(url: str, pid: int, promised: int) -> int:
    """Everything the dead one was promised is there, in order, in a chain that is whole."""
    store = Store(url, audit_key=KEY)
    found = verify(store)
    assert found.intact, found.problem
    mine = [e.handle for _, e in entries(store) if e is not None and e.handle.startswith(f"act_{pid}_")]
    assert mine == [f"act_{pid}_{n}" for n in range(1, len(mine) + 1)]
    assert len(mine) >= promised
    store.close()
    return promised


if __name__ == "__main__":
    asyncio.run(append(sys.argv[1]))
