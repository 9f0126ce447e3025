"""`uiap build`: one package, one context, one reproducible bundle; or the reasons why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.authoring.build import Built
from uiap.authoring.documents import Cache
from uiap.authoring.provenance import provenance
from uiap.authoring.signature import sign
from uiap.cli.authoring import (
    DONE,
    context_options,
    digest_in,
    exit_code,
    options_from,
    report,
    run_build,
    show,
    watch,
    write_lock,
)
from uiap.cli.output import json_option, print_json
from uiap.cli.registry import replace_file
from uiap.errors import Unavailable


@click.command(help="Build the package in FOLDER into one bundle. Exit code 3: a publish gate refused it.")
@click.argument("folder", default="uiap", type=click.Path())
@context_options
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    help="Where the bundle goes (default: dist/<id>-<channel>.bundle.json).",
)
@click.option(
    "--sign", "key_file", type=click.Path(dir_okay=False), help="Ed25519 private key; writes OUT.sig too."
)
@click.option(
    "--provenance", "origins", type=click.Path(dir_okay=False), help="Also write where each item comes from."
)
@click.option("--watch", "watching", is_flag=True, help="Build again whenever a file changes.")
@json_option
def command(
    folder: str,
    out: str | None,
    key_file: str | None,
    origins: str | None,
    watching: bool,
    as_json: bool,
    **given: Any,
) -> int:
    cache: Cache = {}
    outcome = DONE
    key = read_key(key_file) if key_file else None

    def once() -> None:
        nonlocal outcome
        options = options_from(given)
        built = run_build(folder, options, cache)
        target = Path(out) if out else _default_out(folder, built)
        if built.data:
            write_lock(folder, built, update=options.update_lock)
            write_bundle(target, built, key)
            if origins:
                replace_file(
                    Path(origins), msgspec.json.format(msgspec.json.encode(provenance(built)), indent=1)
                )
        _say(built, target, as_json)
        outcome = exit_code(built)

    if watching:
        watch(folder, once)
    else:
        once()
    return outcome


def write_bundle(target: Path, built: Built, key: bytes | None) -> None:
    replace_file(target, built.data)
    signature = target.with_name(target.name + ".sig")
    if key is not None:
        replace_file(signature, msgspec.json.encode(sign(built.data, key)))
    else:
        signature.unlink(missing_ok=True)  # a signature of other bytes would only mislead


def read_key(path: str) -> bytes:
    """A private key file: 32 raw bytes as 64 hexadecimal digits."""
    try:
        return bytes.fromhex(Path(path).read_text("ascii").strip())
    except (UnicodeDecodeError, ValueError):
        raise Unavailable(f"`{path}` is no key file: it holds 64 hexadecimal digits") from None


def _default_out(folder: str, built: Built) -> Path:
    spec = built.package.spec if built.package else None
    out_dir = (
        "dist" if spec is None or spec.build is UNSET or spec.build.out_dir is UNSET else spec.build.out_dir
    )
    channel = "" if built.context.channel is UNSET else f"-{built.context.channel}"
    return Path(folder) / out_dir / f"{spec.package_id if spec else 'package'}{channel}.bundle.json"


def _say(built: Built, target: Path, as_json: bool) -> None:
    if as_json:
        print_json({**report(built), "out": str(target) if built.data else None})
        return
    show(built.diagnostics, quiet_info=True)
    if built.data:
        click.echo(f"{target}  {len(built.data):,} bytes  {digest_in(built.data) or 'no digest'}")
