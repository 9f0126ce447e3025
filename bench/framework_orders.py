"""Fill and send the same order form in many frameworks; half of the tasks must succeed, half must fail.

The truth is what the server stored. Options: `--half=tune` or `--half=measure`, `--only=react`, `--turns=N`.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import uiap
from apps.frameworks import ORDER_TASKS, ensure_built, serving
from apps.frameworks.orders import PHONE, OrderBook, OrderTask
from apps.frameworks.server import Server
from bench.table import Claim, show

SUMMARY = "an order form in many frameworks: which results agree with the server"
FALSE_FAILURES = 0.02


@dataclass(frozen=True)
class OrderTrial:
    task: OrderTask
    claimed: bool
    happened: bool
    error: str
    spent_s: float

    @property
    def false_success(self) -> bool:
        return self.claimed and not self.happened

    @property
    def false_failure(self) -> bool:
        return not self.claimed and self.happened


async def try_order(ui: uiap.Ui, server: Server, task: OrderTask) -> OrderTrial:
    """Run one task and compare its report with the truth."""
    url, book = server.order(task)
    scenario = task.scenario
    (await ui.navigate(url)).check()
    error = ""
    begun = time.perf_counter()
    try:
        if scenario.title:
            text = {"text": scenario.title}
            (await ui.act("ui.enterText", role="textbox", name="Title", args=text)).check()
        begun = time.perf_counter()
        result = await ui.act(scenario.action, **scenario.target, args=scenario.args or None)
        if result.error is not None:
            error = f"{result.error.code}: {result.error.message}"
    except (uiap.UiapError, LookupError) as failed:
        error = repr(failed)
    spent = time.perf_counter() - begun
    return OrderTrial(task, not error, await _truth(ui, task, book), error, spent)


async def _truth(ui: uiap.Ui, task: OrderTask, book: OrderBook) -> bool:
    match task.scenario.id:
        case "format":
            return "".join(filter(str.isdecimal, str(await ui.evaluate("model().phone")))) == PHONE
        case "letters":
            return bool(await ui.evaluate("model().amount === 'ten'"))
    return book.happened()


async def trials(tasks: tuple[OrderTask, ...], turns: int) -> list[OrderTrial]:
    made = []
    with serving() as server:
        async with uiap.open(server.url) as ui:
            for task in tasks:
                made += [await try_order(ui, server, task) for _ in range(turns)]
    return made


def run(*options: str) -> bool:
    chosen = dict(option.removeprefix("--").split("=", 1) for option in options)
    ensure_built()
    only, turns = chosen.get("only", ""), int(chosen.get("turns", "1"))
    begun, claims = time.perf_counter(), []
    rows: list[tuple[str, ...]] = [
        ("half", "trials", "right", "false successes", "false failures", "median ms")
    ]
    for half in (chosen["half"],) if "half" in chosen else ("tune", "measure"):
        tasks = tuple(task for task in ORDER_TASKS if task.half == half and only in task.id)
        made = asyncio.run(trials(tasks, turns))
        for one in made:
            if half == "tune" and (one.false_success or one.false_failure):
                print(f"  {one.task.id}: {'CLAIMED' if one.false_success else one.error}")
        false, missed = sum(one.false_success for one in made), sum(one.false_failure for one in made)
        middle = sorted(one.spent_s for one in made)[len(made) // 2] * 1000 if made else 0
        counts = (len(made), len(made) - false - missed, false, missed, round(middle))
        rows.append((half, *map(str, counts)))
        claims.append(Claim(f"{half}: {false} false successes (none allowed)", false == 0))
        most = FALSE_FAILURES * len(made)
        claims.append(
            Claim(f"{half}: {missed} false failures (at most {FALSE_FAILURES:.0%})", missed <= most)
        )
    return show(f"{len(ORDER_TASKS)} tasks in {time.perf_counter() - begun:.0f} s", rows, claims)
