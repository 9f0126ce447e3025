"""`uiap record`: watch a person, or the agent of a session, do a task once, and write it as a workflow."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path
from typing import Any

import click

from uiap import settings
from uiap.api.open_session import check_address
from uiap.authoring.from_discovery.starter import yaml_text
from uiap.cli import resident_process
from uiap.cli.output import json_option, print_json
from uiap.cli.socket_client import RequestRefused, SessionNotOpen, SocketClient
from uiap.errors import Unavailable

LOOK_MS = 500
"""How often the recording so far is fetched. It survives a browser window that the person closes."""


@click.command(
    help="Open URL in a window, watch a person do a task there once, and write it to FILE as a workflow: targets by "
    "meaning, entered values as parameters, observed effects as proof. Values of secret fields are never recorded. "
    "End with Enter, Ctrl-C, or by closing the window. Run it again with: uiap workflow run FILE NAME=VALUE…"
)
@click.argument("url", required=False)
@click.option("-o", "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--session", metavar="NAME", help="Watch this open session, with the actions of its agent.")
@click.option("--id", "workflow_id", metavar="ID", help="The id of the workflow (default: the name of FILE).")
@click.option("--title", metavar="TEXT", help="The title of the workflow (default: made of its id).")
@click.option("--pick", is_flag=True, help="At the end, press the element that proves success in the window.")
@click.option("--state", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="A saved login.")
@click.option("--no-window", is_flag=True, help="Without a window, if a program acts in the session.")
@json_option
def command(
    url: str | None,
    out: Path,
    session: str | None,
    workflow_id: str | None,
    title: str | None,
    pick: bool,
    state: str | None,
    no_window: bool,
    as_json: bool,
) -> int:
    if (url is None) == (session is None):
        raise click.UsageError("name a URL to open, or an open session: --session NAME")
    id = workflow_id or out.name.removesuffix(".yaml").removesuffix(".yml")
    name = session or f"record-{os.getpid()}"
    if url is not None:
        _open(name, check_address(url), state, headed=not no_window)
    try:
        named = {"workflowId": id, "title": title or id.replace("-", " ").replace(".", " ").capitalize()}
        definition = _record(name, named, pick=pick, quiet=as_json, window=not no_window)
    finally:
        if url is not None:
            resident_process.end(name)
    return _write(definition, out, as_json)


def _open(name: str, address: str, state: str | None, *, headed: bool) -> None:
    more = ["--autonomy", "trusted"] + (["--state", str(Path(state).absolute())] if state else [])
    failed = resident_process.start(name, address, headed=headed, idle=None, more=more)
    if failed is not None:
        raise Unavailable(failed)


def _record(session: str, named: dict[str, str], *, pick: bool, quiet: bool, window: bool) -> dict[str, Any]:
    """Return the definition, when the person has ended the recording or the window is closed."""
    client = SocketClient(settings.session_socket(session))
    started = client.ask("x.uiap.tools.record.start", {})["payload"]
    recording = {"recordingId": started["recordingId"]}
    if not quiet:
        if not window:
            whom = f"do the task in the session, as with `uiap click --session {session} …`"
        else:
            whom = (
                "do the task in the window" if started["person"] else "the actions of the agent are recorded"
            )
        click.echo(
            f"recording {started['url']}: {whom}; press Enter here when it is done (session {session})"
        )
    definition = _follow(client, {**recording, **named})
    if definition is not None:
        return definition
    if pick:
        _pick(client, recording, quiet)
    return _stopped(client, {**recording, **named})


def _follow(client: SocketClient, request: dict[str, str]) -> dict[str, Any] | None:
    """Wait until the person ends the recording. Return the last definition if the session ends before."""
    latest: dict[str, Any] | None = None
    revision, listening = None, True
    try:
        while True:
            waited = client.ask(
                "x.uiap.tools.wait", {"timeoutMs": LOOK_MS, **({"since": revision} if revision else {})}
            )["payload"]
            revision = waited["revision"]
            latest = _stopped(client, {**request, "keep": True})
            if listening and select.select([sys.stdin], [], [], 0)[0]:
                if sys.stdin.readline():
                    return None
                listening = False  # no terminal: Ctrl-C or the end of the session ends it
    except KeyboardInterrupt:
        return None
    except (SessionNotOpen, ConnectionError, RequestRefused):
        if latest is None:
            raise Unavailable("the session ended before anything was recorded; try again") from None
        return latest


def _pick(client: SocketClient, recording: dict[str, str], quiet: bool) -> None:
    if not quiet:
        click.echo("now press the element in the window that proves success")
    picked = client.ask("x.uiap.tools.record.pick", recording)["payload"]
    if not quiet:
        click.echo(f"success is proved by: {picked['role']} “{picked.get('name', '')}”")


def _stopped(client: SocketClient, request: dict[str, Any]) -> dict[str, Any]:
    definition: dict[str, Any] = client.ask("x.uiap.tools.record.stop", request)["payload"]["definition"]
    return definition


def _write(definition: dict[str, Any], out: Path, as_json: bool) -> int:
    steps = [one for one in definition["steps"] if one["type"] == "action"]
    if not steps:
        raise Unavailable("nothing was recorded; do the task in the window, then press Enter")
    out.write_text(yaml_text(definition), "utf-8")
    names = [one["name"] for one in definition.get("parameters", ())]
    if as_json:
        print_json({"file": str(out), "steps": len(steps), "parameters": names})
    else:
        values = "".join(f" {name}=…" for name in names)
        click.echo(f"{out}: {len(steps)} steps; run it with: uiap workflow run {out}{values}")
    return 0
