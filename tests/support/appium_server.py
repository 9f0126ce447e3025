"""One Appium server of npm per process for all tests, with Appium's fake driver and the simulated screen driver."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import threading
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".uiap" / "appium"
SCREEN_DRIVER = Path(__file__).parent / "appium" / "screen-driver"
START_S = 60.0


def missing() -> str | None:
    """Return why no server can be started, or None."""
    try:
        import appium  # noqa: F401
    except ModuleNotFoundError:
        return "the extra appium is not installed"
    if shutil.which("node") is None or not (HOME / ".done").exists():
        return "Appium is not installed (`make appium`)"
    return None


@cache
def server() -> str:
    """Start the server if needed and return its address; it ends with this process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (HOME / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # all servers share one file with the list of drivers
        shutil.copytree(SCREEN_DRIVER, HOME / "node_modules" / "uiap-screen-driver", dirs_exist_ok=True)
        command = ["node", str(HOME / "node_modules/appium/index.js"), "server", "--log-no-colors"]
        command += ["--address", "127.0.0.1", "--port", str(port), "--log-level", "info"]
        process = subprocess.Popen(
            command,
            env={**os.environ, "APPIUM_HOME": str(HOME)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        atexit.register(_stop, process)
        _await_ready(process)
    return f"http://127.0.0.1:{port}"


def _await_ready(process: subprocess.Popen[str]) -> None:
    ready, output = threading.Event(), list[str]()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not ready.is_set():
                output.append(line)
            if "listener started" in line:
                ready.set()

    threading.Thread(target=read, daemon=True).start()
    assert ready.wait(START_S), f"Appium did not start: {''.join(output)[-2000:]}"


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    if process.stdout is not None:
        process.stdout.close()
