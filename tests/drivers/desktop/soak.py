"""Repeated cancels of actions in a desktop application, for `make soak CASE=F14D`."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.drivers import cancelling
from tests.drivers.desktop.session import desktop, missing, missing_module
from tests.drivers.desktop.trials import shop

TIMES = 30


def cancels(stage: str) -> dict[str, Any]:
    if reason := missing() or missing_module("gi"):
        raise SystemExit(reason)
    temporary = tempfile.TemporaryDirectory(prefix="uiap-desk-", ignore_cleanup_errors=True)
    with temporary as folder, desktop(Path(folder)) as environ:
        return {"cancels": TIMES, **asyncio.run(_run(environ, Path(folder) / "orders", stage))}


async def _run(environ: dict[str, str], file: Path, stage: str) -> Counter[str]:
    async with shop(environ, file) as opened:
        return await cancelling.count_endings(opened, stage, TIMES)
