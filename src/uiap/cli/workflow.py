"""`uiap workflow`: list, show and run reviewed workflows; `workflow_control` has the commands for runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.cli import workflow_control, workflow_sources
from uiap.cli.output import json_option, print_json
from uiap.cli.workflow_control import database_option
from uiap.errors import Unavailable
from uiap.spec.capability import CustomRef, SemanticRef, StableIdRef, TargetRef
from uiap.spec.vocabulary import INTERACTION_MODES
from uiap.spec.workflow import ActionStep, WorkflowDefinition, WorkflowStep
from uiap.workflow.recording import ELEMENTS
from uiap.workflow.texts import plain_text
from uiap.workflow.values import WORDS

_BUNDLE = click.option(
    "--bundle",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="The application's compiled bundle.",
)


@click.group(
    help="Run reviewed workflows durably: each step is verified, a restart continues them, and a person is asked where "
    "it must be. Runs are in a database (--database; by default a SQLite file in the data folder)."
)
def command() -> None:
    pass


for _control in workflow_control.COMMANDS:
    command.add_command(_control)


@command.command("list", help="List the workflows in a FILE or in a bundle.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_BUNDLE
@json_option
def list_(file: Path | None, bundle: str | None, as_json: bool) -> int:
    found = workflow_sources.definitions_in(file, bundle)
    if as_json:
        print_json([{"id": one.id, "version": one.version, "title": plain_text(one.title)} for one in found])
        return 0
    for one in found:
        click.echo(f"{one.id} {one.version}  {plain_text(one.title)} ({len(one.steps)} steps)")
    if not found:
        click.echo("no workflows")
    return 0


@command.command(
    "show", help="Show a workflow: its parameters and its steps. SOURCE is a FILE, or an id in the bundle."
)
@click.argument("source")
@_BUNDLE
@json_option
def show(source: str, bundle: str | None, as_json: bool) -> int:
    definition = workflow_sources.find_definition(source, bundle)
    if as_json:
        print_json(definition)
        return 0
    click.echo(f"{definition.id} {definition.version}: {plain_text(definition.title)}")
    click.echo(f"modes: {', '.join(definition.interaction_modes)}")
    lines = workflow_sources.parameter_lines(definition)
    if lines:
        click.echo("\n".join(["parameters:", *lines]))
    click.echo("steps:")
    for step in definition.steps:
        click.echo(f"  {step.id}: {_step_line(step, definition)}")
    return 0


def _step_line(step: WorkflowStep, definition: WorkflowDefinition) -> str:
    if isinstance(step, ActionStep):
        target = "" if step.target is UNSET else f" on {_target_words(step.target, definition)}"
        values = "" if step.args is UNSET else f" with {_args_words(step.args)}"
        return f"{step.action_id}{target}{values}"
    text = plain_text(step.text) or plain_text(step.title)
    return f"{step.type}{': ' + text if text else ''}"


def _target_words(target: TargetRef, definition: WorkflowDefinition) -> str:
    """Return a target as a person would call it: by role and name, if the reference or a binding has them."""
    match target:
        case SemanticRef(role=role, name=name) if name is not UNSET:
            return f"{role} “{name}”"
        case StableIdRef(value=id):
            known = (definition.metadata or {}).get(ELEMENTS) or ()
            found: dict[str, Any] = next((one for one in known if one.get("id") == id), {})
            return f"{found['role']} “{found['name']}”" if found.get("role") and found.get("name") else id
        case CustomRef(value=text) if text.startswith(WORDS):
            words = msgspec.json.decode(text.removeprefix(WORDS), type=dict[str, Any])
            near = f" near “{words['near']}”" if words.get("near") else ""
            return f"{words.get('role', 'element')} “{words.get('text', '')}”{near}"
    return msgspec.json.encode(target).decode()


def _args_words(args: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_value_words(value)}" for name, value in args.items())


def _value_words(value: Any) -> str:
    match value:
        case {"$param": str(name)}:
            return f"{{{{{name}}}}}"
        case {"secret": str(name)}:
            return f"the secret `{name}`"
    return msgspec.json.encode(value).decode()


@command.command(
    "from-discovery",
    help="Write a workflow candidate of a discovery package to FILE, as a definition that runs: with its address, "
    "bindings and parameters. Without a CANDIDATE, list them. Review the file before you run it.",
)
@click.argument("package", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("candidate", required=False)
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
def from_discovery(package: Path, candidate: str | None, out: Path | None) -> int:
    from uiap.authoring.from_discovery.candidate import candidate_definition, candidates
    from uiap.authoring.from_discovery.starter import yaml_text

    try:
        found = msgspec.json.decode(package.read_bytes(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise Unavailable(f"`{package}` is not a discovery package: {error}") from None
    known = {one["id"]: one for one in candidates(found)}
    if candidate is None:
        click.echo("\n".join(f"{id}  {one.get('title', '')}" for id, one in known.items()) or "no candidates")
        return 0
    if candidate not in known or out is None:
        raise click.UsageError(
            f"name a candidate and a file: CANDIDATE -o FILE; known are {', '.join(known) or 'none'}"
        )
    definition = candidate_definition(found, known[candidate])
    out.write_text(yaml_text(definition), "utf-8")
    click.echo(f"{out}: {len(definition['steps'])} steps; review it, then: uiap workflow run {out}")
    return 0


@command.command(
    "run",
    help="Run a workflow and follow it. SOURCE is a FILE with a workflow (FILE#ID if it has several), or an id in the "
    "bundle. Give parameters as NAME=VALUE. The exit code is 0 if it succeeded, 1 if not, 4 if it waits for a person.",
)
@click.argument("source")
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="The same as NAME=VALUE.")
@click.option("--url", metavar="URL", help="Where to begin (default: the address that the workflow names).")
@_BUNDLE
@click.option("--mode", type=click.Choice(INTERACTION_MODES), help="Default: the first mode of the workflow.")
@click.option(
    "--state",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A saved login (uiap login).",
)
@click.option(
    "--policy",
    metavar="RULES",
    default="trusted",
    help="`trusted`: you act (default). `standard` or a policy file: risky steps wait for your confirmation.",
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option("--queue", is_flag=True, help="Leave the run to a worker, and return at once.")
@click.option(
    "--schedule",
    metavar="CRON",
    help="Let a worker run it at these times, such as `0 7 * * mon-fri`; --name names the schedule.",
)
@click.option("--name", metavar="NAME", help="The name of the schedule (default: the id of the workflow).")
@click.option("--timezone", metavar="ZONE", help="The time zone of the schedule (default UTC).")
@database_option
@json_option
def run(source: str, values: tuple[str, ...], database: str | None, as_json: bool, **given: Any) -> int:
    definition = workflow_sources.find_definition(source, given["bundle"])
    given_values = workflow_sources.given_values(definition, (*values, *given["inputs"]))
    order = _order(definition, given_values, given)
    if given["schedule"]:
        name = given["name"] or definition.id
        return asyncio.run(_schedule(order, name, given["schedule"], given["timezone"], database))
    if given["queue"]:
        return asyncio.run(_queue(order, database, as_json))
    return asyncio.run(workflow_control.execute(database, order=order, as_json=as_json))


def _order(definition: WorkflowDefinition, parameters: dict[str, Any], given: dict[str, Any]) -> Any:
    from uiap.api.workflow_runs import application_of, run_order

    application, actions = application_of(
        definition,
        given["url"],
        bundle=_absolute(given["bundle"]),
        state=_absolute(given["state"]),
        rules=_rules(given["policy"]),
        headless=not given["headed"],
    )
    return run_order(definition, application, parameters, mode=given["mode"], actions=actions)


def _absolute(path: str | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _rules(policy: str) -> str:
    """Return the policy that a run keeps: a standard one by name, or the absolute path of a policy file."""
    if policy in ("trusted", "standard"):
        return policy
    if not Path(policy).is_file():
        raise Unavailable(f"`{policy}` is neither `trusted`, `standard` nor a policy file")
    return str(Path(policy).absolute())


async def _schedule(order: Any, name: str, cron: str, timezone: str | None, database: str | None) -> int:
    from uiap.api.workflow_runs import WorkflowRuns

    async with WorkflowRuns(database) as runs:
        await runs.schedule(name, cron, order, timezone)
    click.echo(f"scheduled: {name} at `{cron}`; it runs while a worker is up: uiap worker")
    return 0


async def _queue(order: Any, database: str | None, as_json: bool) -> int:
    from uiap.api.workflow_runs import WorkflowRuns

    async with WorkflowRuns(database) as runs:
        instance_id = await runs.enqueue(order)
    if as_json:
        print_json({"instanceId": instance_id, "status": "queued"})
    else:
        click.echo(f"queued: {instance_id}; follow it with: uiap workflow status {instance_id} --follow")
    return 0
