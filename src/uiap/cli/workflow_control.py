"""`uiap workflow status|history|input|pause|resume|cancel`: commands for the runs in a database."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from msgspec import UNSET

from uiap.cli.output import json_option, print_json
from uiap.cli.workflow_sources import given_values
from uiap.errors import Busy, Unavailable

if TYPE_CHECKING:
    from uiap.api.workflow_runs import WorkflowRuns
    from uiap.host.workflows.durable import RunSchedule
    from uiap.host.workflows.history import RunHistory, RunQuestion
    from uiap.host.workflows.performer import RunOrder
    from uiap.spec.workflow import WorkflowDefinition

T = TypeVar("T")
DONE, FAILED, WAITS = 0, 1, 4
MARKS = {"succeeded": "✓", "failed": "✗", "cancelled": "✗", "running": "…"}

database_option = click.option(
    "--database", metavar="URL", help="The database of runs: a SQLite file or a PostgreSQL URL."
)
_ID = click.argument("run_id", metavar="RUN")
_REASON = click.option("--reason", default="", metavar="TEXT", help="A note that is stored with the run.")


# -- follow a run -----------------------------------------------------------------------------------------------


async def execute(
    database: str | None, *, order: RunOrder | None = None, run_id: str = "", as_json: bool
) -> int:
    """Execute and follow a run until it ends or waits for a person. If a worker has the database, it executes it."""
    from uiap.api.workflow_runs import WorkflowRuns

    async with WorkflowRuns(database) as runs:
        try:
            async with runs.executing() as engine:
                if order is not None:
                    await engine.start(order)
                    run_id = order.terms.instance_id
                return await _follow(runs, run_id, as_json)
        except Busy:  # a worker executes the runs of this database
            if order is not None:
                run_id = await runs.enqueue(order)
            return await _follow(runs, run_id, as_json)


async def _follow(runs: WorkflowRuns, run_id: str, as_json: bool) -> int:
    if not as_json:
        click.echo(f"run {run_id}")
    shown = 0
    while True:
        async for entry in runs.follow(run_id, shown):
            shown += 1
            if not as_json:
                click.echo(_line(entry.status, entry.step_id, entry.note))
        history = await runs.history(run_id)
        if history.question is None or as_json or not sys.stdin.isatty():
            return _end(history, as_json)
        await _answer(runs, run_id, history.question)


def _line(status: str, step_id: str, note: str) -> str:
    waits = "" if status in MARKS else f" ({status})"
    return f"  {MARKS.get(status, '?')} {step_id}{waits}{': ' + note if note else ''}"


def _end(history: RunHistory, as_json: bool) -> int:
    instance = history.instance
    if as_json:
        print_json(history)
    else:
        click.echo(
            instance.status if instance.error is UNSET else f"{instance.status}: {instance.error.message}"
        )
        if (hint := _hint(history)) is not None:
            click.echo(hint)  # the timeline above has the question
    if instance.status == "succeeded":
        return DONE
    return FAILED if instance.status in ("failed", "cancelled") else WAITS


def _hint(history: RunHistory) -> str | None:
    """Return the command that answers a run that waits."""
    run_id, question = history.instance.instance_id, history.question
    if question is None:
        return f"next: uiap workflow resume {run_id}" if history.instance.status == "paused" else None
    if question.kind == "repair":
        return (
            f"next: uiap workflow repair {run_id} (add --save FILE to repair the file too), or with --no; "
            "uiap workflow resume if you did the step yourself"
        )
    if question.kind == "input":
        names = " ".join(f"{one.name}=…" for one in question.parameters)
        return f"next: uiap workflow input {run_id} {names}"
    return f"next: uiap workflow resume {run_id}, or with --no"


async def _answer(runs: WorkflowRuns, run_id: str, question: RunQuestion) -> None:
    """Ask the person at the terminal."""
    if question.kind == "input":
        if question.text:
            click.echo(question.text)
        values = [f"{one.name}={click.prompt(one.name)}" for one in question.parameters]
        await runs.resume(run_id, **given_values(await runs.definition(run_id), values))
        return
    if question.kind == "repair":
        accepts = click.confirm(f"{question.text}\naccept?")
        await (runs.accept_repair(run_id) if accepts else runs.decline(run_id))
        return
    word = "confirm" if question.kind == "confirmation" else "done"
    if click.confirm(f"{question.text}\n{word}?"):
        await runs.resume(run_id)
    else:
        await runs.decline(run_id)


# -- commands ---------------------------------------------------------------------------------------------------


async def _with_runs(database: str | None, work: Callable[[WorkflowRuns], Awaitable[T]]) -> T:
    from uiap.api.workflow_runs import WorkflowRuns

    async with WorkflowRuns(database) as runs:
        return await work(runs)


@click.command("status", help="Show a run, or all runs, newest first.")
@click.argument("run_id", metavar="[RUN]", required=False)
@click.option(
    "--follow", is_flag=True, help="Show the steps of RUN as a worker executes it, until it ends or waits."
)
@database_option
@json_option
def status(run_id: str | None, follow: bool, database: str | None, as_json: bool) -> int:
    if follow and run_id is None:
        raise click.UsageError("name the run to follow: uiap workflow status RUN --follow")
    if follow and run_id is not None:
        followed = run_id
        return asyncio.run(_with_runs(database, lambda runs: _follow(runs, followed, as_json)))

    async def read(runs: WorkflowRuns) -> list[RunHistory]:
        return [await runs.history(one) for one in ([run_id] if run_id else await runs.ids())]

    found = asyncio.run(_with_runs(database, read))
    if as_json:
        print_json(found[0] if run_id else found)
        return 0
    for one in found:
        click.echo(_status_line(one))
        if run_id and one.question is not None and one.question.text:
            click.echo(one.question.text)
        if run_id and (hint := _hint(one)) is not None:
            click.echo(hint)
    if not found:
        click.echo("no runs")
    return 0


def _status_line(history: RunHistory) -> str:
    instance = history.instance
    step = "" if instance.current_step_id is UNSET else f" at {instance.current_step_id}"
    waits = f" ({history.unread} not read yet: pause, cancel or an answer)" if history.unread else ""
    return (
        f"{instance.instance_id}  {instance.workflow_id} {instance.version}  {instance.status}{step}{waits}"
    )


@click.command("history", help="Show the timeline of a run.")
@_ID
@database_option
@json_option
def history(run_id: str, database: str | None, as_json: bool) -> int:
    found = asyncio.run(_with_runs(database, lambda runs: runs.history(run_id)))
    if as_json:
        print_json(found)
        return 0
    for entry in found.timeline:
        click.echo(f"{entry.at}{_line(entry.status, entry.step_id, entry.note)}")
    return 0


@click.command(
    "report",
    help="Write the report of a run to FILE: its timeline, each action with its proof and decision, and the keys of "
    "its audit records. A name that ends in .json gets the data, any other name one HTML file.",
)
@_ID
@click.option("-o", "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@database_option
def report(run_id: str, out: Path, database: str | None) -> int:
    import msgspec

    from uiap.api.workflow_report import report_html

    found = asyncio.run(_with_runs(database, lambda runs: runs.history(run_id)))
    if out.suffix == ".json":
        out.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2))
    else:
        definition = asyncio.run(_with_runs(database, lambda runs: runs.definition(run_id)))
        out.write_text(report_html(found, definition), "utf-8")
    click.echo(f"{out}: {len(found.actions)} actions, {found.instance.status}")
    return 0


@click.command("input", help="Give a run the values that it asks for, as NAME=VALUE, and follow it.")
@_ID
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUE...")
@database_option
@json_option
def input_(run_id: str, values: tuple[str, ...], database: str | None, as_json: bool) -> int:
    async def send(runs: WorkflowRuns) -> None:
        await runs.resume(run_id, **given_values(await runs.definition(run_id), values))

    asyncio.run(_with_runs(database, send))
    return asyncio.run(execute(database, run_id=run_id, as_json=as_json))


@click.command(
    "resume", help="Let a run go on: after a pause, or because you confirm or did its step. Then follow it."
)
@_ID
@click.option(
    "--no", is_flag=True, help="Answer no: you do not confirm the action, or the step was not done."
)
@database_option
@json_option
def resume(run_id: str, no: bool, database: str | None, as_json: bool) -> int:
    async def send(runs: WorkflowRuns) -> None:
        await (runs.decline(run_id) if no else runs.resume(run_id))

    asyncio.run(_with_runs(database, send))
    return asyncio.run(execute(database, run_id=run_id, as_json=as_json))


@click.command(
    "repair",
    help="Accept the element that a run proposes in place of a target that is not found any more, and follow the run. "
    "With --save, write the repaired workflow to FILE as its next version; with --show, only print the repairs so far.",
)
@_ID
@click.option("--no", is_flag=True, help="Decline: it is another element. The step fails.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--show", is_flag=True, help="Print the proposal, or the accepted repairs as overlay patches.")
@click.option(
    "--pictures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --show: write the pictures of the target, before and now, into this folder.",
)
@database_option
@json_option
def repair(
    run_id: str,
    no: bool,
    save: Path | None,
    show: bool,
    pictures: Path | None,
    database: str | None,
    as_json: bool,
) -> int:
    if show or pictures is not None:
        return asyncio.run(_with_runs(database, lambda runs: _show_repair(runs, run_id, pictures)))

    async def send(runs: WorkflowRuns) -> None:
        if no:
            await runs.decline(run_id)
        elif (await runs.history(run_id)).question is not None or save is None:
            await runs.accept_repair(run_id)
        elif not await runs.repairs(run_id):
            raise Unavailable(
                f"run `{run_id}` asks for no repair, and none was accepted, so nothing is saved"
            )

    asyncio.run(_with_runs(database, send))
    code = asyncio.run(execute(database, run_id=run_id, as_json=as_json))
    if save is not None and not no:
        made = asyncio.run(_with_runs(database, lambda runs: runs.repaired_definition(run_id)))
        _write_repaired(made, save, as_json)
    return code


async def _show_repair(runs: WorkflowRuns, run_id: str, pictures: Path | None) -> int:
    from uiap.authoring.from_discovery.starter import yaml_text
    from uiap.workflow.repaired import overlay_patches

    history = await runs.history(run_id)
    question = history.question
    if question is not None and question.kind == "repair":
        click.echo(f"# proposed: {question.text}")
    if pictures is not None:
        _write_pictures(history, pictures)
    patches = overlay_patches(await runs.repairs(run_id))
    click.echo(yaml_text({"patches": patches}) if patches else "no repair is accepted")
    return DONE


def _write_pictures(history: RunHistory, folder: Path) -> None:
    """Write the pictures of each proposal as `STEP-before.png` and `STEP-now.png`."""
    from base64 import b64decode

    from uiap.graph.scope_names import slug

    folder.mkdir(parents=True, exist_ok=True)
    for one in history.repairs:
        proposal = one.proposal
        for name, png in (("before", proposal.picture_before), ("now", proposal.picture_now)):
            file = folder / f"{slug(one.step_id)}-{name}.png"
            if png:
                file.write_bytes(b64decode(png))
            click.echo(f"# {name}: {file if png else 'no picture'}")


def _write_repaired(definition: WorkflowDefinition, file: Path, as_json: bool) -> None:
    import msgspec

    from uiap.authoring.from_discovery.starter import yaml_text

    plain = msgspec.json.decode(msgspec.json.encode(definition))
    file.write_text(yaml_text(plain), "utf-8")
    if not as_json:
        click.echo(
            f"{file}: version {definition.version} has the repaired targets; review it before the next run"
        )


@click.command("pause", help="Start no further step of a run until it is resumed.")
@_ID
@_REASON
@database_option
def pause(run_id: str, reason: str, database: str | None) -> int:
    asyncio.run(_with_runs(database, lambda runs: runs.pause(run_id, reason)))
    click.echo(f"paused: {run_id}")
    return 0


@click.command("cancel", help="End a run. A running action comes to its end first.")
@_ID
@_REASON
@database_option
@json_option
def cancel(run_id: str, reason: str, database: str | None, as_json: bool) -> int:
    asyncio.run(_with_runs(database, lambda runs: runs.cancel(run_id, reason)))
    asyncio.run(execute(database, run_id=run_id, as_json=as_json))
    return 0


@click.command("schedules", help="List the schedules, or delete one with --remove NAME.")
@click.option("--remove", metavar="NAME", help="Delete this schedule; runs that it started go on.")
@database_option
@json_option
def schedules(remove: str | None, database: str | None, as_json: bool) -> int:
    async def read(runs: WorkflowRuns) -> Sequence[RunSchedule]:
        if remove:
            await runs.unschedule(remove)
        return await runs.schedules()

    found = asyncio.run(_with_runs(database, read))
    if as_json:
        print_json([one._asdict() for one in found])
        return 0
    for one in found:
        last = f", last {one.last}" if one.last else ""
        click.echo(f"{one.name}  {one.workflow_id} {one.version}  `{one.cron}` {one.timezone}{last}")
    if not found:
        click.echo("no schedules")
    return 0


COMMANDS = (status, history, input_, resume, repair, report, pause, cancel, schedules)
