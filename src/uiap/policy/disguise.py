"""Readings of a label: its words, and the words behind a disguise.

A disguise is spaced or mirrored writing, look-alike letters, digits for letters, or letters turned upside down. Each
reading has the reason why it may deceive a person, or "" for the plain one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from uiap.lookalikes import has_mixed_scripts, neutralised, skeleton

_WORD_BREAK = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[^\W_]+|[^\w\s]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~¡-¿‐-‧“”„‘’…、。・「」『』（）！？]")
_SINGLE_LETTERS = re.compile(r"(?<![^\W_])[^\W\d_](?:[\s._\-·•*|]+[^\W\d_](?![^\W_])){2,}")
_LETTERS_AND_DIGITS = re.compile(r"(?=\S*[^\W\d_])(?=\S*[0-9@$!€|])\S{3,}")
_DIGIT_LETTERS = (
    str.maketrans("013457890@$!€|", "oleastbgoasiel"),
    str.maketrans("013457890@$!€|", "oieastbgoasiei"),
)
_UPSIDE_DOWN = str.maketrans(
    "ɐqɔpǝɟƃɓɥᴉıɾʞןlɯuodbɹsʇnʌʍxʎz", "abcdefggħiijkllmnopqrstuvwxyz".replace("ħ", "h")
)
_PLAIN_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d"})
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]")


class LabelReading(NamedTuple):
    """The words of one reading of a label."""

    words: tuple[str, ...]
    disguise: str = ""
    mirrored: bool = False


def folded(text: str) -> str:
    """Return the text in lower case without accents. Marks of scripts that need them stay."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text.translate(_PLAIN_LETTERS))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))


def words_of(text: str) -> tuple[str, ...]:
    """Return the words and symbols of a text. `deleteAccount` and `delete_account` are two words."""
    plain = _WORD_BREAK.sub(" ", unicodedata.normalize("NFKC", neutralised(text)))
    return tuple(word for word in _WORDS.findall(folded(plain)) if not _PUNCTUATION.fullmatch(word))


def readings(text: str) -> Iterator[LabelReading]:
    """Yield the plain reading first, then the readings behind each disguise that the label may have."""
    plain = words_of(text)
    yield LabelReading(plain)
    if not text.isascii():
        alike = words_of(skeleton(text))
        if alike != plain:
            why = "its name mixes look-alike letters of several scripts" if has_mixed_scripts(text) else ""
            yield LabelReading(alike, why or "its letters look like those of another script")
    tidy = neutralised(text)
    for spaced in _SINGLE_LETTERS.findall(tidy):
        yield LabelReading((folded(re.sub(r"[\W_]+", "", spaced)),), "its name is written in spaced letters")
    if any(not word.isalpha() for word in tidy.split()) and _LETTERS_AND_DIGITS.search(tidy):
        for table in _DIGIT_LETTERS:
            yield LabelReading(words_of(tidy.casefold().translate(table)), "its name has digits for letters")
    yield LabelReading(words_of(tidy[::-1]), "its name is written backwards", True)
    if not text.isascii():
        turned = tidy.casefold().translate(_UPSIDE_DOWN)[::-1]
        yield LabelReading(words_of(turned), "its name is written upside down", True)
