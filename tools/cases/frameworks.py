"""Soak case on framework builds: one to-do script on all of them, and an order form in both halves."""

from __future__ import annotations

import asyncio
import os

from tools.cases.case import Case, Figures

TURNS = int(os.environ.get("UIAP_SOAK_N", "1"))
TODO, TUNE, MEASURE = "to-do list", "order form, tune", "order form, measure"


def run_frameworks(unit: str) -> Figures:
    return _todo_figures() if unit == TODO else _order_figures(unit.rpartition(" ")[2])


def _todo_figures() -> Figures:
    from apps.frameworks import FRAMEWORKS, ensure_built
    from bench.frameworks import STEPS, StepReport, turns

    ensure_built()
    made: list[tuple[str, list[StepReport]]] = []
    asyncio.run(turns(FRAMEWORKS, range(TURNS), lambda name, _seed, steps: made.append((name, steps))))
    complete = sum(len(steps) == STEPS and all(step.good for step in steps) for _, steps in made)
    return {
        "frameworks": len(FRAMEWORKS),
        "turns": len(made),
        "right": complete,
        "false successes": sum(step.false for _, steps in made for step in steps),
    }


def _order_figures(half: str) -> Figures:
    from apps.frameworks import ORDER_TASKS, ensure_built
    from bench.framework_orders import trials

    ensure_built()
    made = asyncio.run(trials(tuple(task for task in ORDER_TASKS if task.half == half), TURNS))
    return {
        "frameworks": len({one.task.framework for one in made}),
        "turns": len(made),
        "right": sum(not one.false_success and not one.false_failure for one in made),
        "false successes": sum(one.false_success for one in made),
    }


def judge_frameworks(all_figures: dict[str, Figures]) -> list[str]:
    wrong = [
        f"{unit}: {found['false successes']} false successes"
        for unit, found in all_figures.items()
        if found["false successes"]
    ]
    for unit, found in all_figures.items():
        least = 1.0 if unit == TODO else 0.98
        if found["right"] < least * found["turns"]:
            wrong.append(f"{unit}: {found['right']} of {found['turns']} right")
    return wrong


CASES: dict[str, Case] = {
    "FRAMEWORKS": Case(
        "Framework builds",
        "On builds of many frameworks, what is reported agrees with the model of the page or with the server.",
        f"{TURNS} of each; UIAP_SOAK_N=20 for twenty",
        (TODO, TUNE, MEASURE),
        run_frameworks,
        judge_frameworks,
    ),
}
