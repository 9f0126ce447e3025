"""Names as people read them: normalisation, match levels, invisible characters and look-alike letters.

Works on strings alone. A page is not trusted: it may hide characters in a name or imitate another name.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from uiap.lookalikes import has_mixed_scripts as has_mixed_scripts
from uiap.lookalikes import neutralised as neutralised
from uiap.lookalikes import skeleton as skeleton

EXACT, DECORATED, CONTAINED, NONE = 1.0, 0.9, 0.6, 0.0
_TRAILING_MARKS = " *:…"
_CACHE_SIZE = 65_536


@lru_cache(_CACHE_SIZE)
def normalised(text: str) -> str:
    """Return the text for comparison: NFC, trimmed, white space collapsed, case folded."""
    if text.isascii():
        return neutralised(text).lower()
    folded = unicodedata.normalize("NFC", neutralised(text)).casefold()
    return unicodedata.normalize("NFC", folded)


def undecorated(wanted: str) -> str:
    """Return the part of `wanted` that every matching text contains: normalised, without trailing marks."""
    return normalised(wanted).rstrip(_TRAILING_MARKS)


def match_level(text: str, wanted: str) -> float:
    """Return 1.0 for equal texts, 0.9 if only trailing marks differ, 0.6 if contained as whole words, else 0."""
    actual, want = normalised(text), normalised(wanted)
    if not want:
        return NONE
    if actual == want:
        return EXACT
    bare = undecorated(wanted)
    if bare not in actual:  # the fast path: most texts of a page do not match
        return NONE
    if bare and actual.rstrip(_TRAILING_MARKS) == bare:
        return DECORATED
    return CONTAINED if contains_words(actual, want) else NONE


def contains_words(actual: str, want: str) -> bool:
    """Return whether a normalised text contains another as whole words."""
    start = actual.find(want)
    while start >= 0:
        end = start + len(want)
        before = start == 0 or not (actual[start - 1].isalnum() and want[0].isalnum())
        behind = end == len(actual) or not (actual[end].isalnum() and want[-1].isalnum())
        if before and behind:
            return True
        start = actual.find(want, start + 1)
    return False


def is_lookalike(text: str, wanted: str) -> bool:
    """Return whether two different names look the same."""
    if text.isascii() and wanted.isascii():
        return False
    return normalised(text) != normalised(wanted) and skeleton(text) == skeleton(wanted)
