"""Trials on generated pages by the whole runtime: the claim, the truth of the page and the records of the server."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Process
from typing import Any

import msgspec
from msgspec import UNSET

from apps.grammar import DIMENSIONS, Case, Server, cases, serving
from apps.grammar.verdict import VERDICTS, Verdict, judge
from tests.browser.trial import Stage
from tests.browser.witness import PORT, witness
from uiap.drivers.chromium import ChromiumBrowser
from uiap.spec.action import ActionResultPayload

POLL_S = 0.05
END_S = 15.0
"""The longest time from the result to the end of everything that a page started."""
UNTOUCHED_S = 1.5
"""A page whose control was not used by then is counted as untouched."""
PARALLEL = 3
ALLOWED_FAILURES = 0.02


@dataclass(frozen=True)
class Outcome:
    case: Case
    verdict: Verdict
    message: str
    page: dict[str, Any]
    records: list[str]
    duration_s: float

    def details(self) -> str:
        """Return the values of the shape that the id does not contain."""
        shape = self.case.shape
        return f"{shape.disguise}, {shape.delay} ms, {shape.noise}, {shape.display}, expects {shape.expect}"

    def describe(self) -> str:
        return f"{self.case.id} ({self.details()}): {self.message}; page {self.page}, server {self.records}"


def _message(result: ActionResultPayload) -> str:
    if result.error is not UNSET:
        return f"{result.status}, {result.side_effect_state}, {result.error.code}: {result.error.message}"
    metadata = result.metadata if isinstance(result.metadata, dict) else {}
    unsettled = f", not settled: {metadata.get('pending')}" if metadata.get("settled") is False else ""
    return f"{result.status}, {result.side_effect_state}: {metadata.get('evidence')}{unsettled}"


async def attempt(stage: Stage, server: Server, case: Case) -> Outcome:
    """Perform one case as an agent would, then read the truth when the page has ended what it started."""
    trial = server.next_trial()
    arrived = await stage.act("nav.navigate", args={"url": server.page(case.id, trial)})
    assert arrived.status == "succeeded", arrived
    stage.page.tab().mark_reported()
    target = stage.driver.context.tab(None).target_id  # a new tab may become the active one
    begun = time.monotonic()
    result = await stage.act(
        case.action,
        role=case.role,
        name=case.name,
        args=case.args,
        expect=case.expect,
        timeout_ms=case.timeout_ms,
    )
    spent = time.monotonic() - begun
    page = await _end(stage, server, case, trial, target)
    records = list(server.records[trial])
    verdict = judge(case, result.status == "succeeded", page, records)
    return Outcome(case, verdict, _message(result), page, records, spent)


async def _end(stage: Stage, server: Server, case: Case, trial: int, target: str) -> dict[str, Any]:
    """Return the truth of the page by a second connection, once its script has finished."""
    begun = time.monotonic()
    async with witness(stage.profile, target) as eye:
        while True:
            page: dict[str, Any] = msgspec.json.decode(
                await eye.evaluate("JSON.stringify(window.__truth ?? {})") or "{}"
            )
            spent = time.monotonic() - begun
            if page.get("finished") and len(server.records[trial]) >= len(case.truth.server):
                return page
            if spent > END_S or (not page.get("performed") and spent > UNTOUCHED_S):
                return page
            await asyncio.sleep(POLL_S)


async def try_all(chosen: Sequence[Case], parallel: int = PARALLEL, repeats: int = 1) -> list[Outcome]:
    """Try these cases, some at a time, each in a browser context of its own; `repeats` times in the same one."""
    outcomes: list[Outcome] = []
    browser = await ChromiumBrowser.launch(environ=os.environ, args=(PORT,))
    try:
        with serving() as server:
            queue = iter(chosen)

            async def work() -> None:
                for case in queue:
                    async with Stage.opened(browser, server) as stage:  # type: ignore[arg-type]
                        outcomes.extend([await attempt(stage, server, case) for _ in range(repeats)])

            await asyncio.gather(*(work() for _ in range(parallel)))
    finally:
        await browser.close()
    return outcomes


def _spin() -> None:
    while True:
        pass


@contextmanager
def busy_processor(busy: bool) -> Iterator[None]:
    """Keep every core busy until the block ends."""
    spinning = [Process(target=_spin, daemon=True) for _ in range(os.cpu_count() or 1)] if busy else []
    for process in spinning:
        process.start()
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.join()


def run(half: str, busy: bool, turns: int) -> dict[str, Any]:
    """Run one half with an idle or a busy processor, and return the counts and every wrong case."""
    chosen = [case for case in cases() if case.half == half] * turns
    with busy_processor(busy):
        outcomes = asyncio.run(try_all(chosen))
    count = Counter(outcome.verdict for outcome in outcomes)
    figures: dict[str, Any] = {"trials": len(outcomes)}
    figures["must succeed"] = sum(outcome.case.truth.succeeds for outcome in outcomes)
    figures |= {verdict: count[verdict] for verdict in VERDICTS}
    figures["median s"] = round(sorted(o.duration_s for o in outcomes)[len(outcomes) // 2], 3)
    for name, values in DIMENSIONS.items():
        for value in values:
            group = [o for o in outcomes if getattr(o.case.shape, name) == value]
            figures[f"{name}: {value}"] = _summary(group)
    wrong = sorted((o for o in outcomes if o.verdict != "right"), key=lambda o: (o.verdict, o.case.id))
    repeated: Counter[str] = Counter(f"{o.verdict}: {o.case.id}" for o in wrong)
    for outcome in wrong:
        name = f"{outcome.verdict}: {outcome.case.id}"
        times = f" ({repeated[name]} of {turns})" if turns > 1 else ""
        figures.setdefault(name + times, f"{outcome.details()}; {outcome.message}".replace("|", "/"))
    return figures


def _summary(group: Sequence[Outcome]) -> str:
    count = Counter(outcome.verdict for outcome in group)
    wrong = "".join(f", {count[verdict]} {verdict}" for verdict in VERDICTS[1:] if count[verdict])
    return f"{count['right']} of {len(group)} right{wrong}"


def judge_figures(all_figures: dict[str, dict[str, Any]]) -> list[str]:
    """Return the limits that the figures miss: no false success, no wrong effect, at most 2 % false failures."""
    problems = []
    for unit, found in all_figures.items():
        problems += [
            f"{unit}: {found[name]} {name}" for name in ("false success", "wrong effect") if found[name]
        ]
        failures = found["false failure"] + found["missed"]
        if failures > ALLOWED_FAILURES * found["trials"]:
            problems.append(f"{unit}: {failures} false failures and misses")
    return problems
