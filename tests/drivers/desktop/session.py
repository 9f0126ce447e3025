"""A private desktop for tests: an Xvfb, a session bus and temporary folders. It ends both processes by their pid."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

PROGRAMS = ("Xvfb", "dbus-daemon")
APPLICATIONS = ("galculator", "zenity", "mousepad")
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
APPS = Path(__file__).parent / "apps"
"""Small test applications, run by the system's Python, because only that has the toolkits."""
WAIT_S = 20


def missing() -> str | None:
    """Return why no desktop can be started, in one sentence, or None."""
    absent = [name for name in (*PROGRAMS, *APPLICATIONS) if shutil.which(name) is None]
    if not any(Path(path).exists() for path in LAUNCHERS):
        absent.append("at-spi2-core")
    return f"no desktop to test: {', '.join(absent)} not installed (`make desktop`)" if absent else None


@cache
def missing_module(name: str) -> str | None:
    """Return why a test application cannot run, or None."""
    python = "/usr/bin/python3"
    command = [python, "-c", f"import {name}"]
    if Path(python).exists() and subprocess.run(command, capture_output=True).returncode == 0:
        return None
    return f"no application to test: the system's Python has no `{name}` (`make desktop`)"


@contextmanager
def desktop(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of a new desktop without a window manager."""
    inherited = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    folders = {
        name: str(folder / name.lower())
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
    }
    for path in folders.values():
        Path(path).mkdir(mode=0o700)
    environ = {**inherited, **folders, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "0"}
    started: list[subprocess.Popen[bytes]] = []
    try:
        number = _start_server(
            ["Xvfb", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-displayfd"], environ, started
        )
        environ["DISPLAY"] = f":{number}"
        address = _start_server(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"], environ, started
        )
        environ["DBUS_SESSION_BUS_ADDRESS"] = address
        yield environ
    finally:
        for process in reversed(started):
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start_server(command: list[str], environ: dict[str, str], started: list[subprocess.Popen[bytes]]) -> str:
    """Start a server and return its address, which it writes to a pipe when it is ready."""
    read_end, write_end = os.pipe()
    full_command = (
        [*command[:-1], f"{command[-1]}={write_end}"] if "dbus" in command[0] else [*command, str(write_end)]
    )
    try:
        started.append(
            subprocess.Popen(
                full_command,
                env=environ,
                pass_fds=(write_end,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        os.close(write_end)
        output = b""
        while not output.endswith(b"\n"):
            assert select.select([read_end], [], [], WAIT_S)[0], (
                f"{command[0]} did not start within {WAIT_S} s"
            )
            data = os.read(read_end, 4096)
            assert data, f"{command[0]} exited at once"
            output += data
        return output.decode().strip()
    finally:
        os.close(read_end)
