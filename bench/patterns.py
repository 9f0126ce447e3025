"""Use the widgets of the W3C's patterns, each in two markups, and compare each report with the model of the page.

A task counts when its first try did it and said so, or when it was refused where the widget does not allow it. Options:
`--half=tune` or `--half=measure`, `--only=menubar`, `--turns=N`, `--table=FILE` (a table for the documentation).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uiap
from apps.patterns import HALVES, PATTERNS, PatternPage, PatternTask, serving
from apps.tasks import Step
from bench.table import Claim, show
from uiap.api.result import Result

SUMMARY = "the widgets of the W3C's patterns in two markups: first try, and no false success"
FIRST_TRY = 0.97


@dataclass(frozen=True)
class PatternTrial:
    page: PatternPage
    task: PatternTask
    true: bool
    error: str
    """The error of the first failed step; empty when every step succeeded."""

    @property
    def false_success(self) -> bool:
        return not self.error and not self.true

    @property
    def good(self) -> bool:
        return self.true == (not self.error) == (not self.task.refused)


async def try_task(ui: uiap.Ui, origin: str, page: PatternPage, task: PatternTask) -> PatternTrial:
    """Do the steps of one task on a fresh page; stop at the first failure."""
    (await ui.navigate(f"{origin}/{page.id}")).check()
    error, reply = "", None
    for step in task.steps:
        try:
            result = await _run_step(ui, step)
        except (uiap.UiapError, LookupError) as failed:
            error = f"{step.act} {step.role} `{step.name}`: {failed!r}"
            break
        if result.error is not None:
            error = f"{step.act} {step.role} `{step.name}`: {result.error.code}: {result.error.message}"
            break
        reply = result.return_value
    truth = f"((reply) => Boolean({task.truth}))({json.dumps(reply)})"
    return PatternTrial(page, task, bool(await ui.evaluate(truth)), error)


async def _run_step(ui: uiap.Ui, step: Step) -> Result:
    target: dict[str, Any] = {
        key: value for key in ("role", "name", "near", "scope") if (value := getattr(step, key)) is not None
    }
    return await ui.act(step.act, **target, args=step.args or None, expect=list(step.expect))


async def trials(pages: tuple[PatternPage, ...], turns: int = 1) -> list[PatternTrial]:
    made = []
    with serving() as origin:
        async with uiap.open(origin) as ui:
            for page in pages:
                for task in page.tasks * turns:
                    made.append(await try_task(ui, origin, page, task))
    return made


def _rows(made: list[PatternTrial]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("half", "pages", "tasks", "first try", "false successes")]
    for half in HALVES:
        mine = [one for one in made if one.page.half == half]
        pages, good = len({one.page.id for one in mine}), sum(one.good for one in mine)
        rows.append((half, *map(str, (pages, len(mine), good, sum(one.false_success for one in mine)))))
    return rows


def markdown_table(made: list[PatternTrial]) -> str:
    """Return the table of widgets and actions: how many tasks of both markups were as expected."""
    by_widget: defaultdict[str, list[PatternTrial]] = defaultdict(list)
    for one in made:
        by_widget[one.page.widget].append(one)
    lines = ["| widget | actions | first try | false successes |", "|---|---|---|---|"]
    for widget, mine in by_widget.items():
        actions = ", ".join(sorted({f"`{step.act}`" for one in mine for step in one.task.steps}))
        good, false = sum(one.good for one in mine), sum(one.false_success for one in mine)
        lines.append(f"| {widget.replace('_', ' ')} | {actions} | {good} of {len(mine)} | {false} |")
    return "\n".join(lines) + "\n"


def run(*options: str) -> bool:
    chosen = dict(option.removeprefix("--").split("=", 1) for option in options)
    only, halves = chosen.get("only", ""), (chosen["half"],) if "half" in chosen else HALVES
    pages = tuple(page for page in PATTERNS if page.half in halves and only in page.id)
    begun = time.perf_counter()
    made = asyncio.run(trials(pages, int(chosen.get("turns", "1"))))
    for one in made:
        if not one.good and one.page.half == "tune":
            print(f"  {one.page.id}: {one.task.say} {'CLAIMED' if one.false_success else one.error}")
    if "table" in chosen:
        Path(chosen["table"]).write_text(markdown_table(made))
    good, false = sum(one.good for one in made), sum(one.false_success for one in made)
    claims = [
        Claim(
            f"{good} of {len(made)} on the first try (at least {FIRST_TRY:.0%})",
            good >= FIRST_TRY * len(made),
        ),
        Claim(f"{false} claimed although not true (none allowed)", false == 0),
    ]
    return show(f"{len(pages)} pages in {time.perf_counter() - begun:.0f} s", _rows(made), claims)
