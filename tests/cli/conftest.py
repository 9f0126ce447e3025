"""The real `uiap` command, in its own process or in this one, with an empty home."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from uiap.cli.main import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]
TIMEOUT_S = 60
ENTRY = [sys.executable, "-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]


def environment(home: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("UIAP_")}
    return {**inherited, "UIAP_HOME": str(home), "COLUMNS": "100", **more}


@pytest.fixture
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the authoring commands use a cache folder of the test, not the packages of this repository."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("UIAP_HOME", str(home))
    monkeypatch.setattr("uiap.cli.cache.FOLDER", str(home / "cache"))


@pytest.fixture
def uiap(tmp_path: Path) -> Run:
    """Run a command in its own process, outside of any checkout."""

    def run(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*ENTRY, *arguments],
            cwd=cwd or tmp_path,
            env=environment(tmp_path / "home", **env),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def uiap_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command within this process, because a new process takes a second."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        for name in [name for name in os.environ if name.startswith("UIAP_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("UIAP_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.chdir(tmp_path)
        capfd.readouterr()
        code = main(arguments)
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run
