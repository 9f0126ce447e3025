"""The workflows that a command names: in a file, or by id in a bundle; and the values of their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from uiap.errors import Unavailable
from uiap.spec.workflow import WorkflowDefinition


def definitions_in(source: Path | None, bundle: str | None) -> tuple[WorkflowDefinition, ...]:
    """Return the workflows of a file, or of a bundle."""
    if source is not None:
        from uiap.authoring.documents.workflow_files import read_definitions

        return read_definitions(str(source), source.read_bytes())
    if bundle is None:
        raise click.UsageError("name a FILE with workflows, or a bundle: --bundle FILE")
    from uiap.authoring.bundles.load import load_bundle

    return load_bundle(Path(bundle).read_bytes(), None).workflows or ()


def find_definition(source: str, bundle: str | None) -> WorkflowDefinition:
    """Return the workflow that SOURCE names: a file with one workflow, FILE#ID, or an id in the bundle."""
    path, _, wanted = source.partition("#")
    if Path(path).is_file():
        found = definitions_in(Path(path), None)
    elif bundle is None:
        raise Unavailable(f"there is no file `{path}`; name a file, or add --bundle FILE for a workflow id")
    else:
        found, wanted = definitions_in(None, bundle), source
    matching = [one for one in found if wanted in ("", one.id)]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(f"`{one.id}`" for one in found) or "none"
    raise Unavailable(f"name one workflow; known are {known}")


def given_values(definition: WorkflowDefinition, given: Sequence[str]) -> dict[str, Any]:
    """Return the values of NAME=VALUE arguments, each in the type of its parameter."""
    types = {one.name: one.type for one in definition.parameters or ()}
    return dict(_value(types, one) for one in given)


def _value(types: dict[str, Any], text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise click.UsageError(f"`{text}` is not a value; write NAME=VALUE")
    if types.get(name, "string") in ("string", "enum"):
        return name, value
    try:
        return name, msgspec.json.decode(value.encode())
    except msgspec.DecodeError:
        raise click.UsageError(f"`{value}` is not a {types[name]} for `{name}`") from None


def parameter_lines(definition: WorkflowDefinition) -> list[str]:
    """Return one line for each parameter: its name, its type, and whether it must be given."""
    lines = []
    for one in definition.parameters or ():
        needed = "required" if one.required is True else "optional"
        default = "" if one.default is UNSET else f", default {msgspec.json.encode(one.default).decode()}"
        lines.append(f"  {one.name}: {one.type}, {needed}{default}")
    return lines
