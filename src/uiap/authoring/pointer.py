"""JSON Pointer (RFC 6901) over plain JSON values, and the one way to change a value: copy along the path.

Documents are shared between builds, so nothing here ever changes an argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Tokens: TypeAlias = tuple[str, ...]

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")  # RFC 6901: no leading zeros, no sign

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class BadPointer(ValueError):
    """Not a JSON Pointer, or one that leads nowhere; the message says which."""


def parse(pointer: str) -> Tokens:
    """`/a~1b/0` -> (`a/b`, `0`); the empty pointer is the whole document."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise BadPointer(f"`{pointer}` is not a JSON Pointer: it must be empty or begin with `/`")
    if _BAD_ESCAPE.search(pointer):
        raise BadPointer(f"`{pointer}` has a `~` that is not `~0` or `~1`")
    return tuple(t.replace("~1", "/").replace("~0", "~") for t in pointer[1:].split("/"))


def render(tokens: Sequence[str | int]) -> str:
    return "".join("/" + str(t).replace("~", "~0").replace("/", "~1") for t in tokens)


def index_of(token: str, array: list[Any]) -> int:
    """The array index a token names; `-`, `01`, `-1` and what lies beyond the end name none."""
    if not _INDEX.fullmatch(token):
        raise BadPointer(f"`{token}` is not an array index")
    index = int(token)
    if index >= len(array):
        raise BadPointer(f"index {index} is beyond the end of an array of {len(array)}")
    return index


def child(value: Any, token: str) -> Any:
    if isinstance(value, dict):
        if token not in value:
            raise BadPointer(f"there is no member `{token}`")
        return value[token]
    if isinstance(value, list):
        return value[index_of(token, value)]
    raise BadPointer(f"`{token}` asks for a member of a value that has none")


def get(value: Any, tokens: Tokens) -> Any:
    for token in tokens:
        value = child(value, token)
    return value


def find(value: Any, tokens: Tokens) -> Any:
    """Like `get`, with `MISSING` where the pointer leads nowhere."""
    try:
        return get(value, tokens)
    except BadPointer:
        return MISSING


def replace_at(value: Any, tokens: Tokens, change: Callable[[Any], Any]) -> Any:
    """A copy of `value` in which the value at `tokens` is `change(old)`; `MISSING` removes it."""
    if not tokens:
        return change(value)
    head, rest = tokens[0], tokens[1:]
    new = replace_at(child(value, head), rest, change)
    copy = value.copy()
    key: Any = head if isinstance(value, dict) else index_of(head, value)
    if new is MISSING:
        del copy[key]
    else:
        copy[key] = new
    return copy


def covers(ancestor: Tokens, descendant: Tokens) -> bool:
    """The same place, or a place above it."""
    return descendant[: len(ancestor)] == ancestor
