"""Queued discovery: `uiap discover URL --queue` stores a run for a worker, `uiap discover queued` lists them.

A worker explores and writes the package into the folder, which it needs at the same place. If the worker is lost,
another one continues in the folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.host.workflows.performer import DiscoveryOrder
from uiap.ids import new_secret

Explore: TypeAlias = Callable[[dict[str, Any], Path], Awaitable[str]]
PATHS = ("out", "principals", "storage_state", "bundle", "known", "documents")
"""Options that name files. A worker reads them from the same place."""
NOT_STORED = ("as_json", "queue", "database", "headed", "resume", "learn_reads")


def discovery_order(given: dict[str, Any]) -> DiscoveryOrder:
    """Return the order of a discovery with the options of the command line."""
    options = {name: _absolute(name, value) for name, value in given.items() if name not in NOT_STORED}
    return DiscoveryOrder(id=new_secret("disc"), url=given["url"], options=options)


def _absolute(name: str, value: Any) -> Any:
    if name not in PATHS or not value:
        return value
    if isinstance(value, str):
        return str(Path(value).absolute())
    return [str(Path(one).absolute()) for one in value]


def queue(given: dict[str, Any]) -> int:
    """Store a discovery for a worker."""
    order = discovery_order(given)
    if (Path(order.options["out"]) / "package.json").exists():
        raise Unavailable(f"`{given['out']}` already has a package; choose another --out")

    async def store() -> None:
        from uiap.api.workflow_runs import WorkflowRuns

        async with WorkflowRuns(given["database"]) as runs:
            await runs.enqueue_discovery(order)

    asyncio.run(store())
    if given["as_json"]:
        print_json({"id": order.id, "status": "queued", "out": order.options["out"]})
    else:
        click.echo(f"queued: {order.id}; a worker writes {order.options['out']}; see: uiap discover queued")
    return 0


def explorer(explore: Explore) -> Callable[[DiscoveryOrder], Awaitable[str]]:
    """Return the function by which a worker carries out a queued discovery. It returns the status."""

    async def carry_out(order: DiscoveryOrder) -> str:
        out = Path(order.options["out"])
        interrupted = await asyncio.to_thread(_has_files, out)
        given = {**order.options, "as_json": True, "headed": False, "resume": interrupted}
        return await explore(given, out)

    return carry_out


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


@click.command("queued", help="List the discoveries that were left to workers, newest first.")
@click.option("--database", metavar="URL", help="The database of runs: a SQLite file or a PostgreSQL URL.")
@json_option
def queued(database: str | None, as_json: bool) -> int:
    async def read() -> Any:
        from uiap.api.workflow_runs import WorkflowRuns

        async with WorkflowRuns(database) as runs:
            return await runs.discoveries()

    found = asyncio.run(read())
    if as_json:
        print_json([one._asdict() for one in found])
        return 0
    for one in found:
        click.echo(f"{one.id}  {one.url}  {one.status}  {one.out}")
    if not found:
        click.echo("no discoveries")
    return 0
