"""`uiap explain`: print which file, import, overlay or locale pack set a value of the bundle."""

from __future__ import annotations

from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.authoring.analysis.explain import Explanation, ExplanationStep, explain
from uiap.authoring.pointer import BadPointer
from uiap.cli.authoring import (
    DONE,
    FAILED,
    context_options,
    document_cache,
    no_cache_option,
    options_from,
    print_diagnostics,
    run_build,
)
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable


@click.command(
    help="Print which file set the value at POINTER of the bundle, e.g. /actions/video.create/risk/level. "
    "Name items by index or by id."
)
@click.argument("where", metavar="[FOLDER] POINTER", nargs=-1, required=True)
@context_options
@no_cache_option
@json_option
def command(where: tuple[str, ...], as_json: bool, **given: Any) -> int:
    if len(where) > 2:
        raise click.UsageError(f"`{where[2]}` is one argument too many; give a folder and a pointer")
    folder, pointer = where if len(where) == 2 else (".", where[0])
    cache = document_cache(folder, given)
    built = run_build(folder, options_from(given), cache)
    cache.save()
    if not built.preview:
        print_diagnostics(built.errors)
        return FAILED
    try:
        found = explain(built, pointer)
    except BadPointer as error:
        raise Unavailable(f"there is no value at `{pointer}`: {error}") from None
    if as_json:
        print_json(found)
    else:
        _print_explanation(found)
    return DONE


def _print_explanation(found: Explanation) -> None:
    value = msgspec.json.encode(found.value).decode()
    click.echo(f"{found.pointer} = {value if len(value) <= 100 else value[:97] + '...'}")
    for number, step in enumerate(found.steps, 1):
        decided = "  <- decided" if number == len(found.steps) else ""
        click.echo(f"  {number}. {step.by:9} {_source(step)}{decided}")


def _source(step: ExplanationStep) -> str:
    line = "" if step.line is UNSET else f":{step.line}:{step.column}"
    note = f" ({step.note})" if step.note else ""
    name = f"{step.manifest_id} " if step.manifest_id else ""
    return f"{name}{step.file}{line} {step.pointer}{note}".strip()
