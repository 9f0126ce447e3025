"""Turn an msgspec error message into a JSON Pointer, so that a refusal names the invalid member."""

from __future__ import annotations

import re

_AT = re.compile(r" - at `(?:key` in `)?\$([^`]*)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")
_MISSING = re.compile(r"^Object missing required field `([^`]*)`")


def escape(member: str) -> str:
    """Escape `~` and `/` in a member name (RFC 6901)."""
    return member.replace("~", "~0").replace("/", "~1")


def pointer_of(error: str, root: str = "") -> str:
    """Return the pointer of the invalid member; a missing member gets the pointer it would have.

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
    """Return what msgspec expected, without the location, which the pointer already has."""
    return _AT.sub("", error)
