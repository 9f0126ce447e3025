"""`uiap diff`: print what changed in meaning between two bundles, and the version step it needs."""

from __future__ import annotations

from pathlib import Path

import click

from uiap.authoring.analysis.diff import BundleDiff, diff
from uiap.authoring.bundles.load import BadBundle, load_bundle
from uiap.authoring.versions import BadVersion
from uiap.cli.authoring import DONE, REFUSED
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.spec.authoring import UIAPCompiledBundle


@click.command(
    help="Print what changed from bundle OLD to bundle NEW. Exit code 3: the version step is too small."
)
@click.argument("old", type=click.Path(dir_okay=False))
@click.argument("new", type=click.Path(dir_okay=False))
@json_option
def command(old: str, new: str, as_json: bool) -> int:
    try:
        found = diff(read_bundle(old), read_bundle(new))
    except BadVersion as error:
        raise Unavailable(str(error)) from None
    if as_json:
        print_json(found)
    else:
        print_difference(found)
    return DONE if found.enough else REFUSED


def read_bundle(path: str | Path) -> UIAPCompiledBundle:
    try:
        return load_bundle(Path(path).read_bytes())
    except BadBundle as error:
        raise Unavailable(f"`{path}`: {error.message}") from None


def print_difference(found: BundleDiff) -> None:
    marks = {"added": "+", "removed": "-", "changed": "~", "renamed": ">"}
    for change in found.changes:
        name = f"{change.what} {change.id}".strip()
        note = f"  ({change.note})" if change.note else ""
        click.echo(f"  {marks[change.how]} {name:40} {change.bump}{note}")
    if not found.changes:
        click.echo("no changes in meaning")
    if found.enough:
        click.echo(f"{found.old} -> {found.new} is a large enough step: the changes need {found.needed}")
    else:
        click.echo(
            f"{found.old} -> {found.new} is too small a step: the changes need {found.needed}; use {found.proposed}"
        )
