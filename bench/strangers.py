"""Use small applications that were written before their first run, and compare each report with the truth.

Options: `--half=tune` or `--half=measure`, `--only=NAME` (a part of the id), `--from=NUMBER`, `--turns=N`, `--built=no`
(leave out the pages that need `make fixtures`), `--names=yes` (name the wrong cases of both halves).
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uiap
from apps.strangers import CASES, HALVES, StrangerCase, Strangers, is_built, serving
from apps.tasks import Step
from bench.table import Claim, show
from uiap.api.result import Result

SUMMARY = "applications written by strangers: saves, rollbacks, menus and editors, half must succeed and half must fail"
RIGHT = 0.9
VERDICTS = ("right", "false success", "false failure", "wrong effect", "refused wrongly", "not reached")
LARGE_FILE = "large.txt"


@dataclass(frozen=True)
class StrangerTrial:
    case: StrangerCase
    verdict: str
    report: str


def judge(case: StrangerCase, result: Result | None, true: bool) -> str:
    """Return the verdict on one trial. `result` is the report on the last step, None if an earlier step failed."""
    if result is None:
        return "not reached"
    succeeded = result.error is None
    if case.must == "fail":
        return "false success" if succeeded else "right"
    if succeeded:
        return "right" if true else "wrong effect"
    if true:
        return "false failure"
    return "refused wrongly"


async def try_case(ui: uiap.Ui, pages: Strangers, case: StrangerCase) -> StrangerTrial:
    """Do the steps of one case on a fresh page."""
    (await ui.navigate("about:blank")).check()
    pages.reset(case.id)
    (await ui.navigate(f"{pages.origin}/{case.id}/")).check()
    result, report = None, ""
    for step in case.steps:
        try:
            result = await _run_step(ui, step)
        except (uiap.UiapError, LookupError) as failed:
            result, report = None, f"{step.act} `{step.name}`: {failed!r}"
            break
        if result.error is not None:
            report = f"{step.act} `{step.name}`: {result.error.code}: {result.error.message}"
            if step is not case.steps[-1]:
                result = None
            break
    return StrangerTrial(case, judge(case, result, await _truth(ui, pages, case)), report)


async def _truth(ui: uiap.Ui, pages: Strangers, case: StrangerCase) -> bool:
    record = json.dumps(pages.record_of(case.id))
    return bool(await ui.evaluate(f"((server) => Boolean({case.truth}))({record})"))


async def _run_step(ui: uiap.Ui, step: Step) -> Result:
    target: dict[str, Any] = {
        key: value for key in ("role", "name", "near", "scope") if (value := getattr(step, key)) is not None
    }
    if step.role is None:
        target["text"] = target.pop("name")
    args = dict(step.args)
    if step.to is not None:
        args["to"] = (await ui.find(step.to["name"], role=step.to.get("role")))[0].instance_id
    return await ui.act(step.act, **target, args=args or None, expect=list(step.expect))


async def trials(cases: tuple[StrangerCase, ...], turns: int = 1) -> list[StrangerTrial]:
    made = []
    with serving() as pages, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / LARGE_FILE).write_text("more than ten bytes\n")
        async with uiap.open("about:blank", uploads=folder, downloads=folder) as ui:
            for case in cases:
                for _ in range(turns):
                    made.append(await try_case(ui, pages, case))
    return made


def _rows(made: list[StrangerTrial]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("half", "cases", "trials", *VERDICTS)]
    for half in HALVES:
        mine = [one for one in made if one.case.half == half]
        count = Counter(one.verdict for one in mine)
        cases = len({one.case.id for one in mine})
        rows.append((half, *map(str, (cases, len(mine), *(count[verdict] for verdict in VERDICTS)))))
    return rows


def run(*options: str) -> bool:
    chosen = dict(option.removeprefix("--").split("=", 1) for option in options)
    halves = (chosen["half"],) if "half" in chosen else HALVES
    cases = tuple(
        case
        for case in CASES
        if case.half in halves
        and chosen.get("only", "") in case.id
        and case.number >= int(chosen.get("from", "1"))
        and (not case.script or chosen.get("built") != "no")
    )
    if missing := sorted({case.script for case in cases if case.script and not is_built(case)}):
        print(
            f"not built: {', '.join(missing)}; run `make fixtures`, or leave these pages out with --built=no"
        )
        return False
    begun = time.perf_counter()
    made = asyncio.run(trials(cases, int(chosen.get("turns", "1"))))
    for one in made:
        if one.verdict != "right" and (one.case.half == "tune" or "names" in chosen):
            print(f"  {one.case.id}: {one.verdict}: {one.report}")
    right = sum(one.verdict == "right" for one in made)
    false = sum(one.verdict in ("false success", "wrong effect") for one in made)
    claims = [
        Claim(f"{right} of {len(made)} reports right (at least {RIGHT:.0%})", right >= RIGHT * len(made)),
        Claim(f"{false} claimed although not true (none allowed)", false == 0),
    ]
    return show(f"{len(cases)} applications in {time.perf_counter() - begun:.0f} s", _rows(made), claims)
