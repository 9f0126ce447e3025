"""Measure the cost of the tracer for a page: the same loops with and without it, taking turns in one browser.

It is the cost outside of an action, which a page pays all the time. Ratios count, not times.
"""

from __future__ import annotations

import asyncio
import os
import statistics

from bench.table import Claim, show
from uiap.drivers.chromium import find_browser
from uiap.drivers.chromium.page.world import tracer_script

SUMMARY = "cost of the tracer for clicks, timers, promises and a scheduler loop"
ROUNDS = int(os.environ.get("UIAP_BENCH_ROUNDS", "9"))

LOOPS = {
    # name: (turns, one turn, the highest ratio with to without the tracer)
    "click": (3_000, "button.click()", 1.3),
    "setTimeout": (5_000, "clearTimeout(setTimeout(run, 1000))", 2.5),
    "await": (50_000, "await null", 1.3),
    "scheduler loop": (2_000, "await new Promise((r) => { next = r; channel.port2.postMessage(null) })", 1.5),
    "createElement": (20_000, "document.createElement('div')", 2.5),
    "fetch and text": (60, "await (await fetch('data:,x')).text()", 1.5),
}


def loop(turns: int, body: str) -> str:
    """Return a program that resolves with the microseconds of one turn."""
    return f"""(async () => {{
        let next; const run = () => 0, channel = new MessageChannel(), button = document.createElement('button');
        channel.port1.onmessage = () => next(); button.onclick = () => {{ button.title = 'x' }};
        const begin = performance.now();
        for (let i = 0; i < {turns}; i++) {{ {body} }}
        return (performance.now() - begin) * 1000 / {turns};
    }})()"""


async def measure() -> dict[str, tuple[float, float]]:
    """Return the median microseconds of each loop, without and with the tracer."""
    from playwright.async_api import async_playwright

    found = find_browser(environ=os.environ)
    assert found is not None
    args = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in LOOPS}
    async with async_playwright() as running:
        browser = await running.chromium.launch(executable_path=str(found.path), args=args)
        pages = [await browser.new_page(), await browser.new_page()]
        await pages[1].add_init_script(tracer_script())
        for page in pages:
            await page.goto("data:text/html,<title>Cost</title>")
        for _ in range(ROUNDS):
            for name, (turns, body, _most) in LOOPS.items():
                for which, page in enumerate(pages):
                    times[name][which].append(await page.evaluate(loop(turns, body)))
        await browser.close()
    return {name: (statistics.median(one), statistics.median(other)) for name, (one, other) in times.items()}


def run() -> bool:
    figures = asyncio.run(measure())
    rows = [("one turn", "without, µs", "with, µs", "ratio")]
    claims = []
    for name, (without, traced) in figures.items():
        ratio, most = traced / without, LOOPS[name][2]
        rows.append((name, f"{without:.2f}", f"{traced:.2f}", f"{ratio:.2f}"))
        claims.append(Claim(f"{name}: at most {most:g} times the time without the tracer", ratio <= most))
    return show("tracer: cost for the page", rows, claims)
