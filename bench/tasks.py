"""Solve at least 120 small web tasks without a model, and check every success.

The pages of `apps/tasks` run with twenty seeds, those of real component libraries (`apps/fixtures`, needs Node) with
five. `TASK=name` selects tasks by a part of their name, and `TASK_HALF=tuning` or `measuring` one half.

`TASK_TABLE=1` (`make widgets`) writes the table of libraries in docs/actions.md.

A task counts as claimed when every step reported success. The `solved()` function of the page is the truth.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import uiap
from apps import fixtures
from apps.tasks import FILES, TASKS, Step, Task, serving
from apps.tasks.server import TaskSite, url_of
from bench import widget_table
from bench.table import Claim, show

SUMMARY = "small web tasks without a model: how many are solved, and no false success"
SEEDS = int(os.environ.get("TASK_SEEDS", "20"))
LIBRARY_SEEDS = int(os.environ.get("FIXTURE_SEEDS", "5"))
ONLY = os.environ.get("TASK", "")
HALF = os.environ.get("TASK_HALF", "")
WRITES_TABLE = os.environ.get("TASK_TABLE", "") == "1"
SOLVED = 0.98
LEAST = 120


@dataclass(frozen=True)
class Attempt:
    task: Task
    seed: int
    solved: bool
    why: str
    """The error of the first failed step; empty when every step succeeded."""

    @property
    def claimed(self) -> bool:
        return not self.why

    @property
    def honest(self) -> bool:
        """Return whether the claim is true. A page that is solved although a step failed was not claimed."""
        return self.solved or not self.claimed

    @property
    def good(self) -> bool:
        """Return whether the task was solved and claimed, or refused where it cannot be done."""
        return self.solved == self.claimed == (not self.task.refused)


async def attempt(ui: uiap.Ui, origin: str, task: Task, seed: int) -> Attempt:
    (await ui.navigate(url_of(origin, task.id, seed))).check()
    why = ""
    for step in task.steps_for(task.draw_goal(seed)):
        for _ in range(step.times):
            why = why or await _run_step(ui, step)
    solved = bool(await ui.evaluate("solved?.()"))
    return Attempt(task, seed, solved, why)


async def _run_step(ui: uiap.Ui, step: Step) -> str:
    target: dict[str, Any] = {
        key: value for key in ("role", "name", "near", "scope") if (value := getattr(step, key)) is not None
    }
    args = dict(step.args)
    try:
        if step.to is not None:
            args["to"] = (await ui.find(step.to["name"], role=step.to["role"]))[0].instance_id
        result = await ui.act(step.act, **target, args=args or None, expect=list(step.expect))
    except (uiap.UiapError, LookupError, IndexError) as error:
        return f"{step.act} {step.role} {step.name}: {error!r}"
    if result.error is None:
        return ""
    return f"{step.act} {step.role} `{step.name}`: {result.error.code}: {result.error.message}"


async def attempts(tasks: tuple[Task, ...], seeds: range, site: TaskSite | None = None) -> list[Attempt]:
    made = []
    with serving(site=site) as origin:
        async with uiap.open(origin, uploads=FILES) as ui:
            for task in tasks:
                for seed in seeds:
                    made.append(await attempt(ui, origin, task, seed))
    return made


def by_family(made: list[Attempt]) -> list[tuple[str, ...]]:
    """Print the failed attempts and return the counts by family."""
    for one in (a for a in made if not a.good):
        print(f"  {one.task.id} seed {one.seed}: solved {one.solved}, {one.why or 'CLAIMED'}")
    rows: list[tuple[str, ...]] = [("family", "tasks", "attempts", "as expected", "false claims")]
    tasks = {a.task.id: a.task for a in made}.values()
    for family, count in sorted(Counter(task.family for task in tasks).items()):
        mine = [a for a in made if a.task.family == family]
        good, false_claims = sum(a.good for a in mine), sum(not a.honest for a in mine)
        rows.append((family, *map(str, (count, len(mine), good, false_claims))))
    return rows


def chosen(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    return tuple(task for task in tasks if ONLY in task.id and HALF in ("", task.half))


def by_half(made: list[Attempt]) -> list[str]:
    """Return one line for each half, because only the measured one was not looked at before."""
    lines = []
    for half in sorted({one.task.half for one in made}):
        mine = [one for one in made if one.task.half == half]
        lines.append(f"{half}: {sum(one.good for one in mine)} of {len(mine)} as expected")
    return lines


def figures_of(made: list[Attempt]) -> widget_table.Figures:
    """Return for each task its attempts as expected, all attempts and the false claims."""
    figures: widget_table.Figures = {}
    for one in made:
        counts = figures.setdefault(one.task.id, [0, 0, 0])
        for place, counted in enumerate((one.good, True, not one.honest)):
            counts[place] += counted
    return figures


def run() -> bool:
    fixtures.ensure_built()
    begun = time.perf_counter()
    made = asyncio.run(attempts(chosen(TASKS), range(SEEDS)))
    of_libraries = asyncio.run(attempts(chosen(fixtures.TASKS), range(LIBRARY_SEEDS), fixtures.SITE))
    if WRITES_TABLE:
        widget_table.write(figures_of(of_libraries), fixtures.TASKS)
    made += of_libraries
    spent = time.perf_counter() - begun
    rows = by_family(made)
    good = sum(a.good for a in made)
    false_claims = sum(not a.honest for a in made)
    count = len(TASKS) + len(fixtures.TASKS)
    claims = [
        Claim(f"{count} different tasks (at least {LEAST})", count >= LEAST),
        Claim(f"{good} of {len(made)} solved (at least {SOLVED:.0%})", good >= SOLVED * len(made)),
        Claim(f"{false_claims} claimed although not true (none allowed)", false_claims == 0),
    ]
    return show(f"{len(made)} attempts in {spent:.0f} s; {'; '.join(by_half(made))}", rows, claims)
