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
    parts = re.split(r"(\*\*|\*)", pattern)
    words = {"**": "(?s:.*)", "*": r"[^.]*"}
    compiled = re.compile("".join(words.get(part, re.escape(part)) for part in parts))
    return lambda text: compiled.fullmatch(text) is not None
