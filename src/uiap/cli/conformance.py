"""`uiap conformance`: show the requirement ledger and its coverage."""

from __future__ import annotations

from pathlib import Path

import click

from uiap.cli.output import json_option, print_json
from uiap.conformance import ledger


@click.group(help="Show the requirements, the tests that cite them, and the breakers that prove them.")
def command() -> None:
    pass


@command.command(
    "requirements",
    short_help="Count the proved, cited and missing requirements.",
    help="Count the requirements by specification. A proved one is cited by a test that fails with its breaker.",
)
@click.option(
    "--missing", is_flag=True, help="Also list the requirements that nothing cites yet, with known gaps."
)
@json_option
def requirements(missing: bool, as_json: bool) -> int:
    book = ledger.read(ledger.find_root(Path.cwd()))
    groups = {spec: _counts(book, set(ids)) for spec, ids in book.specs.items()}
    if as_json:
        print_json(
            {
                **_counts(book, set(book.requirements)),
                "bySpec": groups,
                "missing": [id for id in book.requirements if id not in book.covered],
                "gaps": book.gaps,
                "unknown": book.unknown,
            }
        )
        return 1 if book.unknown else 0
    for spec, counts in {**groups, "all": _counts(book, set(book.requirements))}.items():
        click.echo(_line(spec, counts))
    if missing:
        for id, requirement in book.requirements.items():
            if id not in book.covered:
                why = f" ({book.gaps[id]})" if id in book.gaps else ""
                click.echo(f"  {id:10} {requirement.level:6} {requirement.text}{why}")
    for id, positions in book.unknown.items():
        click.echo(f"unknown requirement `{id}` cited at {', '.join(positions)}", err=True)
    return 1 if book.unknown else 0


def _counts(book: ledger.RequirementLedger, ids: set[str]) -> dict[str, int]:
    proved, covered = ids & book.proved, ids & book.covered
    return {
        "total": len(ids),
        "covered": len(covered),
        "proved": len(proved),
        "cited": len(covered - proved),
        "missing": len(ids - covered),
    }


def _line(spec: str, counts: dict[str, int]) -> str:
    parts = ", ".join(f"{counts[name]:3} {name}" for name in ("proved", "cited", "missing"))
    return f"{spec:6}{parts} of {counts['total']:3}"
