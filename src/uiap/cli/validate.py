"""`uiap validate`: report every problem of a package at once, with file, line, column, pointer and hint."""

from __future__ import annotations

from typing import Any

import click

from uiap.cli.authoring import (
    DONE,
    FAILED,
    build_report,
    context_options,
    document_cache,
    no_cache_option,
    options_from,
    print_diagnostics,
    run_build,
    watch,
)
from uiap.cli.output import json_option, print_json


@click.command(help="Check the package in FOLDER and report every problem.")
@click.argument("folder", default="uiap", type=click.Path())
@context_options
@no_cache_option
@click.option("--watch", "watching", is_flag=True, help="Check again whenever a file changes.")
@json_option
def command(folder: str, watching: bool, as_json: bool, **given: Any) -> int:
    cache = document_cache(folder, given)
    outcome = DONE

    def once() -> None:
        nonlocal outcome
        built = run_build(folder, options_from(given), cache)
        cache.save()
        if as_json:
            print_json(build_report(built))
        else:
            print_diagnostics(built.diagnostics)
            if not built.errors and built.package is not None:
                click.echo(f"{built.package.spec.package_id} {built.package.spec.version} is valid")
        outcome = FAILED if built.errors else DONE

    if watching:
        watch(folder, once)
    else:
        once()
    return outcome
