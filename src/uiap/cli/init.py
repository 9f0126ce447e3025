"""`uiap init`: create a package in the recommended folders, empty or from a discovery run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import msgspec

from uiap.authoring.documents.source import read_discovery
from uiap.authoring.from_discovery.starter import starter_files
from uiap.cli.authoring import DONE
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage


@click.command(help="Create a package in FOLDER (default: uiap) that builds, in the recommended folders.")
@click.argument("folder", default="uiap", type=click.Path(file_okay=False))
@click.option(
    "--from-discovery", "discovery", type=click.Path(dir_okay=False), help="Start from a discovery package."
)
@click.option("--app", help="App id (default: the name of the folder around FOLDER).")
@json_option
def command(folder: str, discovery: str | None, app: str | None, as_json: bool) -> int:
    root = Path(folder)
    app_id = app or _app_id(root)
    found: dict[str, Any] | None = None
    name = ""
    if discovery is not None:
        found = _read_discovery(Path(discovery))
        name = f"discovery/{re.sub('[^A-Za-z0-9_-]+', '-', found['run']['runId'])}.discovery.json"
    files = starter_files(app_id, found, name)
    if discovery is not None:
        files[name] = Path(discovery).read_text("utf-8")
    existing = sorted(path for path in files if (root / path).exists())
    if existing:
        raise Unavailable(
            f"`{root / existing[0]}` already exists; nothing was written, choose another folder"
        )
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    if as_json:
        print_json({"folder": str(root), "packageId": f"{app_id}.uiap", "files": sorted(files)})
    else:
        click.echo(f"{len(files)} files in {root}; next: uiap validate {root}")
    return DONE


def _app_id(root: Path) -> str:
    name = root.resolve().name if root.name not in ("uiap", ".", "") else root.resolve().parent.name
    return re.sub("[^a-z0-9_-]+", "-", name.lower()).strip("-") or "app"


def _read_discovery(path: Path) -> dict[str, Any]:
    document = read_discovery(str(path), path.read_bytes())
    if document.faults:
        raise Unavailable(str(document.faults[0]))
    try:
        msgspec.convert(document.value, DiscoveryPackage)
    except msgspec.ValidationError as error:
        raise Unavailable(f"`{path}` is not a discovery package: {error}") from None
    found: dict[str, Any] = document.value
    return found
