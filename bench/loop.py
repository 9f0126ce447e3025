"""Measure a whole step of an agent: go to a page, read it, press a button, and know that it worked.

Plain playwright-python does the same with the same browser binary: load, snapshot, click, and wait for the new text.
Both take turns, so the ratio holds on a busy machine.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any

import uiap
from bench.peers.speed import serving
from bench.table import Claim, show
from uiap.drivers.chromium import find_browser

SUMMARY = "navigate, outline and verified click, compared with plain playwright-python"
ROUNDS = {100: 24, 1_000: 10}
"""Rounds by the number of elements on the page."""
WANTED = {100: 1.3}
"""The rate of uiap, compared with the rate of playwright-python, at least."""
PARTS = ("navigate", "outline", "click")

Step = Callable[[str], Awaitable[list[float]]]


async def _timed(*parts: Callable[[], Awaitable[object]]) -> list[float]:
    spent = []
    for part in parts:
        begun = time.perf_counter()
        await part()
        spent.append((time.perf_counter() - begun) * 1000)
    return spent


def _with_uiap(ui: uiap.Ui) -> Step:
    async def step(url: str) -> list[float]:
        return await _timed(lambda: ui.goto(url), ui.outline, lambda: ui.click("Count up", role="button"))

    return step


def _with_playwright(page: Any) -> Step:
    async def click() -> None:
        await page.get_by_role("button", name="Count up", exact=True).click()
        await page.get_by_text("pressed 1 times").wait_for()

    async def step(url: str) -> list[float]:
        return await _timed(
            lambda: page.goto(url, wait_until="load"), lambda: page.aria_snapshot(mode="ai"), click
        )

    return step


async def _rounds(steps: dict[str, Step], url: str, times: int) -> dict[str, list[float]]:
    """Return the median milliseconds of each part, by tool. The tools take turns; the first round is not counted."""
    spent: dict[str, list[list[float]]] = {name: [] for name in steps}
    for number in range(times + 1):
        for name, step in steps.items():
            parts = await step(url)
            if number:
                spent[name].append(parts)
    return {name: [median(part) for part in zip(*rows, strict=True)] for name, rows in spent.items()}


async def measure() -> dict[int, dict[str, list[float]]]:
    from playwright.async_api import async_playwright

    found = find_browser(environ=os.environ)
    assert found is not None
    args = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    figures = {}
    with serving() as url:
        async with uiap.open(f"{url}/100", rules="trusted") as ui, async_playwright() as running:
            browser = await running.chromium.launch(executable_path=str(found.path), args=args)
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            steps = {"uiap": _with_uiap(ui), "playwright": _with_playwright(page)}
            for size, times in ROUNDS.items():
                figures[size] = await _rounds(steps, f"{url}/{size}", times)
            await browser.close()
    return figures


def run() -> bool:
    figures = asyncio.run(measure())
    rows = [("elements", "tool", *(f"{part} ms" for part in PARTS), "steps a second")]
    claims = []
    for size, tools in figures.items():
        rates = {name: 1000 / sum(parts) for name, parts in tools.items()}
        rows += [
            (f"{size:,}", name, *(f"{part:.1f}" for part in parts), f"{rates[name]:.1f}")
            for name, parts in tools.items()
        ]
        ratio, wanted = rates["uiap"] / rates["playwright"], WANTED.get(size, 1.0)
        claims.append(
            Claim(f"{ratio:.2f} × the rate of playwright at {size:,} (at least {wanted:g})", ratio >= wanted)
        )
    return show("go to a page, read it, press a button", rows, claims)
