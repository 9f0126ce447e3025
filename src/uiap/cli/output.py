"""How commands speak: JSON where asked for, else text; colour only on a terminal."""

from __future__ import annotations

import sys
from typing import Any

import click
import msgspec

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def print_json(value: Any) -> None:
    data = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(data.decode() + "\n")


allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="ADDRESS",
    help="An address inside this network that pages may be at and reach: localhost:3000, a name, 10.0.0.0/8, or "
    "`private`. Without it only the public internet is.",
)
