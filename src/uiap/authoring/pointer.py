"""JSON Pointer (RFC 6901) on plain JSON values, and changes by copying along the path.

Builds share documents, so no function here changes an argument.
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
    """A text that is not a JSON Pointer, or a pointer to a missing value; the message says which."""


def parse(pointer: str) -> Tokens:
    """Return the tokens of a pointer: `/a~1b/0` -> (`a/b`, `0`); the empty pointer is the whole document."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise BadPointer(f"`{pointer}` is not a JSON Pointer: it must be empty or begin with `/`")
    if _BAD_ESCAPE.search(pointer):
        raise BadPointer(f"`{pointer}` has a `~` that is not `~0` or `~1`")
    return tuple(t.replace("~1", "/").replace("~0", "~") for t in pointer[1:].split("/"))


def render(tokens: Sequence[str | int]) -> str:
    """Return the pointer of the tokens."""
    return "".join("/" + str(t).replace("~", "~0").replace("/", "~1") for t in tokens)


def index_of(token: str, array: list[Any]) -> int:
    """Return the array index of a token; raise BadPointer for `-`, `01`, `-1` and indices beyond the end."""
    if not _INDEX.fullmatch(token):
        raise BadPointer(f"`{token}` is not an array index")
    index = int(token)
    if index >= len(array):
        raise BadPointer(f"index {index} is beyond the end of an array of {len(array)}")
    return index


def child(value: Any, token: str) -> Any:
    """Return the member or item that one token names."""
    if isinstance(value, dict):
        if token not in value:
            raise BadPointer(f"there is no member `{token}`")
        return value[token]
    if isinstance(value, list):
        return value[index_of(token, value)]
    raise BadPointer(f"`{token}` names a member of a value that has no members")


def get(value: Any, tokens: Tokens) -> Any:
    """Return the value at the pointer; raise BadPointer if there is none."""
    for token in tokens:
        value = child(value, token)
    return value


def find(value: Any, tokens: Tokens) -> Any:
    """Return the value at the pointer, or `MISSING`."""
    try:
        return get(value, tokens)
    except BadPointer:
        return MISSING


def replace_at(value: Any, tokens: Tokens, change: Callable[[Any], Any]) -> Any:
    """Return a copy of `value` with `change(old)` at `tokens`; `MISSING` removes the value."""
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
    """Return whether `ancestor` is the same pointer or a parent."""
    return descendant[: len(ancestor)] == ancestor
