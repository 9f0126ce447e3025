"""Tasks of an agent on third-party applications, as an optimal script per tool: what one task costs.

The applications and the peers are fetched at run time. The database of the application is the truth: a tool that
reported success without the data, or for a refused form, made a wrong claim. `UIAP_AGENT_APPS` and `UIAP_AGENT_TOOLS`
name applications and tools, separated by commas.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sqlite3
import time
from collections.abc import Iterator

from bench.agent_tasks.task import AgentTask, Cost
from bench.agent_tasks.tasks import MEASURING, SIGN_IN, TASKS
from bench.agent_tasks.tools import TOOLS, AgentTool, OurShell
from bench.discovery_apps.app import Absent as AppAbsent
from bench.discovery_apps.app import Running, running
from bench.peers.install import Absent
from bench.table import Claim, show

SUMMARY = "tasks of an agent on third-party applications: calls, tokens, seconds, questions and wrong claims"
COLUMNS = {"calls": 0.8, "tokens": 0.6, "seconds": 1.0}
"""The share of the best peer that we may use."""


async def measure(tool: AgentTool, site: Running, tasks: list[AgentTask], cost: Cost) -> None:
    await tool.start(site.base, SIGN_IN[site.app.name])
    try:
        for task in tasks:
            began = time.monotonic()
            claimed = await _done(tool, task, cost)
            cost.seconds += time.monotonic() - began
            _judge(task, claimed, site, cost)
    finally:
        await tool.close()


async def _done(tool: AgentTool, task: AgentTask, cost: Cost) -> bool:
    try:
        if not await tool.visit(task.path, cost):
            return False
        for stage in task.stages:
            if not await tool.act(stage, cost):
                return False
    except (LookupError, TimeoutError) as error:
        cost.failures.append(f"{task.name}: {error}")
        return False
    return True


def _judge(task: AgentTask, claimed: bool, site: Running, cost: Cost) -> None:
    assert site.app.database is not None
    with sqlite3.connect(site.folder / site.app.database) as connection:
        (done,) = connection.execute(task.truth).fetchone()
    wrong = claimed and (task.refused or not done)
    cost.wrong_claims += wrong
    cost.right += claimed == (not task.refused) and bool(done) == (not task.refused)
    if wrong or bool(done) == task.refused or claimed == task.refused:
        words = f"{'done' if done else 'not done'}, {'claimed' if claimed else 'not claimed'}"
        cost.failures.append(f"{task.name}: {words}{', refused by the application' if task.refused else ''}")


def _measured(apps: list[str], names: list[str]) -> Iterator[tuple[str, str, Cost]]:
    """Yield application, tool and cost; every tool starts with fresh data."""
    for app in apps:
        tasks = [task for task in TASKS if task.app == app]
        for make in TOOLS:
            if names and make.name not in names:
                continue
            cost = Cost()
            try:
                with running(importlib.import_module(f"bench.discovery_apps.{app}").APP) as site:
                    asyncio.run(measure(make(), site, tasks, cost))
            except (Absent, AppAbsent, TimeoutError, LookupError) as absent:
                print(f"{app} with {make.name} is absent: {absent!r}", flush=True)
                continue
            print(f"{app} {make.name}: {cost}", flush=True)
            yield app, make.name, cost


def _words(name: str) -> list[str]:
    return [word for word in os.environ.get(name, "").split(",") if word]


def run() -> bool:
    apps = _words("UIAP_AGENT_APPS") or list(SIGN_IN)
    costs: dict[str, Cost] = {}
    halves: dict[tuple[str, str], Cost] = {}
    for app, tool, cost in _measured(apps, _words("UIAP_AGENT_TOOLS")):
        half = "measuring" if app in MEASURING else "tuning"
        for total in (
            costs.setdefault(tool, Cost()),
            halves.setdefault((f"{tool}, {half} half", half), Cost()),
        ):
            _add(total, cost)
    shown = {**costs, **{name: cost for (name, _), cost in halves.items()}}
    head = ("tool", "right", "calls", "tokens", "seconds", "questions", "wrong claims")
    rows = [head, *(_row(name, cost) for name, cost in shown.items())]
    return show("an agent's tasks on third-party applications", rows, _claims(costs))


def _add(total: Cost, cost: Cost) -> None:
    for name in ("calls", "tokens", "seconds", "questions", "wrong_claims", "right"):
        setattr(total, name, getattr(total, name) + getattr(cost, name))
    total.failures += cost.failures


def _row(name: str, cost: Cost) -> tuple[str, ...]:
    figures = (cost.right, cost.calls, cost.tokens, f"{cost.seconds:.1f}", cost.questions, cost.wrong_claims)
    return (name, *map(str, figures))


def _claims(costs: dict[str, Cost]) -> list[Claim]:
    ours = costs.get(OurShell.name)
    peers = [cost for name, cost in costs.items() if name != OurShell.name]
    if ours is None:
        return []
    claims = [
        Claim(f"every task ends right: {'; '.join(ours.failures) or 'yes'}", not ours.failures),
        Claim("no wrong claim", ours.wrong_claims == 0),
    ]
    for column, share in COLUMNS.items():
        if peers:
            best = min(getattr(peer, column) for peer in peers)
            used = getattr(ours, column) / best
            claims.append(Claim(f"{used:.2f} of the {column} of the best peer ({share})", used <= share))
    return claims
