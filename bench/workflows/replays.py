"""Record a task of a person, replay it with other data, and compare what the server holds afterwards."""

from __future__ import annotations

import importlib
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import UNSET
from playwright.async_api import Page

import uiap
from bench.discovery_apps.app import App, Running, running
from bench.workflows.alone import Times, add_times_alone
from bench.workflows.persons import Data, Rows
from bench.workflows.tasks import Task
from tests.drivers.playwright.browser import playwright_chromium
from uiap.api.workflow_application import ApplicationOpener, PooledBrowsers
from uiap.api.workflow_runs import WorkflowRuns, application_of, run_order
from uiap.errors import UiapError
from uiap.host.workflows.durable import DurableRuns
from uiap.host.workflows.history import RunHistory
from uiap.spec.workflow import WorkflowDefinition

PERSON_MS = 10_000


@dataclass
class Measured:
    """The replays of one application."""

    app: App
    steps: int = 0
    right: int = 0
    refused: int = 0
    wrong: int = 0
    problems: list[str] = field(default_factory=list)
    step_ms: Times = field(default_factory=lambda: defaultdict(list))
    """The times of each step in the replays. The step after the last action counts too."""
    alone_ms: Times = field(default_factory=lambda: defaultdict(list))
    """The times of the same actions without a workflow."""
    definition: WorkflowDefinition | None = None


async def measure(task: Task, runs: int, alone: int) -> Measured:
    app: App = importlib.import_module(f"bench.discovery_apps.{task.app}").APP
    measured = Measured(app)
    with tempfile.TemporaryDirectory() as folder, running(app) as site:
        state = Path(folder) / "state.json"
        definition = await record(site, task, state)
        measured.definition = definition
        names = [one.name for one in definition.parameters or ()]
        if len(names) != len(task.data(0)):
            measured.refused = runs
            measured.problems.append(f"recorded the parameters {names}, entered were {list(task.data(0))}")
            return measured
        measured.steps = sum(step.type == "action" for step in definition.steps)
        async with WorkflowRuns(Path(folder) / "runs.sqlite3") as stored, executing_runs(stored) as executing:
            for n in range(1, runs + 1):
                await _replay(_Replay(site, task, definition, state), n, stored, executing, measured)
                if n <= alone:
                    await _alone(definition, parameters(definition, task.data(runs + n)), state, measured)
    return measured


@asynccontextmanager
async def executing_runs(stored: WorkflowRuns) -> AsyncIterator[DurableRuns]:
    """Execute runs as a worker does: in contexts of a shared browser."""
    browsers = PooledBrowsers(browsers=1, contexts=1, recycle=100, allow=("private",))
    try:
        async with stored.executing(ApplicationOpener(browsers.open)) as executing:
            yield executing
    finally:
        await browsers.close()


async def _alone(
    definition: WorkflowDefinition, values: dict[str, Any], state: Path, measured: Measured
) -> None:
    try:
        await add_times_alone(definition, values, state, measured.alone_ms)
    except UiapError as error:
        measured.problems.append(str(error))


@dataclass(frozen=True)
class _Replay:
    site: Running
    task: Task
    definition: WorkflowDefinition
    state: Path


async def record(site: Running, task: Task, state: Path) -> WorkflowDefinition:
    """Sign in, then record the task of a person. A second connection to the browser plays the person."""
    async with playwright_chromium() as browser, uiap.attach(await browser.new_page()) as ui:
        (page,) = browser.contexts[0].pages
        page.set_default_timeout(PERSON_MS)
        await _sign_in(site, page, ui)
        await browser.contexts[0].storage_state(path=state)
        await page.goto(site.base + task.start)
        recording = await ui.workflows.record()
        await task.person(page, task.data(0))
        return await recording.stop(f"{task.app}.task", f"The task of {task.app}")


async def _sign_in(site: Running, page: Page, ui: uiap.Ui) -> None:
    principal = site.app.principal
    if principal is None:
        return
    await page.goto(site.base + str(principal.url))
    for step in principal.steps:
        if "css" in step:  # a field that uiap does not name
            await page.fill(str(step["css"]), step["args"]["text"])
        else:
            await ui.act(
                str(step["action"]), role=step["role"], name=str(step["name"]), args=step.get("args")
            )
    await page.wait_for_load_state("networkidle")


def parameters(definition: WorkflowDefinition, data: Data) -> dict[str, Any]:
    """Return the values of a run: the parameters are in the order in which the person entered them."""
    pairs = zip(definition.parameters or (), data.values(), strict=True)
    return {one.name: float(value) if one.type == "number" else value for one, value in pairs}


async def _replay(
    one: _Replay, n: int, stored: WorkflowRuns, executing: DurableRuns, measured: Measured
) -> None:
    data = one.task.data(n)
    before = one.task.rows(one.site)
    application, actions = application_of(one.definition, None, state=str(one.state), rules="trusted")
    order = run_order(one.definition, application, parameters(one.definition, data), actions=actions)
    await executing.start(order)
    async for _ in stored.follow(order.terms.instance_id):
        pass
    history = await stored.history(order.terms.instance_id)
    _judge(n, history, before, one.task.rows(one.site), one.task.row(data), measured)
    if history.instance.status not in ("succeeded", "failed"):
        await stored.cancel(order.terms.instance_id)
        await executing.result(order.terms.instance_id)


def _judge(
    n: int, history: RunHistory, before: Rows, after: Rows, wanted: tuple[str, ...], measured: Measured
) -> None:
    """Count a run: right, wrong, or refused. A refused run changes nothing, or exactly the right thing."""
    added, removed = Counter(after) - Counter(before), Counter(before) - Counter(after)
    done, untouched = added == Counter([wanted]) and not removed, not added and not removed
    status, note = history.instance.status, _note(history)
    if status == "succeeded" and done:
        measured.right += 1
        _add_step_times(history, measured.step_ms)
        return
    if status != "succeeded" and (done or untouched):
        measured.refused += 1
    else:
        measured.wrong += 1
    measured.problems.append(f"run {n}: {status}, added {dict(added)}, removed {dict(removed)}: {note}")


def _note(history: RunHistory) -> str:
    if history.question is not None:
        return f"asks at `{history.question.step_id}`: {history.question.text}"
    error = history.instance.error if hasattr(history.instance, "error") else UNSET
    notes = [entry.note for entry in history.timeline if entry.note]
    return str(error) if error else (notes[-1] if notes else "")


def _add_step_times(history: RunHistory, times: Times) -> None:
    """Add the time of each step: from its report to the next one. Collecting the inputs opens the page."""
    entries = [one for one in history.timeline if one.step_id != "inputs"]
    for one, following in pairwise(entries):
        times[one.step_id].append((_moment(following.at) - _moment(one.at)) * 1000)


def _moment(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
