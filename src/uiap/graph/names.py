"""Names as people read them: normalised, matched by level, made harmless, checked for look-alike letters.

Knows strings only. Match levels and normalisation are companions §12.5; the rest is robustness H5 and H6.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

EXACT, DECORATED, CONTAINED, NONE = 1.0, 0.9, 0.6, 0.0
_TRAILING = " *:…"
_CACHED = 65_536

# H5: controls, soft hyphen, joiners and fillers that hide text, bidi steering, invisible operators, variation
# selectors and tag characters. Line feeds and tabs are white space, so they are not listed.
_STEERING = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
# Small letters of other scripts that pass for a Latin one in common typefaces.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһӏвкмнтгпшь" + "αορνικτυχεγηω" + "օոսհցզ" + "ıɩɑɡℓ",
    "aeopcyxijsdqwhlbkmhtrnwb" + "aopviktuxeynw" + "onuhgq" + "iiagl",
)


def neutralised(text: str) -> str:
    """Without characters that hide or reorder text; blanks are collapsed to one line."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(_STEERING.sub("", text).split())


@lru_cache(_CACHED)
def normalised(text: str) -> str:
    """NFC, trimmed, white space collapsed, case folded."""
    if text.isascii():
        return neutralised(text).lower()
    folded = unicodedata.normalize("NFC", neutralised(text)).casefold()
    return unicodedata.normalize("NFC", folded)


def undecorated(wanted: str) -> str:
    """What every text that matches `wanted` at some level contains."""
    return normalised(wanted).rstrip(_TRAILING)


def match_level(text: str, wanted: str) -> float:
    """1.0 equal, 0.9 equal but for trailing marks, 0.6 contained as whole words, else 0."""
    have, want = normalised(text), normalised(wanted)
    if not want:
        return NONE
    if have == want:
        return EXACT
    bare = undecorated(wanted)
    if bare not in have:  # most texts of a page, told at once
        return NONE
    if bare and have.rstrip(_TRAILING) == bare:
        return DECORATED
    return CONTAINED if contains_words(have, want) else NONE


def contains_words(have: str, want: str) -> bool:
    """Does the one normalised text hold the other, not inside a longer word?"""
    start = have.find(want)
    while start >= 0:
        end = start + len(want)
        before = start == 0 or not (have[start - 1].isalnum() and want[0].isalnum())
        behind = end == len(have) or not (have[end].isalnum() and want[-1].isalnum())
        if before and behind:
            return True
        start = have.find(want, start + 1)
    return False


@lru_cache(_CACHED)
def has_mixed_scripts(text: str) -> bool:
    """H6: does one word mix letters of scripts that look alike? Two languages side by side do not."""
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


@lru_cache(_CACHED)
def skeleton(text: str) -> str:
    """What the name looks like: equal skeletons can be taken for each other."""
    plain = unicodedata.normalize("NFKC", neutralised(text)).casefold()
    return plain if plain.isascii() else plain.translate(_LOOKALIKES)


def is_lookalike(text: str, wanted: str) -> bool:
    """H6: another name that looks the same."""
    if text.isascii() and wanted.isascii():
        return False
    return normalised(text) != normalised(wanted) and skeleton(text) == skeleton(wanted)
