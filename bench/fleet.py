"""How many workflow runs one and two workers execute per minute, from one PostgreSQL database.

`writes` are runs of three writes without a browser: the cost of the engine. `videos` are runs that create a video in
Videoland, each in a new context of a real browser. `--runs=N` sets the number of runs of a measurement, `--kind=NAME`
measures one kind. Workers are ready before the runs are queued, and each executes one run at a time with a browser.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import uiap
from apps.videoland import Settings, serving
from bench.table import Claim, show
from tests.host.workflows.fleet_worker import fleet_order
from tests.host.workflows.killed_worker import CountingServer
from tests.support.postgres import Postgres, PostgresMissing
from uiap.api.workflow_runs import WorkflowRuns, application_of, run_order
from uiap.host.workflows.performer import RunOrder
from uiap.spec.workflow import WorkflowDefinition

SUMMARY = "a fleet of workers: runs per minute of one and of two workers"
RUNS = {"writes": 600, "videos": 60}
AT_ONCE = 32
"""Runs at the same time in one worker without a browser."""
GOAL = 1.6
LOOK_S = 0.1
ENTRY = "import sys; from uiap.cli.main import main; sys.exit(main())"
Orders: TypeAlias = Callable[[], Sequence[RunOrder]]


class Rate(NamedTuple):
    runs: int
    seconds: float

    @property
    def per_minute(self) -> float:
        return 60 * self.runs / self.seconds


def run(*options: str) -> bool:
    given = dict(one.removeprefix("--").partition("=")[::2] for one in options)
    kinds = [given["kind"]] if "kind" in given else list(RUNS)
    try:
        postgres = Postgres()
    except PostgresMissing as missing:
        print(f"not measured: {missing}")
        return False
    try:
        rates = {kind: asyncio.run(_measure(postgres, kind, given)) for kind in kinds}
    finally:
        postgres.remove()
    rows: list[tuple[str, ...]] = [("runs", "1 worker", "2 workers", "ratio")]
    claims = []
    for kind, (one, two) in rates.items():
        ratio = two.per_minute / one.per_minute
        rows.append((kind, f"{one.per_minute:.0f} / min", f"{two.per_minute:.0f} / min", f"{ratio:.2f}"))
        claims.append(
            Claim(
                f"{kind}: two workers do at least {GOAL} times the runs of one ({ratio:.2f})", ratio >= GOAL
            )
        )
    return show("fleet on PostgreSQL", rows, claims)


async def _measure(postgres: Postgres, kind: str, given: dict[str, str]) -> tuple[Rate, Rate]:
    runs = int(given.get("runs", RUNS[kind]))
    measure: Callable[..., Awaitable[Rate]] = {"writes": _writes, "videos": _videos}[kind]
    one, two = [await measure(postgres, workers, runs) for workers in (1, 2)]
    return one, two


async def _writes(postgres: Postgres, workers: int, runs: int) -> Rate:
    server = CountingServer()
    command = ["-m", "tests.host.workflows.fleet_worker", postgres.url, str(server.port), str(AT_ONCE)]
    try:
        return await _rate(postgres, command, workers, [fleet_order(number) for number in range(runs)])
    finally:
        server.close()


async def _videos(postgres: Postgres, workers: int, runs: int) -> Rate:
    with serving(Settings(rows=20, truth=True, auto_login=True)) as app:
        definition = await _recorded(app.url)
        application, actions = application_of(definition, None, rules="trusted")
        orders = [
            run_order(definition, application, {"title": f"Video {number}"}, actions=actions)
            for number in range(runs)
        ]
        command = ["-c", ENTRY, "worker", "--database", postgres.url, "--runs", "1", "--browsers", "1"]
        return await _rate(postgres, [*command, "--allow", "private"], workers, orders)


async def _recorded(url: str) -> WorkflowDefinition:
    async with uiap.open(f"{url}/videos/new?as=admin&lang=en") as ui:
        recording = await ui.workflows.record()
        await ui.fill("Title", "A recorded video")
        await ui.click("Create video", expect=[uiap.route_changed("/videos/:id")])
        return await recording.stop("video.create", "Create a video")


async def _rate(postgres: Postgres, command: list[str], workers: int, orders: Sequence[RunOrder]) -> Rate:
    """Start the workers, queue the runs, and measure until the last one has succeeded."""
    postgres.clear()
    async with WorkflowRuns(postgres.url) as runs:
        with _workers(command, workers):
            warm = orders[:workers]
            await _execute(runs, warm)  # the first run of a worker starts its browser
            begun = time.monotonic()
            await _execute(runs, orders[workers:])
            return Rate(len(orders) - workers, time.monotonic() - begun)


async def _execute(runs: WorkflowRuns, orders: Sequence[RunOrder]) -> None:
    for order in orders:
        await runs.enqueue(order)
    ids = {order.terms.instance_id for order in orders}
    while True:
        if not ids & set(await runs.open_ids()):
            break
        await asyncio.sleep(LOOK_S)
    last = await runs.history(orders[-1].terms.instance_id)
    assert last.instance.status == "succeeded", last.instance


@contextmanager
def _workers(command: list[str], count: int) -> Iterator[None]:
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    workers = [subprocess.Popen([sys.executable, *command], **streams) for _ in range(count)]
    try:
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline().startswith(b"ready"), "the worker did not start"
        yield
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(60)
