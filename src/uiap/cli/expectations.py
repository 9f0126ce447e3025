"""`--expect` on the command line: `toast.contains:created`, `route.changed:/videos/:id`, or a JSON object."""

from __future__ import annotations

import json
from typing import Any

_TEXT = {
    "toast.contains": "text",
    "status.contains": "text",
    "route.changed": "pattern",
    "validation.none": "scope",
}
_BARE = ("dialog.opened", "dialog.closed", "route.changed", "validation.none")


def expectation(word: str) -> dict[str, Any]:
    """The success signal meant; ValueError says what is wrong."""
    if word.startswith("{"):
        try:
            signal = json.loads(word)
        except ValueError:
            raise ValueError(f"`{word}` is not JSON") from None
        if not isinstance(signal, dict) or "kind" not in signal:
            raise ValueError(f"`{word}` names no kind")
        return signal
    kind, colon, rest = word.partition(":")
    if not colon and kind in _BARE:
        return {"kind": kind}
    if kind in _TEXT and rest:
        return {"kind": kind, _TEXT[kind]: rest}
    known = ", ".join([*(f"{k}:…" for k in _TEXT), *_BARE[:2]])
    raise ValueError(f"`{word}` is not an expectation; use {known}, or a JSON object")


def argument(word: str) -> tuple[str, Any]:
    """`name=value`; the value is JSON if it reads as such, else text."""
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise ValueError(f"`{word}` is not an argument; write name=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
