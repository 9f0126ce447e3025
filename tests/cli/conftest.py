"""The real `uiap`, in a process of its own, with an empty home."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from uiap.cli.main import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SECONDS = 60
ENTRY = [sys.executable, "-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UIAP_")}
    return {**kept, "UIAP_HOME": str(home), "COLUMNS": "100", **more}


@pytest.fixture
def uiap(tmp_path: Path) -> Run:
    """Run a command to its end, outside of any checkout."""

    def run(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*ENTRY, *arguments],
            cwd=cwd or tmp_path,
            env=environment(tmp_path / "home", **env),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def uiap_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The same within this process, for many words and exit codes: a process for each costs a second each."""

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
