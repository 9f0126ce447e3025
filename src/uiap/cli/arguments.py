"""Parse `--arg name=value`, typed by the schema of the action: `text=321` is text. Standard library alone."""

from __future__ import annotations

import argparse
import json
from typing import Any

from uiap.cli.acting import connect


def typed_arguments(options: argparse.Namespace, words: list[str]) -> dict[str, Any]:
    """Return the arguments. Only values that JSON reads otherwise than text need the schema, which the session has."""
    given = dict(map(split_argument, words))
    plain = {name: _json(value) for name, value in given.items()}
    if all(isinstance(value, str) for value in plain.values()):
        return given
    types = argument_types(options)
    return {name: typed(given[name], plain[name], types.get(name)) for name in given}


def split_argument(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise ValueError(f"`{word}` is not an argument; write name=value")
    return name, value


def typed(text: str, value: Any, type: str | None) -> Any:
    """Return the text or its JSON value, as the type of the argument wants it."""
    if type in ("string", "enum") and not (isinstance(value, dict) and set(value) == {"secret"}):
        return text
    return value


def argument_types(options: argparse.Namespace) -> dict[str, str]:
    """Return the types of the action's arguments by name, as the session declares them."""
    client = connect(options)
    document = client.ask("capabilities.list", {})["payload"]["document"]
    client.close()
    action: dict[str, Any] = next((one for one in document["actions"] if one["id"] == options.action), {})
    return {one["name"]: one["type"] for one in action.get("args", [])}


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
