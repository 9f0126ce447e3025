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

from bench.agent_tasks.by_names import BY_NAMES, OurShellByNames
from bench.agent_tasks.task import AgentTask, Cost, TaskCost
from bench.agent_tasks.tasks import MEASURING, SIGN_IN, TASKS
from bench.agent_tasks.tools import SEE_FIRST, AgentTool, OurShell
from bench.discovery_apps.app import Absent as AppAbsent
from bench.discovery_apps.app import Running, running
from bench.peers.install import Absent
from bench.table import Claim, show

SUMMARY = "tasks of an agent on third-party applications: calls, tokens, seconds, questions and wrong claims"
STYLES = {
    "each page is seen first": (OurShell, SEE_FIRST),
    "the task gives the names": (OurShellByNames, BY_NAMES),
}
"""Our tool and all tools, by what an agent knows before it acts. A style is compared within itself."""
COLUMNS = {"calls": 0.8, "tokens": 0.6, "seconds": 1.0}
"""The share of the best peer that we may use."""


async def measure(tool: AgentTool, site: Running, tasks: list[AgentTask], cost: Cost) -> None:
    await tool.start(site.base, SIGN_IN[site.app.name])
    try:
        for task in tasks:
            before, began = _figures(cost), time.monotonic()
            claimed = await _done(tool, task, cost)
            cost.seconds += time.monotonic() - began
            cost.by_task[task.name] = _figures(cost).since(before)
            _judge(task, claimed, site, cost)
    finally:
        await tool.close()


def _figures(cost: Cost) -> TaskCost:
    return TaskCost(cost.calls, cost.tokens, cost.seconds, cost.questions)


async def _done(tool: AgentTool, task: AgentTask, cost: Cost) -> bool:
    try:
        return await tool.run(task, cost)
    except (LookupError, TimeoutError) as error:
        cost.failures.append(f"{task.name}: {error}")
        return False


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
        for make in (*SEE_FIRST, *BY_NAMES):
            if names and make.name not in names:
                continue
            cost = Cost()
            try:
                with running(importlib.import_module(f"bench.discovery_apps.{app}").APP) as site:
                    asyncio.run(measure(make(), site, tasks, cost))
            except (Absent, AppAbsent, TimeoutError, LookupError) as absent:
                print(f"{app} with {make.name} is absent: {absent!r}", flush=True)
                continue
            print(f"{app} {make.name}: {_row(make.name, cost)[1:]} {cost.failures}", flush=True)
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
    _show_tasks(costs)
    head = ("tool", "right", "calls", "tokens", "seconds", "questions", "wrong claims")
    rows = [head, *(_row(name, cost) for name, cost in shown.items())]
    claims = [claim for style in STYLES for claim in _claims(style, costs)]
    return show("an agent's tasks on third-party applications", rows, claims)


def _add(total: Cost, cost: Cost) -> None:
    for name in ("calls", "tokens", "seconds", "questions", "wrong_claims", "right"):
        setattr(total, name, getattr(total, name) + getattr(cost, name))
    total.failures += cost.failures
    total.by_task |= cost.by_task


def _show_tasks(costs: dict[str, Cost]) -> None:
    """Print calls, tokens and seconds of each task with each tool."""
    names = dict.fromkeys(name for cost in costs.values() for name in cost.by_task)
    rows = [("calls/tokens/seconds", *costs)]
    for name in names:
        cells = (cost.by_task.get(name) for cost in costs.values())
        rows.append((name[:70], *(f"{c.calls}/{c.tokens}/{c.seconds:.2f}" if c else "" for c in cells)))
    show("each task", rows, [])


def _row(name: str, cost: Cost) -> tuple[str, ...]:
    figures = (cost.right, cost.calls, cost.tokens, f"{cost.seconds:.1f}", cost.questions, cost.wrong_claims)
    return (name, *map(str, figures))


def _claims(style: str, costs: dict[str, Cost]) -> list[Claim]:
    our_tool, tools = STYLES[style]
    ours = costs.get(our_tool.name)
    peers = [costs[tool.name] for tool in tools if tool.name in costs and tool is not our_tool]
    if ours is None:
        return []
    claims = [
        Claim(f"{style}: every task ends right: {'; '.join(ours.failures) or 'yes'}", not ours.failures),
        Claim(f"{style}: no wrong claim", ours.wrong_claims == 0),
    ]
    for column, share in COLUMNS.items():
        if peers:
            best = min(getattr(peer, column) for peer in peers)
            used = getattr(ours, column) / best
            claims.append(
                Claim(f"{style}: {used:.2f} of the {column} of the best peer ({share})", used <= share)
            )
    return claims
