"""`uiap open`: start a resident session, a browser that stays open for the session commands."""

from __future__ import annotations

from pathlib import Path

import click

from uiap import settings
from uiap.api.open_session import bundle_for, check_address
from uiap.cli import resident_process
from uiap.cli.acting import CHANGE_TOKENS
from uiap.cli.output import autonomy_option, context_option, json_option, print_json, read_context
from uiap.cli.resident_process import START_S
from uiap.cli.socket_client import RequestRefused, SessionNotOpen, SocketClient
from uiap.errors import Unavailable
from uiap.host.consent.policy_file import rules_for
from uiap.host.handlers.session_files import read_state
from uiap.policy.autonomy import permitted_level
from uiap.timeouts import REPLY_S


@click.command(
    help="Open URL in a new browser that stays open until `uiap close`, or until it was idle for half an hour. URL may "
    "also be an application: desktop:COMMAND, desktop:@NAME for a running one, android:PACKAGE@SERIAL, "
    "appium:CAPABILITIES@SERVER."
)
@click.argument("url")
@click.option(
    "--session", default=settings.session_name, metavar="NAME", help="Name of the session (default: default)."
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--trusted",
    is_flag=True,
    help="The same as --autonomy trusted, because you are the person. Never use it for agents.",
)
@autonomy_option("assist")
@click.option(
    "--policy",
    metavar="FILE",
    help="A policy file instead of a level; with --autonomy the stricter decides. See: uiap policy --help.",
)
@click.option(
    "--idle", type=float, metavar="SECONDS", help="Close after this long without requests (default 1800)."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=START_S,
    metavar="SECONDS",
    help=f"Give up if the page is not open after this long (default {START_S:g}).",
)
@click.option("--bundle", metavar="FILE", help="The application's compiled bundle; see: uiap build --help.")
@click.option(
    "--trust", multiple=True, metavar="KEY|FILE", help="A public key that must have signed the bundle."
)
@click.option("--allow-older", is_flag=True, help="Accept a bundle older than the one used before.")
@context_option
@click.option(
    "--state",
    metavar="FILE",
    help="Start logged in, with a state saved by --save-state or by Playwright.",
)
@click.option(
    "--save-state",
    metavar="FILE",
    help="Save the login to FILE when the session is closed: log in once with --headed, then: uiap close.",
)
@click.option(
    "--uploads",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Folder whose files may be uploaded to pages; without it no file may.",
)
@click.option(
    "--downloads",
    type=click.Path(file_okay=False),
    help="Folder for downloads; without it downloads are refused.",
)
@click.option(
    "--states",
    type=click.Path(file_okay=False),
    help="Folder in which `uiap state` saves logins by name.",
)
@click.option(
    "--budget",
    type=int,
    metavar="TOKENS",
    help=f"Print at most this much of the page (default {CHANGE_TOKENS}).",
)
@click.option("--quiet", is_flag=True, help="Do not print the page.")
@json_option
def command(
    url: str,
    session: str,
    headed: bool,
    trusted: bool,
    autonomy: str | None,
    policy: str | None,
    idle: float | None,
    timeout: float,
    bundle: str | None,
    trust: tuple[str, ...],
    allow_older: bool,
    context: tuple[str, ...],
    state: str | None,
    save_state: str | None,
    uploads: tuple[str, ...],
    downloads: str | None,
    states: str | None,
    budget: int | None,
    quiet: bool,
    as_json: bool,
) -> int:
    address = check_address(url)
    # an error must come before the running session is replaced
    bundle_for(address, bundle, trust or None, allow_older, read_context(context))
    if trusted and (policy is not None or autonomy is not None):
        raise click.UsageError("choose one: --trusted, --autonomy or --policy")
    more = _rules("trusted" if trusted else autonomy, policy)  # likewise
    more += ["--bundle", str(Path(bundle).resolve())] if bundle else []
    if state is not None:
        read_state(Path(state))
    folders = (("--downloads", downloads), ("--states", states))
    for flag, path in (("--state", state), ("--save-state", save_state), *folders):
        more += [flag, str(Path(path).absolute())] if path else []
    more += [word for folder in uploads for word in ("--uploads", str(Path(folder).resolve()))]
    more += [word for key in trust for word in ("--trust", key)] + (["--allow-older"] if allow_older else [])
    more += [word for one in context for word in ("--context", one)]
    replaced = resident_process.end(session)
    failed = resident_process.start(session, address, headed=headed, idle=idle, timeout_s=timeout, more=more)
    if failed is not None:
        raise Unavailable(failed)
    if as_json:
        print_json({"session": session, "url": address, "replaced": replaced})
    else:
        click.echo(f"open: {address} (session {session})")
        if not quiet:
            click.echo(_page_text(session, budget or CHANGE_TOKENS))
        if save_state:
            click.echo(f"log in, then: uiap close; that saves the login to {save_state}")
    return 0


def _page_text(session: str, budget: int) -> str:
    """Return the page that is open now. It may end at once, as a window that only shows a message does."""
    try:
        client = SocketClient(settings.session_socket(session), timeout=REPLY_S)
        return str(client.ask("x.uiap.tools.outline", {"budget": budget})["payload"]["text"])
    except (SessionNotOpen, RequestRefused, TimeoutError):
        return "next: uiap observe"


def _rules(autonomy: str | None, policy: str | None) -> list[str]:
    """Return the arguments of the resident process that set its rules. Raise if they are not valid."""
    ceiling = settings.read().autonomy
    rules_for(autonomy, policy, ceiling=ceiling, default="assist")
    words = ["--policy", str(Path(policy).resolve())] if policy else []
    if policy is None or autonomy is not None or ceiling is not None:
        words += ["--autonomy", permitted_level(autonomy, ceiling, "assist")]
    return words
