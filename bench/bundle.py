"""Compare actions and reads with a bundle of 1,000 bindings loaded against the same ones without a bundle.

Both sessions are open at the same time and take turns, so that they meet the same load. CPU time is that of this
process; the browser does the same in both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import uiap
from bench.page_site import write
from bench.table import Claim, show
from uiap.authoring.bundles.bundle import with_digest

SUMMARY = "actions and reads with a bundle of 1,000 bindings, compared with none"
CONTROLS, BINDINGS, SCOPES, TURNS = 200, 1_000, 40, 60
SLOWER_MOST = 1.15
"""The median of the ratios of all turns; a difference below this is noise on a busy machine."""

PAGE = "<!doctype html><title>Controls</title><h1>Controls</h1>" + "".join(
    f"<form aria-label='Part {part}'>"
    + "".join(f"<button type=button>Act {n}</button>" for n in range(part, CONTROLS, SCOPES))
    + "</form>"
    for part in range(SCOPES)
)


def bundle_data() -> bytes:
    """Return a bundle whose first bindings are the controls of the page; the others are of other pages."""
    scopes = [{"id": f"part-{n}", "kind": "form", "title": f"Part {n}"} for n in range(SCOPES)]
    elements = [
        {
            "id": f"act.{n}",
            "role": "button",
            "name": f"Act {n}",
            "scopeId": f"part-{n % SCOPES}",
            "match": [
                {"by": "semantic", "role": "button", "name": f"Act {n}", "scopeId": f"part-{n % SCOPES}"}
            ],
        }
        for n in range(BINDINGS)
    ]
    return with_digest(
        {
            "packageId": "bench.uiap",
            "version": "1.0.0",
            "profile": "web@0.1",
            "buildContext": {},
            "compatibility": {"uiapCore": "*"},
            "app": {"appId": "bench", "displayName": "Bench"},
            "bindings": {"scopes": scopes, "elements": elements},
        }
    )


class Cost(NamedTuple):
    """Medians of one operation in milliseconds, and the median of the ratios of its turns."""

    without_ms: float
    with_ms: float
    ratio: float


Operation = Callable[[uiap.Ui, int], Awaitable[Any]]


async def _focus(ui: uiap.Ui, turn: int) -> None:
    (await ui.act("ui.focus", role="button", name=f"Act {turn}")).check()


async def _press(ui: uiap.Ui, turn: int) -> None:
    (await ui.act("ui.activate", role="button", name=f"Act {turn}", policy="none")).check()


async def _read(ui: uiap.Ui, _turn: int) -> None:
    await ui.outline()


OPERATIONS: dict[str, Operation] = {"focus": _focus, "press": _press, "outline": _read}


async def _compare(plain: uiap.Ui, known: uiap.Ui, operation: Operation) -> Cost:
    pairs = []
    for turn in range(TURNS):
        took = {}
        for ui in (plain, known) if turn % 2 else (known, plain):
            begun = time.process_time()
            await operation(ui, turn)
            took[ui] = 1000 * (time.process_time() - begun)
        pairs.append((took[plain], took[known]))
    ratio = median(theirs / max(ours, 0.01) for ours, theirs in pairs)
    return Cost(median(one for one, _ in pairs), median(one for _, one in pairs), ratio)


async def costs() -> dict[str, Cost]:
    with TemporaryDirectory(prefix="uiap-") as folder:
        path, url = Path(folder) / "bench.json", write(Path(folder), "controls", PAGE)
        path.write_bytes(bundle_data())
        async with uiap.open(url) as plain, uiap.open(url, bundle=path) as known:
            (await known.act("ui.focus", stable_id="act.7")).check()  # the bundle is in use
            return {name: await _compare(plain, known, one) for name, one in OPERATIONS.items()}


def run(*_: str) -> bool:
    found = asyncio.run(costs())
    rows = [("CPU per operation", "without", f"{BINDINGS:,} bindings", "ratio")]
    rows += [
        (name, f"{c.without_ms:.2f} ms", f"{c.with_ms:.2f} ms", f"{c.ratio:.2f}") for name, c in found.items()
    ]
    claims = [
        Claim(f"{name}: at most {SLOWER_MOST} times as long", cost.ratio <= SLOWER_MOST)
        for name, cost in found.items()
    ]
    return show(f"{CONTROLS} controls, {TURNS} turns of each operation", rows, claims)
