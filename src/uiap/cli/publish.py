"""`uiap publish`: build, pass the gates, compare with the latest release, and write to a registry folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.authoring.analysis.diff import BundleDiff, diff
from uiap.authoring.build import Built
from uiap.authoring.bundles.signature import sign
from uiap.authoring.canonical import files_digest
from uiap.cli.authoring import (
    DONE,
    FAILED,
    REFUSED,
    build_report,
    context_options,
    exit_code,
    options_from,
    print_diagnostics,
    run_build,
    write_lock,
)
from uiap.cli.build import read_key
from uiap.cli.diff import print_difference
from uiap.cli.output import json_option, print_json
from uiap.cli.registry import (
    FolderRegistry,
    PackageIndex,
    PackageRelease,
    latest_version,
    read_index,
    write_release,
)
from uiap.digests import content_digest
from uiap.errors import UiapError
from uiap.spec.authoring import UIAPCompiledBundle


class PublishRefused(UiapError):
    code = "forbidden"


@click.command(
    help="Publish the package in FOLDER on a channel. Exit code 3: a gate or the version check refused it."
)
@click.argument("folder", default="uiap", type=click.Path())
@context_options
@click.option("--to", "target", required=True, type=click.Path(file_okay=False), help="Registry folder.")
@click.option("--sign", "key_file", type=click.Path(dir_okay=False), help="Ed25519 private key to sign with.")
@json_option
def command(folder: str, target: str, key_file: str | None, as_json: bool, **given: Any) -> int:
    options = options_from(given)
    built = run_build(folder, options)  # never publish from a cache
    if not built.data or built.context.channel is UNSET:
        if built.context.channel is UNSET and not built.errors:
            raise PublishRefused(
                "no channel is given; use --channel, or set publish.defaultChannel in the package"
            )
        _print_outcome(built, None, "", as_json)
        return exit_code(built) or FAILED
    key = read_key(key_file) if key_file else None
    difference, fate = _publish(Path(target), built, key)
    if fate == "published":
        write_lock(folder, built, update=options.update_lock)
    _print_outcome(built, difference, fate, as_json)
    return DONE if fate in ("published", "already there") else REFUSED


def _publish(root: Path, built: Built, key: bytes | None) -> tuple[BundleDiff | None, str]:
    bundle, channel = built.bundle, str(built.context.channel)
    assert bundle is not None and built.package is not None
    root.mkdir(parents=True, exist_ok=True)
    registry = FolderRegistry(root)
    index = read_index(registry, bundle.package_id) or PackageIndex(package_id=bundle.package_id)
    files = {name: _text(content) for name, content in built.package.files.items()}
    published = index.versions.get(bundle.version)
    release = PackageRelease(digest=files_digest(files), bundles={channel: content_digest(built.data)})
    if published is not None:
        if channel in published.bundles and published.bundles[channel] == content_digest(built.data):
            return None, "already there"
        if channel in published.bundles or published.digest != release.digest:
            # A published version never changes.
            raise PublishRefused(
                f"{bundle.package_id} {bundle.version} is already published with other content; raise the version"
            )
        release = PackageRelease(
            digest=published.digest, bundles={**published.bundles, channel: content_digest(built.data)}
        )
    before = latest_version(index, channel)
    difference = None
    if before is not None:
        data = registry.read(f"{bundle.package_id}/{before}/{channel}.json")
        difference = diff(msgspec.json.decode(data or b"", type=UIAPCompiledBundle), bundle)
        if not difference.enough:
            return difference, "refused"
    index = PackageIndex(package_id=index.package_id, versions={**index.versions, bundle.version: release})
    signature = msgspec.json.encode(sign(built.data, key)) if key is not None else None
    write_release(root, index, bundle.version, channel, files, built.data, signature)
    return difference, "published"


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode()


def _print_outcome(built: Built, difference: BundleDiff | None, fate: str, as_json: bool) -> None:
    if as_json:
        print_json(
            {**build_report(built), "published": fate == "published", "fate": fate, "difference": difference}
        )
        return
    print_diagnostics(built.diagnostics, quiet_info=True)
    if difference is not None:
        print_difference(difference)
    if fate and built.package is not None:
        click.echo(
            f"{built.package.spec.package_id} {built.package.spec.version} on {built.context.channel}: {fate}"
        )
