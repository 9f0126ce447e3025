"""`uiap heal`: propose matchers for elements that runs found by other means, as an overlay to review."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from uiap.authoring.analysis.healing import healing_overlay, proposals
from uiap.authoring.from_discovery.starter import yaml_file
from uiap.cli.authoring import DONE, FAILED, BuildOptions, print_diagnostics, run_build
from uiap.cli.output import json_option, print_json
from uiap.cli.registry import replace_file
from uiap.errors import Unavailable
from uiap.spec.authoring import BuildContext
from uiap.spec.tools import ActionTrace

MAX_BYTES = 64 * 1024 * 1024
NAME = "overlays/healing.uiap.yaml"


@click.command(
    help="Propose matchers for the package in FOLDER from the traces of successful actions (`uiap trace show --json`), "
    "as an Overlay in FOLDER/overlays/healing.uiap.yaml. It has no effect until it is listed, reviewed and approved."
)
@click.argument("folder", type=click.Path())
@click.argument("traces", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option(
    "--out", type=click.Path(dir_okay=False), help=f"Write the overlay here (default: FOLDER/{NAME})."
)
@json_option
def command(folder: str, traces: tuple[str, ...], out: str | None, as_json: bool) -> int:
    built = run_build(folder, BuildOptions(BuildContext()))
    if built.package is None:
        print_diagnostics(built.errors)
        return FAILED
    found = list(proposals(trace for path in traces for trace in read_traces(Path(path))))
    local = [manifest for manifest in built.manifests if not manifest.origin.imported]
    overlay = healing_overlay(found, local, id="overlays.healing")
    patches = overlay["spec"]["patches"]
    target = Path(out) if out else Path(folder) / NAME
    if patches:
        replace_file(target, yaml_file(NAME, overlay).encode())
    if as_json:
        print_json({"file": str(target) if patches else None, "overlay": overlay})
    elif patches:
        healed = ", ".join(patch["value"]["id"] for patch in patches)
        click.echo(f"{target}: {healed}; next: list it in the package and review it")
    else:
        click.echo("nothing to heal: every element was found by its binding")
    return DONE


def read_traces(path: Path) -> tuple[ActionTrace, ...]:
    """Return the traces in a file that holds one trace or a list of them."""
    if path.stat().st_size > MAX_BYTES:
        raise Unavailable(f"`{path}` is larger than {MAX_BYTES:,} bytes")
    data = path.read_bytes()
    try:
        if data.lstrip().startswith(b"["):
            return msgspec.json.decode(data, type=tuple[ActionTrace, ...])
        return (msgspec.json.decode(data, type=ActionTrace),)
    except msgspec.MsgspecError as error:
        raise Unavailable(
            f"`{path}` is not a trace: {error}; write one with: uiap trace show --json"
        ) from None
