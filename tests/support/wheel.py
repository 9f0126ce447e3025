"""Builds the wheel, and runs it in an environment without Node. The slow part is `make soak CASE=WHEEL`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
CHECK = """
import shutil, uiap
from uiap.drivers.chromium.page.world import page_script
assert shutil.which("node") is None, "Node must not be on the path"
assert page_script() and callable(uiap.open)
print(uiap.__file__)
"""


def build_wheel(folder: Path) -> Path:
    """Build the wheel with the backend itself, which downloads nothing."""
    return folder / run([sys.executable, "-c", BUILD, folder], cwd=ROOT).split()[-1]


def run(
    command: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    expected: Sequence[int] = (0,),
) -> str:
    """Return the standard output of a command. Raise AssertionError with its output if it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, timeout=600)
    assert ended.returncode in expected, f"{command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def environment_without_programs(folder: Path) -> dict[str, str]:
    """Return variables with an empty search path for programs, so that there is no Node."""
    (folder / "bin").mkdir()
    return {"PATH": str(folder / "bin"), "HOME": str(folder)}


def run_package(python: Path, program: Sequence[str | Path], env: Mapping[str, str]) -> Path:
    """Import the package, run `uiap --help` and `uiap doctor`, and return the imported file."""
    assert "Usage: uiap" in run([*program, "--help"], env)
    report = run([*program, "doctor"], env, expected=(0, 1))  # 1: there is no browser
    assert report.startswith("uiap ") and "node         not found" in report
    return Path(run([python, "-c", CHECK], env).strip())


def install_in_empty_environment() -> dict[str, Any]:
    """Install the wheel and its dependencies into a new environment, run it there, and return the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        started = time.monotonic()
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "-q", "--constraint", ROOT / "constraints.txt", wheel])
        seconds = time.monotonic() - started
        imported = run_package(python, [python.with_name("uiap")], environment_without_programs(folder))
        assert imported.is_relative_to(folder / "venv"), imported
        return {
            "size of the wheel in bytes": wheel.stat().st_size,
            "installed distributions": len(run([*pip, "list", "--format", "freeze"]).splitlines()),
            "seconds to install": round(seconds),
        }
