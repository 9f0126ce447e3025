"""The repetitions of the cases F1, F2, F3, F7, F14 and B2 of `make soak`."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec import UNSET

from tests.faults import trials
from tests.faults.cleanup_checks import OpenResources
from tests.faults.invariants import ActionMonitor
from tests.faults.site import Shop, run_shop
from uiap.drivers.chromium import ChromiumBrowser
from uiap.host.loop.allocator import mmap_large_blocks
from uiap.spec.action import ActionResultPayload

Trial = Callable[[ChromiumBrowser, Shop, int], Awaitable[ActionResultPayload]]
REPETITIONS = 50


def _summary(result: ActionResultPayload) -> str:
    code = "" if result.error is UNSET else f" {result.error.code}"
    return f"{result.status} {result.side_effect_state}{code}"


def kills(stage: str) -> dict[str, Any]:
    async def run() -> list[ActionResultPayload]:
        with run_shop() as here:
            return [await trials.kill_browser(stage, here) for _ in range(REPETITIONS)]

    results = asyncio.run(run())
    slowest = max(float(r.metadata["durationMs"]) for r in results if r.metadata is not UNSET)
    return {
        "browsers killed": REPETITIONS,
        **Counter(map(_summary, results)),
        "slowest result ms": round(slowest),
    }


def in_one_browser(trial: Trial, first: int, count: int) -> dict[str, Any]:
    """Run the trial with each seed. Each trial checks the invariants and raises if one is broken."""

    async def run() -> Counter[str]:
        browser = await ChromiumBrowser.launch(environ=os.environ)
        try:
            with run_shop() as here:
                seeds = range(first, first + count)
                return Counter([_summary(await trial(browser, here, seed)) for seed in seeds])
        finally:
            await browser.close()

    return {"trials": count, **asyncio.run(run())}


def lost_tabs(how: str) -> dict[str, Any]:
    return in_one_browser(lambda b, s, seed: trials.lose_tab(b, s, how, seed), 0, REPETITIONS)


def away(unit: str) -> dict[str, Any]:
    return in_one_browser(trials.navigate_away, int(unit) * REPETITIONS, REPETITIONS)


def network(unit: str) -> dict[str, Any]:
    return in_one_browser(trials.bad_network, int(unit) * REPETITIONS, REPETITIONS)


def cancels(stage: str) -> dict[str, Any]:
    async def run() -> Counter[str]:
        return Counter([_summary(await trials.cancel(stage)) for _ in range(30)])

    return {"cancels": 30, **asyncio.run(run())}


CYCLES, SETTLED = 1000, 100


def cycles(_unit: str) -> dict[str, Any]:
    """Open, act and close many times in one process and one browser. Nothing may be left, and memory may not grow."""

    mmap_large_blocks()  # as `uiap serve` and the resident process do

    async def run() -> dict[str, Any]:
        resources, rss = OpenResources(), [0, 0]
        browser = await ChromiumBrowser.launch(environ=os.environ)
        try:
            with run_shop() as here:
                for number in range(1, CYCLES + 1):
                    witness, before = ActionMonitor(), here.orders
                    async with trials.open_page(browser, here.page()) as (_, handler):
                        result = await trials.run_action(handler, witness)
                        witness.check(result, here.orders - before, handler)
                        assert result.status == "succeeded", result
                    if number in (SETTLED, CYCLES):
                        rss[number == CYCLES] = rss_kib()
        finally:
            await browser.close()
        await resources.check()
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
