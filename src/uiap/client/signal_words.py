"""Expected effects as words: `toast.contains:created`, `route.changed:/videos/:id`, or a JSON object."""

from __future__ import annotations

import json
from typing import Any

_TEXT_MEMBER = {
    "toast.contains": "text",
    "status.contains": "text",
    "route.changed": "pattern",
    "validation.none": "scope",
}
_OWN_MEMBER = {
    "text.appeared": "text",
    "text.disappeared": "text",
    "tab.opened": "url",
    "download.completed": "name",
    "clipboard.written": "",
    "page.restyled": "",
    "print.requested": "",
}
"""Custom signals that uiap itself observes, and the member that the text after the colon fills."""
_WITHOUT_TEXT = ("dialog.opened", "dialog.closed", "route.changed", "validation.none")


def signal_of(word: str) -> dict[str, Any]:
    """Return the success signal; raise ValueError with the reason if it is not one."""
    if word.startswith("{"):
        try:
            signal = json.loads(word)
        except ValueError:
            raise ValueError(f"`{word}` is not JSON; check its quotes and braces") from None
        if not isinstance(signal, dict) or "kind" not in signal:
            raise ValueError(f'`{word}` has no `kind`; write {{"kind": …}}')
        return signal
    kind, colon, rest = word.partition(":")
    if kind in _OWN_MEMBER and (rest or not kind.startswith("text.")):
        payload = {_OWN_MEMBER[kind]: rest} if rest and _OWN_MEMBER[kind] else {}
        return {"kind": "custom", "name": kind, **({"payload": payload} if payload else {})}
    if not colon and kind in _WITHOUT_TEXT:
        return {"kind": kind}
    if kind in _TEXT_MEMBER and rest:
        return {"kind": kind, _TEXT_MEMBER[kind]: rest}
    forms = ", ".join([*(f"{k}:…" for k in (*_TEXT_MEMBER, *_OWN_MEMBER)), *_WITHOUT_TEXT[:2]])
    raise ValueError(f"`{word}` is not an expectation; use {forms}, or a JSON object")
