"""Letters that deceive a reader: invisible and reordering characters, and letters of other scripts that look alike.

Works on strings alone. Names are compared with it (`graph.names`), and labels are judged with it (`policy.lexicon`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CACHE_SIZE = 65_536
# Control characters, soft hyphen, joiners and fillers that hide text, bidirectional controls, invisible operators,
# variation selectors and tag characters. Line feeds and tabs are white space, so they are not listed.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_DIRECTION_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
# Small letters of other scripts that look like a Latin letter in common typefaces.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһӏвкмнтгпшь" + "αορνικτυχεγηω" + "օոսհցզ" + "ıɩɑɡℓ" + "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxijsdqwhlbkmhtrnwb" + "aopviktuxeynw" + "onuhgq" + "iiagl" + "abcdefghijklmnoprstuvwyz",
)
# Letters in brackets, circles and squares, and the letters of flags. Most of them are no letters for Unicode.
_FRAMED = str.maketrans(
    {
        chr(first + at): letter
        for first in (0x249C, 0x1F110, 0x1F130, 0x1F150, 0x1F170, 0x1F1E6)
        for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
    }
)


def neutralised(text: str) -> str:
    """Return the text on one line, without characters that hide or reorder text."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(_INVISIBLE.sub("", text).split())


def has_direction_marks(text: str) -> bool:
    """Return whether the text has characters that reorder it, so that it reads differently than it is written."""
    return not text.isascii() and _DIRECTION_MARKS.search(text) is not None


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
    plain = unicodedata.normalize("NFKC", neutralised(text).translate(_FRAMED)).casefold()
    return plain if plain.isascii() else plain.translate(_LOOKALIKES)
