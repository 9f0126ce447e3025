"""The forms in which a page may repeat a private value, and the search for them.

A value is searched for without case, accents of width, spaces and punctuation. Its needles are the value itself, the
value reversed, and its common encodings: base64 at any offset, hexadecimal, character codes and rot13. Texts with URL
quoting, HTML entities or escapes are decoded first. Compression, encryption and hashes are not recognised.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape, unescape
from urllib.parse import quote, unquote_plus

MIN_NEEDLE = 6
"""Shorter forms are searched as whole words only, because they occur in other words and numbers by chance."""
MIN_NUMBER = 8
"""The same for numbers, which occur in longer numbers by chance."""
MIN_WORD = 3
"""Shorter values are not searched for: `no` and `5` occur everywhere and reveal nothing."""
MAX_VALUE = 500
"""Only the beginning of a longer value is searched for."""
GRAM = 5
"""The needles are indexed by this many letters from the number of needles on at which one pass per needle is slower."""
MANY_NEEDLES = 40
MAX_LENGTHS = 4
"""Needles with the same beginning and more lengths than these are searched for one by one."""
MAX_DECODED = 3
_SEPARATORS = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{1,6})\}?|x([0-9a-fA-F]{2}))")


def is_distinctive(value: str) -> bool:
    """Return whether a value is long enough to be searched for."""
    return len(value.strip()) >= MIN_WORD


def squeeze(text: str) -> str:
    """Return the text without case, separators and variants of letters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _SEPARATORS.sub("", text).casefold()


def squeeze_with_positions(text: str) -> tuple[str, list[int]]:
    """Return the squeezed text, and for each of its letters the position in the text."""
    letters: list[str] = []
    positions: list[int] = []
    for position, letter in enumerate(text):
        made = squeeze(letter)
        letters.append(made)
        positions.extend([position] * len(made))
    return "".join(letters), positions


def decoded_forms(text: str) -> Iterator[str]:
    """Yield the text with URL quoting, HTML entities and escapes decoded, up to three layers of each."""
    for mark, decode in (("%", unquote_plus), ("&", unescape), ("\\", _unescaped)):
        form = text
        for _ in range(MAX_DECODED):
            if mark not in form or (decoded := decode(form)) == form:
                break
            form = decoded
            yield form


def _unescaped(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        number = int(match.group(1) or match.group(2), 16)
        return chr(number) if number < 0x110000 else ""

    return _ESCAPE.sub(letter, text)


class Needles:
    """The forms of a set of values: `words` are searched as whole words, all others anywhere in a squeezed text."""

    def __init__(self, values: Iterable[str]) -> None:
        self.words: set[str] = set()
        self.edged: set[str] = set()
        """Values that begin or end with punctuation, which a squeezed text does not have."""
        self._anywhere: set[str] = set()
        for value in values:
            self._add(value.strip()[:MAX_VALUE])
        self._index = NeedleIndex(self._anywhere) if len(self._anywhere) > MANY_NEEDLES else None

    def __bool__(self) -> bool:
        return bool(self.words or self._anywhere)

    def _add(self, value: str) -> None:
        """Add the forms of a value. A form that ordinary text may contain is searched as a whole word only."""
        if not is_distinctive(value):
            return
        bare = squeeze(value)
        if _is_unlikely(bare):  # in ordinary text
            self._anywhere |= {bare, bare[::-1]}
            if not (value[0].isalnum() and value[-1].isalnum()):
                self.edged.add(value)
        else:
            self.words |= {value, value[::-1]}
        for form in _encodings(value):
            squeezed = squeeze(form)
            if len(squeezed) >= MIN_NEEDLE:
                self._anywhere.add(squeezed)
            else:
                self.words.add(form)

    def found_in(self, squeezed: str) -> bool:
        """Return whether a squeezed text contains one of the needles."""
        if self._index is not None:
            return next(self._index.spans_in(squeezed), None) is not None
        return any(needle in squeezed for needle in self._anywhere)

    def spans_in(self, squeezed: str) -> list[tuple[int, int]]:
        """Return where the needles are in a squeezed text, in order."""
        if self._index is not None:
            return sorted(self._index.spans_in(squeezed))
        return sorted(span for needle in self._anywhere for span in _occurrences(needle, squeezed))


class NeedleIndex:
    """Finds many needles in one pass over a text, also in a text that is made of their beginnings.

    A needle is looked up by its first letters, then by its longest beginning whose length is a power of two. Few
    needles share such a beginning. Needles of many lengths that do share one are searched for one by one.
    """

    def __init__(self, needles: Iterable[str]) -> None:
        self._needles = frozenset(needles)
        self._starts: dict[str, dict[int, set[str]]] = {}
        self._lengths: dict[str, set[int]] = {}
        for needle in self._needles:
            start = needle[: 1 << (len(needle).bit_length() - 1)] if len(needle) >= 8 else needle
            self._starts.setdefault(needle[:GRAM], {}).setdefault(len(start), set()).add(start)
            self._lengths.setdefault(start, set()).add(len(needle))
        self._crowded = {
            start: [needle for needle in self._needles if needle.startswith(start)]
            for start, lengths in self._lengths.items()
            if len(lengths) > MAX_LENGTHS
        }

    def spans_in(self, squeezed: str) -> Iterator[tuple[int, int]]:
        """Yield where the needles are."""
        crowded: set[str] = set()
        for at in range(len(squeezed) - GRAM + 1):
            sizes = self._starts.get(squeezed[at : at + GRAM])
            if sizes is None:
                continue
            for size, starts in sizes.items():
                start = squeezed[at : at + size]
                if start not in starts:
                    continue
                if start in self._crowded:
                    crowded.add(start)
                else:
                    yield from self._spans_at(squeezed, at, start)
        for start in crowded:
            for needle in self._crowded[start]:
                yield from _occurrences(needle, squeezed)

    def _spans_at(self, squeezed: str, at: int, start: str) -> Iterator[tuple[int, int]]:
        for length in self._lengths[start]:
            if squeezed[at : at + length] in self._needles:
                yield at, at + length


def _occurrences(needle: str, squeezed: str) -> Iterator[tuple[int, int]]:
    at = squeezed.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = squeezed.find(needle, at + len(needle))


def _is_unlikely(bare: str) -> bool:
    """Return whether the squeezed value does not occur in other texts by chance."""
    return len(bare) >= (MIN_NUMBER if bare.isdigit() or len(bare) < MIN_NEEDLE else MIN_NEEDLE)


def _encodings(value: str) -> set[str]:
    data = value.encode("utf-8", "surrogatepass")
    forms = {data.hex(), codecs.encode(value, "rot13"), quote(value, safe=""), escape(value)}
    forms.add("".join(f"0x{byte:02x}" for byte in data))
    forms.add("".join(str(ord(letter)) for letter in value))
    for offset in range(3):
        # the letters at both ends also depend on the neighbours, so they are left out
        whole = b64encode(b"\0" * offset + data).decode().rstrip("=")
        start = (0, 2, 3)[offset]
        end = len(whole) - (1 if (offset + len(data)) % 3 else 0)
        forms.add(whole[start:end])
    return {form for form in forms if form != value and len(form) > MIN_WORD}
