"""`uiap worker`: execute queued and scheduled workflow runs of a database, in a pool of browsers."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import click

from uiap.cli import worker_health
from uiap.cli.output import allowed_addresses, json_option, print_json, reach_options
from uiap.cli.workflow_control import database_option

if TYPE_CHECKING:
    from uiap.host.workflows.durable import RunLimits


@click.command(
    help="Execute the workflow runs of a database until stopped with SIGTERM or Ctrl-C: queued ones, scheduled ones, "
    "and those of a worker that is lost; also queued discoveries, one at a time. "
    "Any number of workers may share a PostgreSQL database; a SQLite file has one."
)
@database_option
@click.option("--runs", default=4, type=click.IntRange(1, 64), help="Runs at the same time (default 4).")
@click.option(
    "--per-application",
    default=16,
    type=click.IntRange(1),
    help="Runs of one application at the same time, in all workers together (default 16).",
)
@click.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="Start at most N runs of one application per minute, in all workers together (default: no limit).",
)
@click.option(
    "--browsers", default=2, type=click.IntRange(1, 64), help="Maximum number of browsers (default 2)."
)
@click.option(
    "--recycle",
    default=50,
    type=click.IntRange(1),
    help="Replace a browser after this many runs (default 50).",
)
@click.option(
    "--browser-memory",
    type=click.IntRange(100),
    metavar="MB",
    help="Replace a browser that uses more memory than this (default: no limit).",
)
@click.option(
    "--health",
    metavar="[HOST:]PORT",
    help="Serve GET /health here: 200 while the database is reachable, 503 otherwise. Without it, nothing listens.",
)
@reach_options
@json_option
def command(
    database: str | None,
    runs: int,
    per_application: int,
    rate: int | None,
    browsers: int,
    recycle: int,
    browser_memory: int | None,
    health: str | None,
    allow: tuple[str, ...],
    public_only: bool,
    as_json: bool,
) -> int:
    from uiap.host.workflows.durable import RunLimits

    reach = allowed_addresses(allow, public_only, shared=False)
    limits = RunLimits(runs=runs, per_application=per_application, per_minute=rate)
    address = None if health is None else worker_health.listen_address(health)
    pool = {"browsers": browsers, "recycle": recycle, "memory_mb": browser_memory, "allow": reach}
    asyncio.run(_work(database, limits, pool, address, as_json))
    return 0


async def _work(
    database: str | None,
    limits: RunLimits,
    browsers: dict[str, Any],
    health: tuple[str, int] | None,
    as_json: bool,
) -> None:
    from uiap.api.workflow_application import ApplicationOpener, PooledBrowsers
    from uiap.api.workflow_runs import WorkflowRuns
    from uiap.cli.discover import explore_queued
    from uiap.cli.discover_queue import explorer
    from uiap.host.records.store import display_url

    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with AsyncExitStack() as stack:
        pool = PooledBrowsers(contexts=limits.runs, **browsers)
        stack.push_async_callback(pool.close)
        explore = explorer(explore_queued)
        runs = await stack.enter_async_context(WorkflowRuns(database))
        await stack.enter_async_context(
            runs.executing(ApplicationOpener(pool.open), limits=limits, explore=explore)
        )
        if health is not None:
            await stack.enter_async_context(worker_health.serving_health(health, runs.is_reachable))
        if as_json:
            print_json({"database": display_url(runs.database), "runs": limits.runs})
        else:
            click.echo(f"ready: {limits.runs} runs at a time from {display_url(runs.database)}")
        await stopped.wait()
