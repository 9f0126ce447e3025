"""`uiap discover status|pause|resume|cancel FOLDER`: controls a run of another process."""

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
_REASON = click.option("--reason", metavar="TEXT", help="A note that is stored with the run.")


def _connect(folder: str) -> SocketClient:
    try:
        path = socket_path(settings.read().runtime, Path(folder))
        return SocketClient(path, extensions=("uiap.discovery",), profiles=(), timeout=30.0)
    except SessionNotOpen:
        raise Unavailable(
            f"no run is active in `{folder}`; start one with: uiap discover URL --out {folder}"
        ) from None


def _send_command(folder: str, command: str | None = None, **members: Any) -> dict[str, Any]:
    """Send a command to the run, if there is one, and return the progress of the run before it."""
    wire = _connect(folder)
    try:
        progress: dict[str, Any] = wire.until("uiap.discovery.progress")["payload"]
        if command is not None:
            given = {name: value for name, value in members.items() if value}
            wire.ask(f"uiap.discovery.{command}", {"runId": progress["runId"], **given})
        return progress
    except SessionNotOpen:
        raise Unavailable(f"the run in `{folder}` has just ended; its package is there") from None
    finally:
        wire.close()


@click.command("status", help="Show the progress of the run in FOLDER.")
@_FOLDER
@json_option
def status(folder: str, as_json: bool) -> int:
    progress = _send_command(folder)
    if as_json:
        print_json(progress)
        return 0
    paused = " (paused)" if progress.get("note") == "paused" else ""
    click.echo(
        f"{progress['status']}{paused}: {progress.get('visitedStates', 0)} states, "
        f"{progress.get('visitedTransitions', 0)} actions, {progress.get('discoveredRoutes', 0)} routes"
    )
    return 0


def _print_sent(progress: dict[str, Any], command: str, text: str, *, as_json: bool) -> int:
    if as_json:
        print_json({"runId": progress["runId"], "told": command})
    else:
        click.echo(text)
    return 0


@click.command("pause", help="Pause the run in FOLDER after its current step; paused time does not count.")
@_FOLDER
@_REASON
@json_option
def pause(folder: str, reason: str | None, as_json: bool) -> int:
    progress = _send_command(folder, "pause", reason=reason)
    return _print_sent(
        progress, "pause", f"paused; continue with: uiap discover resume {folder}", as_json=as_json
    )


@click.command(
    "resume", help="Continue the paused run in FOLDER. For a killed run, use: uiap discover URL --resume."
)
@_FOLDER
@json_option
def resume(folder: str, as_json: bool) -> int:
    return _print_sent(_send_command(folder, "resume"), "resume", "resumed", as_json=as_json)


@click.command("cancel", help="End the run in FOLDER; its package has everything found so far.")
@_FOLDER
@_REASON
@json_option
def cancel(folder: str, reason: str | None, as_json: bool) -> int:
    progress = _send_command(folder, "cancel", reason=reason)
    text = f"cancelled; the findings are in {Path(folder) / 'package.json'}"
    return _print_sent(progress, "cancel", text, as_json=as_json)


COMMANDS = (status, pause, resume, cancel)
