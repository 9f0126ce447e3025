"""How commands speak: JSON where asked for, else text; colour only on a terminal. And options that several share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

if TYPE_CHECKING:
    from uiap.host.bundles.bundle import Bundle

Command = TypeVar("Command", bound=Callable[..., Any])
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def print_json(value: Any) -> None:
    data = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(data.decode() + "\n")


def reach_options(command: Command) -> Command:
    """`--allow` and `--public-only`: where browsers may go that serve others (docs/adr/0008)."""
    for option in (
        click.option(
            "--public-only",
            is_flag=True,
            help="Not even applications on this machine, unless --allow names them.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="ADDRESS",
            help="An address inside this network that pages may be at and reach: a name, 10.0.0.0/8, or `private`. "
            "Without it only the public internet and, while nobody else can connect, this machine are.",
        ),
    ):
        command = option(command)
    return command


def allowed_addresses(allow: tuple[str, ...], public_only: bool, *, shared: bool) -> tuple[str, ...]:
    """Whoever can only connect from this machine reaches its applications without us too."""
    return allow if public_only or shared else ("localhost", *allow)


def bundle_options(command: Command) -> Command:
    """`--bundle`, `--trust` and `--allow-older`, as every command has them that runs sessions."""
    for option in (
        click.option(
            "--allow-older", is_flag=True, help="Take an older version of the bundle than was here before."
        ),
        click.option(
            "--trust", multiple=True, metavar="KEY|FILE", help="A public key the bundle must be signed with."
        ),
        click.option("--bundle", metavar="FILE", help="The app's compiled bundle; see: uiap build --help."),
    ):
        command = option(command)
    return command


def load_bundle_option(
    bundle: str | None, trust: tuple[str, ...], allow_older: bool, data: Path
) -> Bundle | None:
    """The bundle of `bundle_options`, proved before anything starts."""
    if bundle is None:
        if trust:
            raise click.UsageError("--trust is a key for a bundle; name the --bundle too")
        return None
    from uiap.host.bundles.bundle import placed_bundle

    return placed_bundle(
        Path(bundle), trust=list(trust) or None, seen=data / "bundles.json", allow_older=allow_older
    )
