"""Install the peers with npm, once, into a folder that is not committed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".uiap" / "peers"
VERSIONS = {
    "@playwright/mcp": "0.0.83",
    "chrome-devtools-mcp": "1.11",
    "agent-browser": "0.41.0",
    "@playwright/cli": "0.1.22",
}


class Absent(Exception):
    """A peer that cannot be installed here; the message gives the reason."""


def package(name: str) -> Path:
    """Return the folder of the installed package."""
    folder = FOLDER / "node_modules" / name
    if not folder.exists():
        _install(name)
    return folder


def command(name: str) -> Path:
    return FOLDER / "node_modules" / ".bin" / name


def _install(name: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Absent("npm is not here")
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = f"{name}@{VERSIONS[name]}"
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(FOLDER), wanted],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise Absent(f"npm could not install {wanted}: {done.stderr.strip().splitlines()[-1:]}")
