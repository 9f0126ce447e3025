"""`uiap discover status|pause|resume|cancel FOLDER`: a run that another process has under way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from uiap import settings
from uiap.cli.output import json_option, print_json
from uiap.cli.socket_client import SessionNotOpen, SocketClient
from uiap.errors import Unavailable
from uiap.host.runs.run_socket import socket_path

_FOLDER = click.argument("folder", type=click.Path(file_okay=False), default="discovery")
_REASON = click.option("--reason", metavar="TEXT", help="Kept with the run.")


def _connect(folder: str) -> SocketClient:
    try:
        path = socket_path(settings.read().runtime, Path(folder))
        return SocketClient(path, extensions=("uiap.discovery",), profiles=(), timeout=30.0)
    except SessionNotOpen:
        raise Unavailable(f"no run is under way in `{folder}`") from None


def _send_command(folder: str, word: str | None = None, **more: Any) -> dict[str, Any]:
    """How far the run is, after it was told `word`."""
    wire = _connect(folder)
    try:
        progress: dict[str, Any] = wire.until("uiap.discovery.progress")["payload"]
        if word is not None:
            given = {name: value for name, value in more.items() if value}
            wire.ask(f"uiap.discovery.{word}", {"runId": progress["runId"], **given})
        return progress
    except SessionNotOpen:
        raise Unavailable(f"the run in `{folder}` has just ended") from None
    finally:
        wire.close()


@click.command("status", help="How far the run in FOLDER is.")
@_FOLDER
@json_option
def status(folder: str, as_json: bool) -> int:
    progress = _send_command(folder)
    if as_json:
        print_json(progress)
        return 0
    held = " (paused)" if progress.get("note") == "paused" else ""
    click.echo(
        f"{progress['status']}{held}: {progress.get('visitedStates', 0)} states, "
        f"{progress.get('visitedTransitions', 0)} actions, {progress.get('discoveredRoutes', 0)} routes"
    )
    return 0


def _print_sent(progress: dict[str, Any], word: str, text: str, *, as_json: bool) -> int:
    if as_json:
        print_json({"runId": progress["runId"], "told": word})
    else:
        click.echo(text)
    return 0


@click.command("pause", help="Hold the run in FOLDER after what it is doing; the time does not count.")
@_FOLDER
@_REASON
@json_option
def pause(folder: str, reason: str | None, as_json: bool) -> int:
    progress = _send_command(folder, "pause", reason=reason)
    return _print_sent(
        progress, "pause", f"paused; go on with: uiap discover resume {folder}", as_json=as_json
    )


@click.command(
    "resume", help="Let the run in FOLDER go on. (After it was killed: uiap discover URL --resume.)"
)
@_FOLDER
@json_option
def resume(folder: str, as_json: bool) -> int:
    return _print_sent(_send_command(folder, "resume"), "resume", "it goes on", as_json=as_json)


@click.command("cancel", help="End the run in FOLDER; what it found until then becomes its package.")
@_FOLDER
@_REASON
@json_option
def cancel(folder: str, reason: str | None, as_json: bool) -> int:
    progress = _send_command(folder, "cancel", reason=reason)
    text = f"cancelled; what it found: {Path(folder) / 'package.json'}"
    return _print_sent(progress, "cancel", text, as_json=as_json)


COMMANDS = (status, pause, resume, cancel)
