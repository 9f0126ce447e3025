"""Runs of Videoland that are compared: two principals, before and after a change of the interface, killed and gone on.

Part of `python -m bench discovery`: `--diff` and `--killed`. `python -m bench.discovery_runs URL FOLDER AFTER` is one
run that kills itself at its AFTERth report, as a power cut would.
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
SHOWN = 12


async def differences() -> bool:
    """What a viewer does not have, and what a change of two labels comes to."""
    with serving(SETTINGS) as server:
        admin, viewer = await explored(server.url, ADMIN), await explored(server.url, VIEWER)
    with relabelled(), serving(SETTINGS) as server:
        after = await explored(server.url, ADMIN)
    principals, changed = compare(admin, viewer, one="admin", other="viewer"), compare(admin, after)
    _tell("admin to viewer", principals)
    _tell(f"before to after {', '.join(RENAMED)} was renamed", changed)
    named = {one.id for one in (*changed.appeared, *changed.vanished, *changed.changed)}
    return bool(principals.vanished) and any("studio" in one for one in named)


async def killed(after: tuple[int, ...] = (4, 12, 20)) -> bool:
    """SIGKILL in the middle, then on from the journal: the package of a run that nobody disturbed."""
    good = True
    with serving(SETTINGS) as server:
        whole = plain(await explored(server.url, ADMIN))
        for reports in after:
            with tempfile.TemporaryDirectory() as folder:
                command = (sys.executable, "-m", "bench.discovery_runs", server.url, folder, str(reports))
                ended = await asyncio.to_thread(subprocess.run, command, timeout=120, check=False)
                lines = (Path(folder) / "journal.jsonl").read_bytes().count(b"\n") - 1
                resumed = await explored(server.url, ADMIN, out=Path(folder), resume=True)
            same = plain(resumed) == whole
            died = ended.returncode == -signal.SIGKILL
            print(f"killed at report {reports} ({died}), {lines} events kept: same package: {same}")
            good = good and died and same
    return good


async def explored(url: str, *who: Principal, out: Path | None = None, **more: Any) -> DiscoveryPackage:
    asked = environment(url, max_states=80, max_runtime_s=240, principals=who)
    return await discover(asked, options=DiscoveryOptions(principals=who, ax_trees=False, out=out, **more))


def plain(package: DiscoveryPackage) -> Any:
    """Without the ids and times of a run."""
    found = msgspec.to_builtins(package)
    for member in ("runId", "startedAt", "finishedAt"):
        found["run"].pop(member)
    return found


@contextmanager
def relabelled() -> Iterator[None]:
    """Videoland with other words, from a copy of its own."""
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


def _tell(title: str, changes: PackageDiff) -> None:
    told = list(diff_lines(changes))
    print(
        f"{title}: {len(changes.appeared)} appeared, {len(changes.vanished)} vanished, {len(changes.changed)} changed"
    )
    for line in told[:SHOWN]:
        print(f"  {line}")
    if len(told) > SHOWN:
        print(f"  … and {len(told) - SHOWN} more")


def _until_killed(url: str, folder: str, after: int) -> None:
    heard = 0

    def hear(_type: str, _payload: Any) -> None:
        nonlocal heard
        heard += 1
        if heard == after:
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(explored(url, ADMIN, out=Path(folder), hear=hear))


if __name__ == "__main__":
    _until_killed(sys.argv[1], sys.argv[2], int(sys.argv[3]))
