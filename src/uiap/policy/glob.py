"""The globs of policy lists: `*` is any run without a dot, `**` any run (companions §5.4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Matcher = Callable[[str], bool]


def is_literal(pattern: str) -> bool:
    return "*" not in pattern


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """True for texts the whole pattern covers."""
    parts = re.split(r"(\*\*|\*)", pattern)
    words = {"**": "(?s:.*)", "*": r"[^.]*"}
    compiled = re.compile("".join(words.get(part, re.escape(part)) for part in parts))
    return lambda text: compiled.fullmatch(text) is not None
