"""Press one control on each page of everyday situations, and compare the report with the truth.

Options: `--only=TEXT` for the cases whose id contains it, `--turns=N`. All rounds have been seen, so this finds what a
change made worse. How well the runtime judges unknown pages, only a new round can tell.
"""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

import uiap
from apps.everyday import EverydayCase, read_cases, serving
from bench.table import Claim, show
from uiap.api.result import Result

SUMMARY = "everyday pages: one press each, half must succeed and half must fail"
RIGHT = 0.9


class EverydayTrial(NamedTuple):
    case: EverydayCase
    result: Result

    @property
    def succeeded(self) -> bool:
        return self.result.error is None

    @property
    def verdict(self) -> str:
        if self.succeeded == self.case.succeeds:
            return "right"
        return "false success" if self.succeeded else "false failure"


async def try_case(ui: uiap.Ui, origin: str, case: EverydayCase) -> EverydayTrial:
    """Press the control of one page."""
    await ui.goto(f"{origin}/{case.id}/")
    return EverydayTrial(case, await ui.click(case.press, role=case.role, check=False))


async def trials(cases: tuple[EverydayCase, ...], turns: int = 1) -> list[EverydayTrial]:
    """Try each case `turns` times. The session learns from page to page, as that of an agent does."""
    with serving(cases) as origin:
        async with uiap.open("about:blank", autonomy="trusted") as ui:
            return [await try_case(ui, origin, case) for _ in range(turns) for case in cases]


def run(*options: str) -> bool:
    given = dict(option.removeprefix("--").partition("=")[::2] for option in options)
    if set(given) - {"only", "turns"}:
        print("bench everyday: use --only=TEXT or --turns=N")
        return False
    cases = tuple(case for case in read_cases() if given.get("only", "") in case.id)
    begun = time.perf_counter()
    made = asyncio.run(trials(cases, int(given.get("turns", "1"))))
    for one in made:
        if one.verdict != "right":
            words = one.result.error.message if one.result.error is not None else "succeeded"
            print(f"  {one.verdict}: {one.case.id}: {words}")
    rounds = sorted({one.case.id.partition("-")[0] for one in made})
    rows: list[tuple[str, ...]] = [("round", "trials", "right", "false success", "false failure")]
    for name in (*rounds, ""):
        verdicts = [one.verdict for one in made if one.case.id.startswith(name)]
        counts = [verdicts.count(word) for word in rows[0][2:]]
        rows.append((name or "all", str(len(verdicts)), *map(str, counts)))
    right, false = (sum(one.verdict == word for one in made) for word in ("right", "false success"))
    claims = [
        Claim(f"{right} of {len(made)} reports right (at least {RIGHT:.0%})", right >= RIGHT * len(made)),
        Claim(f"{false} false successes (none allowed)", false == 0),
    ]
    return show(f"{len(cases)} pages in {time.perf_counter() - begun:.0f} s", rows, claims)
