"""`uiap replay`: feed the journal to new state machines and compare their decisions with the recorded ones."""

from __future__ import annotations

import click

from uiap import settings
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.host.records.journal import replay
from uiap.host.records.store import Store, display_url, sqlite_url


@click.command(
    help="Feed the journal in STORE (a file or URL) to new state machines and compare their decisions with the "
    "recorded ones."
)
@click.argument("store", required=False)
@click.option("--machine", help="Replay only this state machine (a session id).")
@json_option
def command(store: str | None, machine: str | None, as_json: bool) -> int:
    url = store_url(store)
    opened = Store(url, create=False)
    try:
        replayed = list(replay(opened, machine))
        lost = opened.lost_count()
    finally:
        opened.close()
    if machine is not None and not replayed:
        raise Unavailable(
            f"no machine `{machine}` in `{display_url(url)}`; list them with: uiap replay --json"
        )
    diverged = [r for r in replayed if r.diverged is not None]
    if as_json:
        print_json({"machines": [r._asdict() for r in replayed], "lostEntries": lost})
        return 1 if diverged else 0
    steps = sum(r.steps for r in replayed)
    click.echo(f"{len(replayed)} machines, {steps} steps, {len(diverged)} diverged")
    private = sum(1 for r in replayed if r.withheld)
    if private:
        click.echo(f"  {private} skipped: their values are private and were not recorded")
    for r in diverged:
        click.echo(f"  {r.kind} {r.machine}: step {r.diverged} decides differently now")
    if lost:
        click.echo(f"  {lost} entries never reached the store, so replay cannot check them")
    return 1 if diverged else 0


def store_url(store: str | None) -> str:
    from pathlib import Path

    if store is None:
        return settings.read().store_url
    if "://" in store:
        return store
    path = Path(store)
    if not path.is_file():
        raise Unavailable(f"no journal at `{store}`")
    return sqlite_url(path)
