"""A shop on a device that counts its orders. Tests cancel its actions once, `make soak CASE=F14A` often."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.drivers import cancelling
from tests.drivers.android.stage import Phone
from tests.drivers.cancelling import Shop, open_shop
from tests.drivers.touchscreen.screens import node, screen
from tests.support.android_apps import LiveDump
from tests.support.android_bridge import bridge, missing
from uiap.drivers.android import AndroidDriver

TIMES = 30
PRESSED = {"clickable": "true"}
FRONT = screen(
    node("Button", text="Order", bounds=(0, 100, 400, 200), **PRESSED),
    node("Button", text="Dead", bounds=(0, 300, 400, 400), index="1", **PRESSED),
    node(
        "TextView", text="no order", resource_id="org.example:id/status", bounds=(0, 500, 400, 600), index="2"
    ),
)


def storefront() -> tuple[LiveDump, list[str]]:
    """Return the application, and the list of its orders."""
    orders: list[str] = []

    def order(app: LiveDump) -> None:
        orders.append(f"order {len(orders) + 1}")
        app.set("org.example:id/status", text=orders[-1])

    return LiveDump(FRONT, "org.example.shop/.Main", {"Order": order}), orders


@asynccontextmanager
async def shop(phone: Phone) -> AsyncIterator[Shop[AndroidDriver]]:
    app, orders = storefront()
    driver = await AndroidDriver.open(phone.show(app), environ=phone.environ)
    async with open_shop(driver, lambda: len(orders)) as opened:
        yield opened


def cancels(stage: str) -> dict[str, Any]:
    if reason := missing():
        raise SystemExit(reason)
    temporary = tempfile.TemporaryDirectory(prefix="uiap-adb-", ignore_cleanup_errors=True)
    with temporary as folder, bridge(Path(folder)) as opened:
        return {"cancels": TIMES, **asyncio.run(_run(Phone(opened), stage))}


async def _run(phone: Phone, stage: str) -> Counter[str]:
    async with shop(phone) as opened:
        return await cancelling.count_endings(opened, stage, TIMES)
