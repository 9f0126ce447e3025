"""Start and stop resident sessions. Only the process in a session's own pid file is ever signalled."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from uiap import settings
from uiap.host.sessions.session_folder import SessionFolder
from uiap.private_files import open_private, private_folder, write_private

START_S = 60.0
STOP_S = 15.0


def _folder(name: str) -> SessionFolder:
    return SessionFolder(settings.read().runtime, name)


def running(name: str) -> int | None:
    """Return the pid of the resident process, or None if it is not running.

    It must hold the name: the pid of a dead process may belong to another program by now.
    """
    folder = _folder(name)
    try:
        pid = int(folder.pid.read_text())
    except (OSError, ValueError):
        return None
    return pid if pid == folder.serving_process() else None


def start(
    name: str,
    url: str,
    *,
    headed: bool,
    idle: float | None,
    timeout_s: float = START_S,
    more: Sequence[str] = (),
) -> str | None:
    """Start a resident process and wait until it is ready; return None, or the reason why it is not."""
    folder = _folder(name)
    private_folder(folder.folder)
    command = [sys.executable, "-m", "uiap.cli.resident", "--name", name, "--url", url]
    command += ["--headed"] if headed else []
    command += ["--idle", str(idle)] if idle is not None else []
    command += more
    with os.fdopen(open_private(folder.log, empty=True), "wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    line = _first_line(process, timeout_s)
    if line == "ready":
        write_private(folder.pid, str(process.pid))
        return None
    process.kill()
    process.wait()
    return line or f"the session did not start within {timeout_s:g} s; read its log `{folder.log}`"


def _first_line(process: subprocess.Popen[bytes], timeout_s: float) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], timeout_s)
    if not ready:
        return ""
    return process.stdout.readline().decode(errors="replace").strip().removeprefix("uiap: ")


def end(name: str) -> bool:
    """Ask the resident process to exit and wait for it; return False if there is none."""
    pid, file = running(name), _folder(name).pid
    if pid is None:
        file.unlink(missing_ok=True)
        return False
    os.kill(pid, signal.SIGTERM)
    with _ProcessExit(pid) as exited:
        if not exited.wait(STOP_S):
            os.kill(pid, signal.SIGKILL)
            exited.wait(STOP_S)
    file.unlink(missing_ok=True)
    return True


class _ProcessExit:
    """Waits for the exit of a process that is not our child: with a pidfd if there is one, else by polling."""

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
