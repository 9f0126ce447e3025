"""Starting and ending resident sessions: processes by their own pid file, nothing else is ever touched."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from uiap import settings

START_S = 60.0
STOP_S = 15.0


def pid_file(name: str) -> Path:
    return settings.read().runtime / f"{name}.pid"


def running(name: str) -> int | None:
    """The pid of the resident, if it lives."""
    try:
        pid = int(pid_file(name).read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return pid


def start(
    name: str, url: str, *, headed: bool, trusted: bool, idle: float | None, more: Sequence[str] = ()
) -> str | None:
    """Start a resident and wait until it is ready; None, or why it is not."""
    runtime = settings.read().runtime
    runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = [sys.executable, "-m", "uiap.cli.resident", "--name", name, "--url", url]
    command += ["--headed"] if headed else []
    command += ["--trusted"] if trusted else []
    command += ["--idle", str(idle)] if idle is not None else []
    command += more
    with (runtime / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    said = _first_line(process, START_S)
    if said == "ready":
        pid_file(name).write_text(str(process.pid))
        return None
    process.kill()
    process.wait()
    return said or f"the session did not start within {START_S:g} s; its log is `{runtime / name}.log`"


def _first_line(process: subprocess.Popen[bytes], timeout: float) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], timeout)
    if not ready:
        return ""
    return process.stdout.readline().decode(errors="replace").strip().removeprefix("uiap: ")


def end(name: str) -> bool:
    """Ask the resident to end and wait for it; False if there is none."""
    pid = running(name)
    if pid is None:
        pid_file(name).unlink(missing_ok=True)
        return False
    os.kill(pid, signal.SIGTERM)
    give_up = time.monotonic() + STOP_S
    with _ProcessExit(pid) as gone:
        if not gone.wait(give_up - time.monotonic()):
            os.kill(pid, signal.SIGKILL)
    pid_file(name).unlink(missing_ok=True)
    return True


class _ProcessExit:
    """Waits for the end of a process that is not our child: by a pidfd where there is one, else by asking again."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def __enter__(self) -> _ProcessExit:
        return self

    def wait(self, seconds: float) -> bool:
        if self._handle is not None:
            ready, _, _ = select.select([self._handle], [], [], max(0.0, seconds))
            return bool(ready)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                os.kill(self._pid, 0)
            except OSError:
                return True
            select.select([], [], [], 0.05)
        return False

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)
