"""`uiap conformance`: show the requirement ledger and its coverage."""

from __future__ import annotations

from pathlib import Path

import click

from uiap.cli.output import json_option, print_json
from uiap.conformance import ledger


@click.group(help="Show the requirements and how many of them a test cites.")
def command() -> None:
    pass


@command.command(
    "requirements",
    short_help="Count the cited requirements.",
    help="Count the requirements that a test or case cites, by specification.",
)
@click.option("--missing", is_flag=True, help="Also list the requirements that nothing cites yet.")
@json_option
def requirements(missing: bool, as_json: bool) -> int:
    book = ledger.read(ledger.find_root(Path.cwd()))
    covered = book.covered
    if as_json:
        print_json(
            {
                "total": len(book.requirements),
                "covered": len(covered),
                "bySpec": {
                    s: {"total": len(i), "covered": len(covered & set(i))} for s, i in book.specs.items()
                },
                "missing": [id for id in book.requirements if id not in covered],
                "unknown": book.unknown,
            }
        )
        return 1 if book.unknown else 0
    for spec, ids in book.specs.items():
        click.echo(f"{spec:6}{len(covered & set(ids)):4} of {len(ids):3} covered by tests")
    click.echo(f"{'all':6}{len(covered):4} of {len(book.requirements):3}")
    if missing:
        for id, requirement in book.requirements.items():
            if id not in covered:
                click.echo(f"  {id:10} {requirement.level:6} {requirement.text}")
    for id, positions in book.unknown.items():
        click.echo(f"unknown requirement `{id}` cited at {', '.join(positions)}", err=True)
    return 1 if book.unknown else 0
