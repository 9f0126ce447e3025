"""Comparisons of Videoland runs: two principals, before and after a change of the interface, killed and resumed.

Part of `python -m bench discovery`: `--diff` and `--killed`. `python -m bench.discovery_runs URL FOLDER AFTER` is
one run that kills itself at report number AFTER, as a power cut would.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from apps.videoland import Settings, serving, texts
from uiap.api.discovery import DiscoveryOptions, Principal, discover, environment
from uiap.discovery.package.compare import PackageDiff, compare, diff_lines
from uiap.spec.discovery import DiscoveryPackage

ADMIN = Principal(id="admin", url="/?as=admin&lang=en")
VIEWER = Principal(id="viewer", url="/?as=viewer&lang=en")
RENAMED = {"nav.studio": "Recording studio", "create.quick": "Make one now"}
SETTINGS = Settings(rows=60, truth=True, auto_login=True)
MAX_LINES = 12


async def differences() -> bool:
    """Compare an administrator with a viewer, and the application before and after two labels change."""
    with serving(SETTINGS) as server:
        admin, viewer = await explore(server.url, ADMIN), await explore(server.url, VIEWER)
    with relabelled(), serving(SETTINGS) as server:
        after = await explore(server.url, ADMIN)
    principals, changed = compare(admin, viewer, one="admin", other="viewer"), compare(admin, after)
    _print_changes("admin to viewer", principals)
    _print_changes(f"before to after {', '.join(RENAMED)} was renamed", changed)
    named = {one.id for one in (*changed.appeared, *changed.vanished, *changed.changed)}
    return bool(principals.vanished) and any("studio" in one for one in named)


async def killed(after: tuple[int, ...] = (4, 12, 20)) -> bool:
    """Kill a run, resume it from its journal, and compare the package with that of an undisturbed run."""
    good = True
    with serving(SETTINGS) as server:
        whole = without_run_ids(await explore(server.url, ADMIN))
        for reports in after:
            with tempfile.TemporaryDirectory() as folder:
                command = (sys.executable, "-m", "bench.discovery_runs", server.url, folder, str(reports))
                ended = await asyncio.to_thread(subprocess.run, command, timeout=120, check=False)
                lines = (Path(folder) / "journal.jsonl").read_bytes().count(b"\n") - 1
                resumed = await explore(server.url, ADMIN, out=Path(folder), resume=True)
            same = without_run_ids(resumed) == whole
            died = ended.returncode == -signal.SIGKILL
            print(f"killed at report {reports} ({died}), {lines} events in the journal: same package: {same}")
            good = good and died and same
    return good


async def explore(url: str, *who: Principal, out: Path | None = None, **more: Any) -> DiscoveryPackage:
    target = environment(url, max_states=80, max_runtime_s=240, principals=who)
    return await discover(target, options=DiscoveryOptions(principals=who, ax_trees=False, out=out, **more))


def without_run_ids(package: DiscoveryPackage) -> Any:
    """Return the package without the ids and times of the run."""
    found = msgspec.to_builtins(package)
    for member in ("runId", "startedAt", "finishedAt"):
        found["run"].pop(member)
    found["metadata"]["preparation"].pop("at", None)
    for state in found["transitionGraph"]["states"]:
        state["metadata"].pop("discoveredAt", None)
    return found


@contextmanager
def relabelled() -> Iterator[None]:
    """Serve Videoland with changed labels, from a copy of its texts."""
    own = texts._FOLDER
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(own, folder, dirs_exist_ok=True)
        english = Path(folder) / "en.json"
        english.write_text(json.dumps({**json.loads(english.read_text("utf-8")), **RENAMED}), "utf-8")
        texts._FOLDER = Path(folder)
        try:
            yield
        finally:
            texts._FOLDER = own


def _print_changes(title: str, changes: PackageDiff) -> None:
    lines = list(diff_lines(changes))
    print(
        f"{title}: {len(changes.appeared)} appeared, {len(changes.vanished)} vanished, {len(changes.changed)} changed"
    )
    for line in lines[:MAX_LINES]:
        print(f"  {line}")
    if len(lines) > MAX_LINES:
        print(f"  … and {len(lines) - MAX_LINES} more")


def _run_until_killed(url: str, folder: str, after: int) -> None:
    reports = 0

    def on_progress(_type: str, _payload: Any) -> None:
        nonlocal reports
        reports += 1
        if reports == after:
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(explore(url, ADMIN, out=Path(folder), on_progress=on_progress))


if __name__ == "__main__":
    _run_until_killed(sys.argv[1], sys.argv[2], int(sys.argv[3]))
