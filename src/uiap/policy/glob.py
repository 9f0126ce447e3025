"""The globs of policy lists: `*` matches any text without a dot, `**` any text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Matcher = Callable[[str], bool]


def is_literal(pattern: str) -> bool:
    """Return whether a pattern has no wildcard."""
    return "*" not in pattern


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """Return a function that is true for texts that match the whole pattern."""
    compiled = re.compile(_expression(pattern))
    return lambda text: compiled.fullmatch(text) is not None


def _expression(pattern: str) -> str:
    """Return a regular expression that reads each letter of a text once.

    The first place where the text after a wildcard occurs is always right, because the next wildcard takes the rest.
    Each such part is an atomic group, which is never tried again: a page cannot choose a text that takes long.
    """
    first, *rest = re.split(r"(\*{2,}|\*)", pattern)
    made = re.escape(first)
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    for number, (wildcard, text) in enumerate(pairs, 1):
        letters = "[^.]" if wildcard == "*" else r"[\s\S]"
        end = re.escape(text)
        made += f"{letters}*{end}" if number == len(pairs) else f"(?>{letters}*?{end})"
    return made
