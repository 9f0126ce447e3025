"""Record a task in third-party applications, and replay it with other data.

A second connection to the browser plays the person. Each replay is a durable run in a context of its own. The
application's own data judges it. `--apps=NAME,NAME` measures some applications, `--runs=N` replays N times (20),
`--show` prints the definitions. `--drift` replays under ten kinds of redesign instead, in Videoland and the helpdesk.
Of an application of the measuring half only the figures are printed.
"""

from __future__ import annotations

import asyncio
from statistics import median

import msgspec

from bench.discovery_apps.app import Absent
from bench.table import Claim, show
from bench.workflows.alone import Times
from bench.workflows.drift import VIDEOLAND, Drifts, Outcome, measure_drifts
from bench.workflows.replays import Measured, measure
from bench.workflows.tasks import TASKS

SUMMARY = "recorded tasks in third-party applications: replays with other data, cost of a step"
RUNS, ALONE = 20, 10
RIGHT_LEAST, COST_MOST = 0.95, 1.5
OUTCOMES: tuple[Outcome, ...] = ("right", "repaired", "refused", "wrong")
TITLES = ("application", "half", "steps", "right", "refused", "wrong", "step", "action alone", "ratio")


def run(*options: str) -> bool:
    given = dict(one.removeprefix("--").partition("=")[::2] for one in options)
    names = [one for one in given.get("apps", "").split(",") if one]
    if "drift" in given:
        return _drifts(names or [VIDEOLAND, "helpdesk"])
    names = names or list(TASKS)
    runs = int(given.get("runs", RUNS))
    found = [asyncio.run(_measure(name, runs, min(runs, ALONE), "show" in given)) for name in names]
    measured = [one for one in found if one is not None]
    rows = [TITLES, *(_row(one) for one in measured)]
    claims = [claim for one in measured for claim in _claims(one, runs)]
    return show("replays with other data", rows, claims) and len(measured) == len(names)


def _drifts(names: list[str]) -> bool:
    """Measure the redesigns. The first row is a replay without one."""
    found = [asyncio.run(measure_drifts(name)) for name in names]
    for one in found:
        print("".join(f"{one.name}: {line}\n" for line in (*one.proposals, *one.problems)), end="")
    rows = [("application", "redesign", *OUTCOMES), *(row for one in found for row in _drift_rows(one))]
    claims = [Claim(f"{one.name}: never wrong", not _wrong(one)) for one in found]
    return show("replays under redesigns", rows, claims)


def _drift_rows(one: Drifts) -> list[tuple[str, ...]]:
    return [
        (one.name, kind or "none", *(str(counts[outcome]) for outcome in OUTCOMES))
        for kind, counts in one.outcomes.items()
    ]


def _wrong(one: Drifts) -> int:
    return sum(counts["wrong"] for counts in one.outcomes.values())


async def _measure(name: str, runs: int, alone: int, shown: bool) -> Measured | None:
    try:
        found = await measure(TASKS[name], runs, alone)
    except Absent as absent:
        print(f"{name}: not measured: {absent}")
        return None
    if found.app.half != "measuring":
        print("".join(f"{name}: {line}\n" for line in found.problems), end="", flush=True)
        if shown:
            print(msgspec.yaml.encode(found.definition).decode())
    return found


def _row(one: Measured) -> tuple[str, ...]:
    counts = (str(one.steps), str(one.right), str(one.refused), str(one.wrong))
    step, alone = _per_step(one.step_ms, one.steps), _per_step(one.alone_ms, one.steps)
    return (
        one.app.versions.split(",")[0],
        one.app.half,
        *counts,
        f"{step:.0f} ms",
        f"{alone:.0f} ms",
        _ratio(one),
    )


def _per_step(times: Times, steps: int) -> float:
    """Return the time per action step: the sum of the medians of all steps."""
    return sum(median(one) for one in times.values()) / steps if times and steps else float("nan")


def _ratio(one: Measured) -> str:
    return f"{_per_step(one.step_ms, one.steps) / _per_step(one.alone_ms, one.steps):.2f}"


def _claims(one: Measured, runs: int) -> list[Claim]:
    name = one.app.name
    return [
        Claim(f"{name}: at least 95 % right, none wrong", one.right >= RIGHT_LEAST * runs and not one.wrong),
        Claim(f"{name}: a step costs at most 1.5 × the action alone", float(_ratio(one)) <= COST_MOST),
    ]
