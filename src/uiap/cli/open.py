"""`uiap open`: a browser that stays, for the session commands."""

from __future__ import annotations

from pathlib import Path

import click

from uiap.api.open_session import bundle_for, check_address
from uiap.cli import resident_process
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.host.consent.policy_file import rules_from
from uiap.host.handlers.session_files import read_state


@click.command(
    help="Open URL in a browser of its own that stays until `uiap close`, or half an hour of quiet; or an application: "
    "desktop:COMMAND, desktop:@NAME for one that runs, android:PACKAGE@SERIAL, appium:CAPABILITIES@SERVER."
)
@click.argument("url")
@click.option("--session", default="default", metavar="NAME", help="Name of the session (default: default).")
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--trusted", is_flag=True, help="You are the person: nothing asks for confirmation. Never for agents."
)
@click.option(
    "--policy",
    metavar="FILE",
    help="The rules in force instead of the standard ones; see: uiap policy --help.",
)
@click.option("--idle", type=float, metavar="SECONDS", help="End after this much quiet (default 1800).")
@click.option("--bundle", metavar="FILE", help="The app's compiled bundle; see: uiap build --help.")
@click.option(
    "--trust", multiple=True, metavar="KEY|FILE", help="A public key the bundle must be signed with."
)
@click.option("--allow-older", is_flag=True, help="Take an older version of the bundle than was here before.")
@click.option(
    "--state",
    metavar="FILE",
    help="Begin logged in, with a state saved before (--save-state, or Playwright's).",
)
@click.option(
    "--save-state",
    metavar="FILE",
    help="Save who is logged in to FILE when the session is closed: log in once with --headed, then: uiap close.",
)
@click.option(
    "--uploads",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Folder whose files may be given to pages; without one, none may.",
)
@click.option(
    "--downloads",
    type=click.Path(file_okay=False),
    help="Folder downloads may land in; without it they are refused.",
)
@click.option(
    "--states",
    type=click.Path(file_okay=False),
    help="Folder in which `uiap state` keeps who is logged in, by name.",
)
@json_option
def command(
    url: str,
    session: str,
    headed: bool,
    trusted: bool,
    policy: str | None,
    idle: float | None,
    bundle: str | None,
    trust: tuple[str, ...],
    allow_older: bool,
    state: str | None,
    save_state: str | None,
    uploads: tuple[str, ...],
    downloads: str | None,
    states: str | None,
    as_json: bool,
) -> int:
    address = check_address(url)
    bundle_for(address, bundle, trust or None, allow_older)  # refused here, before anything is ended
    if policy is not None and trusted:
        raise click.UsageError("--trusted and --policy exclude each other")
    rules_from(policy or "standard")  # as well
    more = ["--policy", str(Path(policy).resolve())] if policy else []
    more += ["--bundle", str(Path(bundle).resolve())] if bundle else []
    if state is not None:
        read_state(Path(state))
    folders = (("--downloads", downloads), ("--states", states))
    for flag, path in (("--state", state), ("--save-state", save_state), *folders):
        more += [flag, str(Path(path).absolute())] if path else []
    more += [word for folder in uploads for word in ("--uploads", str(Path(folder).resolve()))]
    more += [word for key in trust for word in ("--trust", key)] + (["--allow-older"] if allow_older else [])
    replaced = resident_process.end(session)
    failed = resident_process.start(session, address, headed=headed, trusted=trusted, idle=idle, more=more)
    if failed is not None:
        raise Unavailable(failed)
    if as_json:
        print_json({"session": session, "url": address, "replaced": replaced})
    else:
        click.echo(f"open: {address} (session {session}); next: uiap observe, uiap act, uiap close")
        if save_state:
            click.echo(f"log in, then: uiap close; who is logged in is saved to {save_state}")
    return 0
