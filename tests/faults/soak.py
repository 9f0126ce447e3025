"""The stated repetitions of F1, F2, F3, F7 and F14 (robustness B3), for `tools/soak.py`."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import UNSET

from tests.faults import trials
from tests.faults.site import Shop, shop
from uiap.drivers.chromium import ChromiumBrowser
from uiap.spec.action import ActionResultPayload

Trial = Callable[[ChromiumBrowser, Shop, int], Awaitable[ActionResultPayload]]
EACH = 50


def _told(result: ActionResultPayload) -> str:
    code = "" if result.error is UNSET else f" {result.error.code}"
    return f"{result.status} {result.side_effect_state}{code}"


def kills(stage: str) -> dict[str, Any]:
    async def run() -> Counter[str]:
        with shop() as here:
            return Counter([_told(await trials.kill_browser(stage, here)) for _ in range(EACH)])

    return {"browsers killed": EACH, **asyncio.run(run())}


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
        results = [await trials.cancel(stage) for _ in range(30)]
        return Counter(_told(result) for result in results if result is not None)

    return {"cancels": 30, **asyncio.run(run())}
