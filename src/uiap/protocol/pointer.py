"""From msgspec's words to a JSON Pointer, so that a refusal names the member at fault."""

from __future__ import annotations

import re

_AT = re.compile(r" - at `(?:key` in `)?\$([^`]*)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")
_MISSING = re.compile(r"^Object missing required field `([^`]*)`")


def escape(member: str) -> str:
    """RFC 6901: `~` and `/` inside a member name."""
    return member.replace("~", "~0").replace("/", "~1")


def pointer_of(error: str, root: str = "") -> str:
    """The pointer an msgspec message speaks of; a missing member is pointed at as if it were there.

    msgspec does not name the key of a mapping's value, so the pointer then stops at the mapping.
    """
    pointer = root
    at = _AT.search(error)
    for step in _STEP.finditer(at.group(1) if at else ""):
        name, index = step.groups()
        if name is None and index is None:
            return pointer
        pointer += "/" + (escape(name) if name is not None else index)
    missing = _MISSING.match(error)
    return f"{pointer}/{escape(missing.group(1))}" if missing else pointer


def expectation_of(error: str) -> str:
    """What msgspec expected, without the place: the pointer already says where."""
    return _AT.sub("", error)
