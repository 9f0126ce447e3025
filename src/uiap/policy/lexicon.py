"""The lexicon: words of labels and the effects they command, in 13 languages, for policy and discovery.

`lexicon.txt` has the terms. A term counts as a whole word, unless it is a stem. Languages without spaces are matched
inside the text. Negations are not understood on purpose: `Don't delete` counts as deleting.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple, TypeAlias

from uiap.policy.disguise import LabelReading, folded, readings, words_of

Strength: TypeAlias = Literal["orders", "asks", "names", "shows"]
"""`orders` tags an action, `asks` only makes it ask, `names` counts for discovery alone, `shows` for routine steps."""
_DEFAULT_STRENGTHS: dict[str, Strength] = {"write": "asks", "routine": "shows", "guarded": "shows"}
_STRENGTHS: dict[str, Strength] = {"?": "asks", "~": "names"}
_REACH = 4
"""The words of a term are at most this many words apart."""
_MIN_MIRRORED = 4
"""A shorter term is not searched in mirrored writing: `yap` is no disguised `pay`."""
_LATIN = frozenset("äöüßàâæçéèêëîïôœùûÿáíñóúìòãõąćęłńśźżğışâîûė")
_RUSSIAN = frozenset("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")
_KNOWN_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "IDEOGRAPHIC")
_KNOWN_SYMBOLS = frozenset("⋮⋯…☰≡▼▾▸▶►▲◀‹›«»<>×✕✖+−-–←→↑↓⚙🔍?#•·|/")


class Hint(NamedTuple):
    """A risk tag or data class, and the words that suggest it."""

    kind: str
    words: str


class LabelMeaning(NamedTuple):
    """The effects that a label orders, by strength, and why it may deceive a person."""

    orders: tuple[Hint, ...] = ()
    asks: tuple[Hint, ...] = ()
    names: tuple[Hint, ...] = ()
    disguise: str = ""
    shows: tuple[Hint, ...] = ()
    """Words of routine steps, and words that make a step more than routine."""


class _Term(NamedTuple):
    tag: str
    strength: Strength
    words: tuple[str, ...]
    text: str

    @property
    def is_short(self) -> bool:
        word = self.words[0].strip("*")
        return len(self.words) == 1 and word.isascii() and len(word) < _MIN_MIRRORED


class _Lexicon:
    """The terms, by the way they are found."""

    def __init__(self, text: str) -> None:
        self.exact: dict[str, list[_Term]] = {}
        self.stems: dict[str, list[_Term]] = {}
        self.inside: list[tuple[str, _Term]] = []
        self.unspaced: list[tuple[str, _Term]] = []
        self.exits: set[tuple[str, ...]] = set()
        self.exit_words: set[str] = set()
        self.objects: set[str] = set()
        self.groups: dict[str, set[str]] = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                self._add_line(line)

    def _add_line(self, line: str) -> None:
        head, _, terms = line.partition(": ")
        tag = head.partition(" ")[2]
        for term in filter(None, (one.strip() for one in terms.split(","))):
            self._add(tag, term)

    def _add(self, tag: str, text: str) -> None:
        if tag == "exit":
            words = words_of(text)
            self.exits.add(words)
            self.exit_words |= set(words[:1])
        elif tag == "object":
            self.objects.add(folded(text))
        elif tag.startswith("="):
            self.groups.setdefault(tag[1:], set()).add(folded(text))
        else:
            default = _DEFAULT_STRENGTHS.get(tag, "orders")
            self._add_term(tag.rstrip("?~"), _STRENGTHS.get(tag[-1], default), text)

    def _add_term(self, tag: str, strength: Strength, text: str) -> None:
        words = tuple(part for word in text.split() for part in _marked(word))
        term = _Term(tag, strength, words, text)
        first = words[0]
        if _is_unspaced(text):
            self.unspaced.append((folded(text).replace(" ", ""), term))
        elif first.startswith("*"):
            self.inside.append((first.strip("*"), term))
        elif first.endswith("*"):
            self.stems.setdefault(first[:-1], []).append(term)
        else:
            self.exact.setdefault(first, []).append(term)

    def find(self, words: tuple[str, ...]) -> list[_Term]:
        """Return the terms of a label."""
        found: list[_Term] = []
        for at, word in enumerate(words):
            for term in self._beginning(word):
                if len(term.words) == 1 or _has_others(term, words, at):
                    found.append(term)
            found += [term for part, term in self.inside if part in word and _has_others(term, words, at)]
        whole = "".join(words)
        if whole.isascii():
            return found
        return found + [term for part, term in self.unspaced if part in whole]

    def is_phrase(self, term: _Term, words: tuple[str, ...]) -> bool:
        """Return whether a label is the term and known objects, such as `now` and `account`."""
        return len(words) > 1 and all(word in self.objects or word in term.words for word in words)

    def _beginning(self, word: str) -> Iterable[_Term]:
        yield from self.exact.get(word, ())
        for end in range(2, len(word) + 1):
            yield from self.stems.get(word[:end], ())
        if len(word) >= 5 and word.isascii():
            yield from self._joined(word)

    def _joined(self, word: str) -> Iterable[_Term]:
        """Yield the terms of two words written as one, as in `deleteaccount`."""
        for end in range(3, len(word) - 1):
            first, second = word[:end], word[end:]
            if second in self.objects:
                yield from (term for term in self.exact.get(first, ()) if len(term.words) == 1)
            if first in self.objects:
                yield from (term for term in self.exact.get(second, ()) if len(term.words) == 1)


def _marked(word: str) -> tuple[str, ...]:
    """Return a word of a term as folded words, with the marks of a stem."""
    parts = words_of(word.strip("*")) or (word,)
    first = ("*" if word.startswith("*") else "") + parts[0]
    if len(parts) == 1:
        return (first + ("*" if word.endswith("*") else ""),)
    return (first, *parts[1:-1], parts[-1] + ("*" if word.endswith("*") else ""))


def _has_others(term: _Term, words: tuple[str, ...], at: int) -> bool:
    near = words[max(0, at - _REACH) : at + _REACH + 1]
    return all(any(_fits(other, word) for word in near) for other in term.words[1:])


def _fits(wanted: str, word: str) -> bool:
    if wanted.startswith("*"):
        return wanted.strip("*") in word
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def _is_unspaced(text: str) -> bool:
    """Return whether a term belongs to a language or a set of symbols that is not divided into words."""
    return any(letter > "\u0e00" and not _is_spaced_letter(letter) for letter in text)


def _is_spaced_letter(letter: str) -> bool:
    return "\u1e00" <= letter <= "\u20cf"


_LEXICON = _Lexicon(files("uiap.policy").joinpath("lexicon.txt").read_text("utf-8"))


@lru_cache(8192)
def meaning_of(label: str) -> LabelMeaning:
    """Return the effects that the words of a label order, also behind a disguise."""
    found: dict[tuple[str, Strength], Hint] = {}
    disguise = ""
    for reading in readings(label):
        if reading.deceives:
            disguise = disguise or reading.disguise
        for hint, strength in _hints_of(reading):
            if (hint.kind, strength) not in found:
                found[hint.kind, strength] = hint
                disguise = disguise or reading.disguise
    by_strength = {
        one: tuple(h for (_, s), h in found.items() if s == one)
        for one in ("orders", "asks", "names", "shows")
    }
    orders, asks, names, shows = by_strength.values()
    return LabelMeaning(orders, asks, names, disguise, shows)


def _hints_of(reading: LabelReading) -> list[tuple[Hint, Strength]]:
    """Return the effects that the words of one reading order."""
    found = [
        (Hint(term.tag, term.text.strip("*")), term.strength)
        for term in _LEXICON.find(reading.words)
        if not (reading.disguise and term.strength in ("names", "shows"))
        and not (reading.mirrored and term.is_short and not _LEXICON.is_phrase(term, reading.words))
    ]
    is_order = any(strength in ("orders", "asks") for _, strength in found)
    word = "" if is_order else _revoking_word(reading.words)
    return [*found, (Hint("destructive", word), "asks")] if word else found


def _revoking_word(words: tuple[str, ...]) -> str:
    """Return the word that takes back something, as in `Cancel event`. `Cancel` and `Cancel search` leave a draft."""
    words = tuple(word for word in words if any(map(str.isalpha, word)))
    is_draft = not _LEXICON.groups["draftobject"].isdisjoint(words)
    if len(words) < 2 or words in _LEXICON.exits or is_draft:
        return ""
    return next((word for word in words if word in _LEXICON.groups["revokes"]), "")


def words_in(group: str) -> frozenset[str]:
    """Return the words of a group, folded: `=shows`, `=form`, `=page` and the like in the lexicon."""
    return frozenset(_LEXICON.groups[group])


@lru_cache(8192)
def is_exit(label: str) -> bool:
    """Return whether the whole label leaves a dialog or form without doing what its title says."""
    return words_of(label) in _LEXICON.exits


@lru_cache(8192)
def begins_with_exit(label: str) -> bool:
    """Return whether a label begins with an exit word and orders nothing."""
    words = words_of(label)
    return bool(words) and words[0] in _LEXICON.exit_words and not meaning_of(label).orders


@lru_cache(8192)
def is_known_language(label: str) -> bool:
    """Return whether every letter belongs to a language of the lexicon, and every other symbol is a known one."""
    return bool(label.strip()) and all(
        _is_known(letter) for letter in unicodedata.normalize("NFKC", label).lower()
    )


def _is_known(letter: str) -> bool:
    if letter.isascii():
        return True
    if unicodedata.category(letter)[0] in "LM":
        name = unicodedata.name(letter, "")
        return letter in _LATIN or letter in _RUSSIAN or name.startswith(_KNOWN_SCRIPTS)
    return letter in _KNOWN_SYMBOLS or (unicodedata.category(letter)[0] in "PNZS" and not _is_picture(letter))


def _is_picture(letter: str) -> bool:
    return letter >= "\u2600" and unicodedata.category(letter) in ("So", "Co", "Cn")
