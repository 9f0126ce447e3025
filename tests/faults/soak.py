"""The stated repetitions of F1, F2, F3, F7 and F14 (robustness B3), for `tools/soak.py`."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec import UNSET

from tests.faults import trials
from tests.faults.household import Belongings
from tests.faults.invariants import Witness
from tests.faults.site import Shop, shop
from uiap.drivers.chromium import ChromiumBrowser
from uiap.host.loop.allocator import mmap_large_blocks
from uiap.spec.action import ActionResultPayload

Trial = Callable[[ChromiumBrowser, Shop, int], Awaitable[ActionResultPayload]]
EACH = 50


def _told(result: ActionResultPayload) -> str:
    code = "" if result.error is UNSET else f" {result.error.code}"
    return f"{result.status} {result.side_effect_state}{code}"


def kills(stage: str) -> dict[str, Any]:
    async def run() -> list[ActionResultPayload]:
        with shop() as here:
            return [await trials.kill_browser(stage, here) for _ in range(EACH)]

    results = asyncio.run(run())
    slowest = max(float(r.metadata["durationMs"]) for r in results if r.metadata is not UNSET)
    return {"browsers killed": EACH, **Counter(map(_told, results)), "slowest result ms": round(slowest)}


def in_one_browser(trial: Trial, first: int, count: int) -> dict[str, Any]:
    """The invariants are checked in each trial; a broken one ends the run."""

    async def run() -> Counter[str]:
        browser = await ChromiumBrowser.launch(environ=os.environ)
        try:
            with shop() as here:
                seeds = range(first, first + count)
                return Counter([_told(await trial(browser, here, seed)) for seed in seeds])
        finally:
            await browser.close()

    return {"trials": count, **asyncio.run(run())}


def lost_tabs(how: str) -> dict[str, Any]:
    return in_one_browser(lambda b, s, seed: trials.lose_tab(b, s, how, seed), 0, EACH)


def away(unit: str) -> dict[str, Any]:
    return in_one_browser(trials.navigate_away, int(unit) * EACH, EACH)


def network(unit: str) -> dict[str, Any]:
    return in_one_browser(trials.bad_network, int(unit) * EACH, EACH)


def cancels(stage: str) -> dict[str, Any]:
    async def run() -> Counter[str]:
        return Counter([_told(await trials.cancel(stage)) for _ in range(30)])

    return {"cancels": 30, **asyncio.run(run())}


CYCLES, SETTLED = 1000, 100


def cycles(_unit: str) -> dict[str, Any]:
    """B2.7: open, act, close, over and over in one process and one browser: nothing is left, and nothing grows."""

    mmap_large_blocks()  # as `uiap serve` and the resident process do

    async def run() -> dict[str, Any]:
        belongings, rss = Belongings(), [0, 0]
        browser = await ChromiumBrowser.launch(environ=os.environ)
        try:
            with shop() as here:
                for number in range(1, CYCLES + 1):
                    witness, before = Witness(), here.orders
                    async with trials.opened(browser, here.page()) as (_, desk):
                        result = await trials.run(desk, witness)
                        witness.check(result, here.orders - before, desk)
                        assert result.status == "succeeded", result
                    if number in (SETTLED, CYCLES):
                        rss[number == CYCLES] = rss_kib()
        finally:
            await browser.close()
        await belongings.check()
        grown = round(rss[1] / rss[0], 3)
        return {
            "cycles": CYCLES,
            f"RSS KiB after {SETTLED}": rss[0],
            f"RSS KiB after {CYCLES}": rss[1],
            "RSS ratio": grown,
        }

    return asyncio.run(run())


def rss_kib() -> int:
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1])
