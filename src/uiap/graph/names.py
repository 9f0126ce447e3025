"""Names as people read them: normalisation, match levels, invisible characters and look-alike letters.

Works on strings alone. A page is not trusted: it may hide characters in a name or imitate another name.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

EXACT, DECORATED, CONTAINED, NONE = 1.0, 0.9, 0.6, 0.0
_TRAILING_MARKS = " *:…"
_CACHE_SIZE = 65_536

# Control characters, soft hyphen, joiners and fillers that hide text, bidirectional controls, invisible operators,
# variation selectors and tag characters. Line feeds and tabs are white space, so they are not listed.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
# Small letters of other scripts that look like a Latin letter in common typefaces.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһӏвкмнтгпшь" + "αορνικτυχεγηω" + "օոսհցզ" + "ıɩɑɡℓ",
    "aeopcyxijsdqwhlbkmhtrnwb" + "aopviktuxeynw" + "onuhgq" + "iiagl",
)


def neutralised(text: str) -> str:
    """Return the text on one line, without characters that hide or reorder text."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(_INVISIBLE.sub("", text).split())


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


@lru_cache(_CACHE_SIZE)
def has_mixed_scripts(text: str) -> bool:
    """Return whether one word mixes scripts that look alike. Words of two languages next to each other do not."""
    if text.isascii():
        return False
    return any(len(_scripts(word)) > 1 for word in _LETTERS.findall(neutralised(text)))


def _scripts(word: str) -> set[str]:
    found = set()
    for letter in word:
        script = unicodedata.name(letter, "").partition(" ")[0]
        if script in _SCRIPTS:
            found.add(script)
    return found


@lru_cache(_CACHE_SIZE)
def skeleton(text: str) -> str:
    """Return the text with look-alike letters unified. Texts with equal skeletons look the same."""
    plain = unicodedata.normalize("NFKC", neutralised(text)).casefold()
    return plain if plain.isascii() else plain.translate(_LOOKALIKES)


def is_lookalike(text: str, wanted: str) -> bool:
    """Return whether two different names look the same."""
    if text.isascii() and wanted.isascii():
        return False
    return normalised(text) != normalised(wanted) and skeleton(text) == skeleton(wanted)
