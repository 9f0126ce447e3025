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

_CAPITALS = "A-ZÀ-ÖØ-ÞĄĆĘŁŃŚŹŻİŞĞŒА-ЯЁ"
_WORD_BREAK = re.compile(rf"(?<=[^\W\d_{_CAPITALS}])(?=[{_CAPITALS}])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[^\W_]+|[^\w\s]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~¡-¿‐-‧“”„‘’…、。・「」『』（）！？]")
_SINGLE_LETTERS = re.compile(r"(?<![^\W_])[^\W\d_](?:[\s._\-·•*|]+[^\W\d_](?![^\W_])){2,}")
_MANY_SPACED = 5
"""A label with this many letters in a row that stand alone is deceptive, also if no known word is found in it."""
_LETTER_BY_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts that are often written with spaces between letters, as in a form."""
_JOINING = r"!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u2027\u3000-\u303f\u30fb\uff01-\uff20"
_INSIDE_WORD = re.compile(rf"(?<=[^\W\d_])(?:[*+~^=<>`]|[^\w\s{_JOINING}])+(?=[^\W\d_])")
"""Symbols between two letters. Punctuation joins words."""
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
    deceives: bool = False
    """It deceives whatever its words are."""


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
    yield from _spaced_readings(tidy)
    if (whole := _INSIDE_WORD.sub("", tidy)) != tidy:
        yield LabelReading(words_of(whole), "its name has symbols inside of words")
    if any(not word.isalpha() for word in tidy.split()) and _LETTERS_AND_DIGITS.search(tidy):
        for table in _DIGIT_LETTERS:
            yield LabelReading(words_of(tidy.casefold().translate(table)), "its name has digits for letters")
    yield LabelReading(words_of(tidy[::-1]), "its name is written backwards", True)
    if not text.isascii():
        turned = tidy.casefold().translate(_UPSIDE_DOWN)[::-1]
        yield LabelReading(words_of(turned), "its name is written upside down", True)


def _spaced_readings(tidy: str) -> Iterator[LabelReading]:
    """Yield the words of letters that stand alone: `D e l e t e`, `P·a·y`."""
    for spaced in _SINGLE_LETTERS.findall(tidy):
        word = folded(re.sub(r"[\W_]+", "", spaced))
        many = len(word) >= _MANY_SPACED and not _LETTER_BY_LETTER.search(word)
        yield LabelReading((word,), "its name is written in spaced letters", deceives=many)
