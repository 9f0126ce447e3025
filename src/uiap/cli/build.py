"""`uiap build`: compile one package for one context into one reproducible bundle, or print why it cannot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.authoring.analysis.provenance import provenance
from uiap.authoring.build import Built, contexts_of
from uiap.authoring.bundles.signature import sign
from uiap.cli.authoring import (
    DONE,
    BuildOptions,
    build_report,
    context_options,
    digest_in,
    document_cache,
    exit_code,
    no_cache_option,
    options_from,
    print_diagnostics,
    run_build,
    watch,
    write_lock,
)
from uiap.cli.cache import DocumentCache
from uiap.cli.output import json_option, print_json
from uiap.cli.registry import replace_file
from uiap.errors import Unavailable


@click.command(help="Build the package in FOLDER into one bundle. Exit code 3: a publish gate refused it.")
@click.argument("folder", default="uiap", type=click.Path())
@context_options
@no_cache_option
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    help="Write the bundle here (default: dist/<id>-<channel>.bundle.json).",
)
@click.option(
    "--sign",
    "key_file",
    type=click.Path(dir_okay=False),
    help="Ed25519 private key to sign with; also writes OUT.sig.",
)
@click.option(
    "--provenance",
    "origins",
    type=click.Path(dir_okay=False),
    help="Also write the source of each item to this file.",
)
@click.option("--all", "everything", is_flag=True, help="Build for every context the package declares.")
@click.option("--watch", "watching", is_flag=True, help="Build again whenever a file changes.")
@json_option
def command(
    folder: str,
    out: str | None,
    key_file: str | None,
    origins: str | None,
    everything: bool,
    watching: bool,
    as_json: bool,
    **given: Any,
) -> int:
    if everything and (out or origins):
        raise click.UsageError("--all chooses the file names; leave out --out and --provenance")
    cache = document_cache(folder, given)
    outcome = DONE
    key = read_key(key_file) if key_file else None

    def once() -> None:
        nonlocal outcome
        options = options_from(given)
        builds = _build_all(folder, options, cache) if everything else [run_build(folder, options, cache)]
        cache.save()
        targets = [Path(out) if out else _default_out(folder, built) for built in builds]
        for built, target in zip(builds, targets, strict=True):
            if built.data:
                write_lock(folder, built, update=options.update_lock)
                write_bundle(target, built, key)
                if origins:
                    replace_file(
                        Path(origins), msgspec.json.format(msgspec.json.encode(provenance(built)), indent=1)
                    )
        _print_builds(builds, targets, as_json)
        # A failure outweighs a refusal, a refusal a success.
        outcome = min((code for code in map(exit_code, builds) if code), default=DONE)

    if watching:
        watch(folder, once)
    else:
        once()
    return outcome


def _build_all(folder: str, options: BuildOptions, cache: DocumentCache) -> list[Built]:
    first = run_build(folder, options, cache)
    if first.package is None:
        return [first]
    contexts = contexts_of(first.package.spec)
    return [run_build(folder, options._replace(context=context), cache) for context in contexts]


def write_bundle(target: Path, built: Built, key: bytes | None) -> None:
    replace_file(target, built.data)
    signature = target.with_name(target.name + ".sig")
    if key is not None:
        replace_file(signature, msgspec.json.encode(sign(built.data, key)))
    else:
        signature.unlink(missing_ok=True)  # the old signature does not match the new bytes


def read_key(path: str) -> bytes:
    """Return the private key in a file: 32 bytes as 64 hexadecimal digits."""
    try:
        return bytes.fromhex(Path(path).read_text("ascii").strip())
    except (UnicodeDecodeError, ValueError):
        raise Unavailable(
            f"`{path}` is not a key file of 64 hexadecimal digits; create one with: uiap key FILE"
        ) from None


def _default_out(folder: str, built: Built) -> Path:
    """Return `dist/<package id>-<context>.bundle.json`, in characters that every file system allows."""
    spec = built.package.spec if built.package else None
    out_dir = (
        "dist" if spec is None or spec.build is UNSET or spec.build.out_dir is UNSET else spec.build.out_dir
    )
    parts = [spec.package_id if spec else "package", *msgspec.to_builtins(built.context).values()]
    name = "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", str(part)) for part in parts)
    return Path(folder) / out_dir / f"{name}.bundle.json"


def _print_builds(builds: list[Built], targets: list[Path], as_json: bool) -> None:
    if as_json:
        reports = [
            {**build_report(built), "out": str(target) if built.data else None}
            for built, target in zip(builds, targets, strict=True)
        ]
        print_json(reports[0] if len(reports) == 1 else reports)
        return
    for built, target in zip(builds, targets, strict=True):
        print_diagnostics(built.diagnostics, quiet_info=True)
        if built.data:
            click.echo(f"{target}  {len(built.data):,} bytes  {digest_in(built.data) or 'no digest'}")
