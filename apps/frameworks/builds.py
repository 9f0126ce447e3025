"""The built applications: their names, their folder, and whether they are present and up to date."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web" / "frameworks"
BUILT = ROOT / ".uiap" / "frameworks"
STAMP = BUILT / ".built"
BUILD_TIMEOUT_S = 900

FRAMEWORKS = tuple(
    sorted(path.stem for path in (SOURCES / "src" / "todo").glob("*.js*") if not path.name.startswith("_"))
)


def missing_reason() -> str | None:
    """Return the reason why the applications cannot be served; None when they can."""
    if not STAMP.exists() or any(not (BUILT / "todo" / f"{name}.js").is_file() for name in FRAMEWORKS):
        return "the framework builds are missing; run `make fixtures` (needs Node)"
    sources = [*SOURCES.glob("src/*/*"), SOURCES / "build.mjs", SOURCES / "package-lock.json"]
    if max(path.stat().st_mtime for path in sources) > STAMP.stat().st_mtime:
        return "the framework builds have older sources; run `make fixtures` (needs Node)"
    return None


def ensure_built() -> Path:
    """Return the folder of the builds; build them if they are missing or outdated."""
    if missing_reason() is not None:
        if shutil.which("npm") is None:
            raise FileNotFoundError("building the frameworks needs Node 20 or newer and npm")
        subprocess.run(["sh", str(ROOT / "tools" / "fixtures.sh")], check=True, timeout=BUILD_TIMEOUT_S)
    return BUILT
