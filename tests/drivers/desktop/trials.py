"""Single faults on a real application: tests run each once, `make soak` repeats them."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.drivers.cancelling import Shop, open_shop, run_and_strike
from tests.drivers.desktop.session import APPS
from uiap.drivers.desktop import DesktopDriver
from uiap.spec.action import ActionResultPayload

KILLED_AT = ("resolving_target", "executing", "dispatched")


@asynccontextmanager
async def shop(environ: dict[str, str], file: Path) -> AsyncIterator[Shop[DesktopDriver]]:
    address = f"desktop:/usr/bin/python3 {APPS / 'shop_gtk.py'} {file}"
    driver = await DesktopDriver.open(address, environ=environ)
    async with open_shop(driver, lambda: int(file.read_text() or 0) if file.exists() else 0) as opened:
        yield opened
    process = driver.application.process
    assert process is not None and process.returncode is not None, "the application is still running"


async def kill(opened: Shop[DesktopDriver], stage: str) -> ActionResultPayload:
    """Kill the application when the action enters a stage, or right after its input was sent."""
    async with opened.handler() as handler:
        result, witness = await run_and_strike(
            opened, handler, stage, lambda _: os.kill(opened.driver.application.pid, signal.SIGKILL)
        )
    witness.check(result, opened.orders, handler)
    if stage != "dispatched":
        assert (result.status, opened.orders) == ("failed", 0), result
    return result
