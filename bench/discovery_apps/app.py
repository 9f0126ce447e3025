"""A launched application: where it listens, how to sign in, and how to detect changed data.

All files are created under .uiap/; none of them are part of this repository.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bench.discovery_apps.gateway import RequestLog, relaying
from uiap.api.discovery import Principal

ROOT = Path(__file__).resolve().parents[2] / ".uiap" / "discovery_apps"
SITES = Path(__file__).resolve().parent / "sites"
START_S = 90.0
_NO_USAGE_REPORTS = {"DO_NOT_TRACK": "1", "BURR_TELEMETRY_ENABLED": "false", "SCARF_NO_ANALYTICS": "true"}
"""Applications that count their use elsewhere do not do it here."""


class Absent(Exception):
    """An application that is not available here; the message gives the reason."""


@dataclass(frozen=True, kw_only=True)
class App:
    name: str
    packages: tuple[str, ...] = ()
    """The exact versions that are measured, from PyPI."""
    start: Sequence[str]
    """The command of its server; `{port}`, `{public_port}`, `{folder}` and `{modules}` are filled in."""
    seed: Sequence[str] = ()
    """The command that creates its data, once, before it starts."""
    fill: Sequence[str] = ()
    """The command that creates its data through the running server; `{base}` is filled in."""
    home: str = "/"
    database: str | None = None
    tree: str | None = None
    """The folder of documents that are the data of an application without a database."""
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns by table that are not business data; no columns means the whole table."""
    because: str = ""
    """The reason why they change without a write."""
    principal: Principal | None = None
    read_requests: tuple[str, ...] = ()
    """Requests that only read, although their method could write; `{base}` is filled in."""
    documentation: str | None = None
    """A text with addresses that no link leads to, as in a manual."""
    options: Mapping[str, Any] = field(default_factory=dict)
    npm: tuple[str, ...] = ()
    """The exact versions of an application from npm; `start` is then run by node, in the folder of the packages."""
    npm_overrides: Mapping[str, str] = field(default_factory=dict)
    """Versions of dependencies that a package index may lack under the name the application asks for."""
    exports: tuple[str, ...] = ()
    """Addresses whose bodies are the data of an application that keeps it in memory."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Request headers for the exports."""
    expected_writes: tuple[str, ...] = ()
    """Patterns of requests that may reach the server although their method could write: signing in, and reads."""
    half: Literal["developed with", "tuning", "measuring"] = "developed with"
    """Whether faults found on this application may be studied; of a measuring one only the figures are read."""

    @property
    def versions(self) -> str:
        return ", ".join((*self.packages, *self.npm))


@dataclass(frozen=True)
class Running:
    app: App
    folder: Path
    base: str
    log: Path
    requests: RequestLog

    @property
    def home(self) -> str:
        return self.base + self.app.home


@contextmanager
def running(app: App) -> Iterator[Running]:
    """Build the application if needed, and run it with fresh data until the block ends."""
    python = _environment(app)
    program = str(python) if not app.npm else _node(app)
    folder = _site(app)
    if app.seed:
        _call([str(python), *app.seed], folder)
    port = _free_port()
    log, requests = folder / "server.log", RequestLog()
    modules = ROOT / app.name / "npm" / "node_modules"
    with log.open("wb") as out, relaying(port, requests) as public_port:
        places = {"port": port, "public_port": public_port, "folder": folder, "modules": modules}
        command = [part.format(**places) for part in app.start]
        server = subprocess.Popen(
            [program, *command], cwd=folder, stdout=out, stderr=out, env=_environ(folder)
        )
        try:
            made = Running(app, folder, f"http://localhost:{public_port}", log, requests)
            _until_it_answers(made, server)
            if app.fill:
                _call([str(python), *(part.format(base=made.base) for part in app.fill)], folder)
            yield made
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(20)


def _environment(app: App) -> Path:
    """Return its virtual environment, created once for these versions."""
    folder = ROOT / app.name / "venv"
    python, mark = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join(app.packages)
    if mark.exists() and mark.read_text() == wanted:
        return python
    if not app.packages:
        return Path(sys.executable)
    print(f"{app.name}: installing {', '.join(app.packages)}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _call([sys.executable, "-m", "venv", str(folder)], folder)
    _call([str(python), "-m", "pip", "install", "-q", *app.packages], folder)
    mark.write_text(wanted)
    return python


def _node(app: App) -> str:
    """Return node, after installing the packages once for these versions."""
    folder = ROOT / app.name / "npm"
    mark, wanted = folder / "installed", "\n".join(app.npm)
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Absent("node and npm are not installed")
    if not mark.exists() or mark.read_text() != wanted:
        print(f"{app.name}: installing {', '.join(app.npm)}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(
            json.dumps({"private": True, "overrides": dict(app.npm_overrides)})
        )
        _call([npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *app.npm], folder)
        mark.write_text(wanted)
    return node


def _site(app: App) -> Path:
    """Copy our files for it: settings, models, documents."""
    folder = ROOT / app.name / "site"
    shutil.rmtree(folder, ignore_errors=True)
    ours = SITES / app.name
    if ours.exists():
        shutil.copytree(ours, folder, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        folder.mkdir(parents=True)
    return folder


def _environ(folder: Path) -> dict[str, str]:
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "JUPYTER"))},
        "HOME": str(folder),
        "PYTHONUNBUFFERED": "1",
        **_NO_USAGE_REPORTS,
    }


def _call(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=900, check=False, env=_environ(folder)
    )
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()
        raise Absent(f"`{' '.join(command[1:4])}` failed: {output[-1] if output else done.returncode}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _until_it_answers(made: Running, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(made.home, timeout=2).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            try:
                server.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            break
    raise Absent(f"{made.app.name} did not start: {made.log.read_text()[-300:]}")
