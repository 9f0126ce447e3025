"""Videoland for the MCP server, and an empty home with a path short enough for sockets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.videoland import Server, Settings, serving

ENTRY = ["-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]


@pytest.fixture(scope="module")
def videoland() -> Iterator[Server]:
    with serving(Settings(rows=30, truth=True, auto_login=True)) as server:
        yield server


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="uiap-") as folder:
        yield Path(folder)


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UIAP_")}
    return {**kept, "UIAP_HOME": str(home)}


@pytest.fixture
def uiap(environ: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as the person, in their terminal."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *ENTRY, *words]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)

    return run


def truth(server: Server) -> dict[str, Any]:
    """Return what the application's server recorded."""
    with urllib.request.urlopen(f"{server.url}/__truth", timeout=10) as answer:
        recorded: dict[str, Any] = json.load(answer)
    return recorded
