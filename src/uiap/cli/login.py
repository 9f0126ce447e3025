"""`uiap login`: a person signs in once in a window; the login is saved and reused with `--state`."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from uiap import settings
from uiap.api.open_session import check_address
from uiap.cli import resident_process
from uiap.cli.output import json_option, print_json
from uiap.cli.socket_client import SocketClient
from uiap.errors import Unavailable

MAX_FIELDS = 50


@click.command(
    help="Open URL in a window, wait until a person has signed in there, and save the login to FILE. Other sessions "
    "use it with: uiap open URL --state FILE."
)
@click.argument("url")
@click.option("--save", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--until",
    metavar="PATH",
    help="Signed in means: the page is at this path (default: another page without a password field).",
)
@click.option("--timeout", default=300.0, metavar="SECONDS", help="Give up after this long (default 300).")
@click.option("--session", metavar="NAME", help="Name of the session (default: login and the process id).")
@click.option(
    "--no-window", is_flag=True, help="Without a window, if a program signs in through the session."
)
@json_option
def command(
    url: str,
    save: Path,
    until: str | None,
    timeout: float,
    session: str | None,
    no_window: bool,
    as_json: bool,
) -> int:
    address, name = check_address(url), session or f"login-{os.getpid()}"
    existed = save.exists()
    more = ["--save-state", str(save.absolute()), "--autonomy", "trusted"]
    failed = resident_process.start(name, address, headed=not no_window, idle=None, more=more)
    if failed is not None:
        raise Unavailable(failed)
    if not as_json:
        click.echo(f"sign in at {address} in the window; this command ends by itself (session {name})")
    try:
        signed_in = _wait_until_signed_in(name, until, timeout)
    finally:
        resident_process.end(name)  # the session saves the login when it ends
    if signed_in is None:
        if not existed:
            save.unlink(missing_ok=True)
        raise Unavailable(f"nobody signed in within {timeout:g} s; try again, or name the page with --until")
    result = {"savedTo": str(save), "url": signed_in}
    message = f"signed in at {signed_in}; saved to {save}; use it with: uiap open URL --state {save}"
    print_json(result) if as_json else click.echo(message)
    return 0


def _wait_until_signed_in(session: str, until: str | None, timeout_s: float) -> str | None:
    """Return the address after the login, or None if the time is over. Look again after every change."""
    client = SocketClient(settings.session_socket(session))
    deadline = time.monotonic() + timeout_s
    first = _route(client)
    while (left_ms := (deadline - time.monotonic()) * 1000) > 0:
        query = {"text": "", "role": "textbox", "limit": MAX_FIELDS}
        found = client.ask("x.uiap.tools.find", query)["payload"]
        url = _route(client)
        if _is_signed_in(url, first, until, found["matches"]):
            return url
        client.ask("x.uiap.tools.wait", {"since": found["revision"], "timeoutMs": min(left_ms, 10_000)})
    return None


def _route(client: SocketClient) -> str:
    tabs = client.ask("x.uiap.tools.tabs", {})["payload"]["tabs"]
    return next((str(tab["url"]) for tab in tabs if tab["active"]), "")


def _is_signed_in(url: str, first: str, until: str | None, fields: list[dict[str, Any]]) -> bool:
    if until is not None:
        return urlsplit(url).path.startswith(until)
    asks = any(field["element"].get("state", {}).get("sensitive") for field in fields)
    return not asks and urlsplit(url).path != urlsplit(first).path
