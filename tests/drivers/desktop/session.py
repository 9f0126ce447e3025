"""A desktop of the tests' own: an Xvfb, a session bus and folders that nobody else uses. Both end by their pid."""

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
"""Small applications of the tests' own, run by the system's Python, which alone has the toolkits."""
WAIT_S = 20


def missing() -> str | None:
    """Why there can be no desktop here, in one sentence; None if there can."""
    absent = [name for name in (*PROGRAMS, *APPLICATIONS) if shutil.which(name) is None]
    if not any(Path(path).exists() for path in LAUNCHERS):
        absent.append("at-spi2-core")
    return f"no desktop to test: {', '.join(absent)} not installed (`make desktop`)" if absent else None


@cache
def missing_module(name: str) -> str | None:
    """Why an application of the tests' own cannot run here; None if it can."""
    python = "/usr/bin/python3"
    asked = [python, "-c", f"import {name}"]
    if Path(python).exists() and subprocess.run(asked, capture_output=True).returncode == 0:
        return None
    return f"no application to test: the system's Python has no `{name}` (`make desktop`)"


@contextmanager
def desktop(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a fresh desktop without a window manager."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    folders = {
        name: str(folder / name.lower())
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
    }
    for path in folders.values():
        Path(path).mkdir(mode=0o700)
    environ = {**kept, **folders, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "0"}
    started: list[subprocess.Popen[bytes]] = []
    try:
        number = _told(
            ["Xvfb", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-displayfd"], environ, started
        )
        environ["DISPLAY"] = f":{number}"
        address = _told(
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


def _told(command: list[str], environ: dict[str, str], started: list[subprocess.Popen[bytes]]) -> str:
    """Start a server that says on a pipe where it can be reached, as soon as it can."""
    ours, theirs = os.pipe()
    joined = [*command[:-1], f"{command[-1]}={theirs}"] if "dbus" in command[0] else [*command, str(theirs)]
    try:
        started.append(
            subprocess.Popen(
                joined,
                env=environ,
                pass_fds=(theirs,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        os.close(theirs)
        said = b""
        while not said.endswith(b"\n"):
            assert select.select([ours], [], [], WAIT_S)[0], f"{command[0]} did not start within {WAIT_S} s"
            more = os.read(ours, 4096)
            assert more, f"{command[0]} ended at once"
            said += more
        return said.decode().strip()
    finally:
        os.close(ours)
