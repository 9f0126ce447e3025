"""Parts of an address that name a record: numbers, ids, and slugs that end in one."""

from __future__ import annotations

import re

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{8,}", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:[^\W_]+[-_])*([^\W\d_]+)[-_]\d+(?:[-_]\d+)*")
"""A name and the number of a record: `order-17`, `blue-lamp-18_19`."""
_LONG_SLUG = 16
_OPAQUE_ID = 8
# A number after one of these words names a view, not a record.
VIEW_WORDS = frozenset({"step", "page", "tab", "level", "part", "chapter", "version", "v", "phase", "stage"})


def is_record_segment(segment: str) -> bool:
    """Return whether a part of a path names a record: a number, an id, a slug that ends in one."""
    digits = sum(letter.isdigit() for letter in segment)
    if not digits:
        return False
    if all(letter.isdigit() or letter in "-_.:" for letter in segment) or _UUID.fullmatch(segment):
        return True
    if _HEX.fullmatch(segment):
        return True
    numbered = _NUMBERED.fullmatch(segment)
    if numbered:
        return numbered.group(1).lower() not in VIEW_WORDS
    slug = "-" in segment or "_" in segment
    return len(segment) >= _LONG_SLUG if slug else len(segment) >= _OPAQUE_ID and digits >= 2
