"""Masks private values in texts and payloads, wherever a page or a message repeats them.

A page may repeat a value in other letters, spaced, reversed or encoded. Texts are therefore compared without case and
separators, and once more after decoding. This module knows only strings: `private_values` decides which values are
private, and for which reader. The time for a text grows with its length, and not with what is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from uiap.host.privacy.echoes import Needles, decoded_forms, squeeze, squeeze_with_positions

MASK = "•••"
MAX_SCANNED = 100_000
"""A longer line is masked as a whole if there are private values: nobody reads it, and searching it takes too long."""
T = TypeVar("T")
PROTOCOL_MEMBERS = frozenset(
    {
        "kind",
        "role",
        "status",
        "stage",
        "code",
        "level",
        "mode",
        "effect",
        "type",
        "event",
        "do",
        "cause",
        "method",
    }
    | {
        "actionId",
        "actionHandle",
        "instanceId",
        "stableId",
        "scopeId",
        "documentId",
        "revision",
        "baseRevision",
    }
    | {"sideEffectState", "policy", "ts", "mediaType", "subscriptionId", "attribution", "chosenExecutionMode"}
)
"""Members that hold protocol words or ids, and never a text of the page."""

FREE_TEXT_MEMBERS = frozenset(
    {
        "text",
        "name",
        "title",
        "message",
        "note",
        "summary",
        "reason",
        "description",
        "url",
        "value",
        "textValue",
    }
    | {"placeholder", "outline", "detail", "metadata", "data", "payload", "args", "returnValue", "changes"}
)
"""Members where the specifications allow any text."""

NUMBER_MEMBERS = frozenset({"value", "numericValue", "code", "pin", "count", "text", "number"})
"""Members in which a number may be a value of the page. Other numbers are sizes, times and counters."""
MAX_ODD_WORDS = 50
"""Short values with punctuation, such as `a-1!`, are searched one by one; more of them are not searched for."""
_WORD = re.compile(r"\w+")
_REST_OF_ENCODING = re.compile(r"^[A-Za-z0-9]{0,3}={0,2}(?![A-Za-z0-9])")


class TextMask:
    """Masks one set of private values. A mask without values is false and changes nothing."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._needles = Needles(values)
        words = {word.casefold() for word in self._needles.words}
        self._words = {word for word in words if _WORD.fullmatch(word)}
        odd = sorted(words - self._words, key=len, reverse=True)[:MAX_ODD_WORDS]
        alternatives = "|".join(map(re.escape, odd))
        self._odd_words = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE) if odd else None

    def __bool__(self) -> bool:
        return bool(self._needles)

    def matches(self, *texts: Any) -> bool:
        """Return whether one of the texts contains a private value, in any form."""
        return bool(self._needles) and any(isinstance(text, str) and self._contains(text) for text in texts)

    def mask_text(self, text: str) -> str:
        """Return the text with private values masked. A text with an encoded one is masked as a whole."""
        if not self._needles or not text:
            return text
        if len(text) > MAX_SCANNED:
            return "\n".join(map(self._mask_line, text.split("\n")))
        return self._mask_line(text)

    def _mask_line(self, text: str) -> str:
        if len(text) > MAX_SCANNED:
            return MASK
        if self._needles.found_in(squeeze(text)):
            text = self._mask_spans(text)
        text = self._mask_words(text)
        return MASK if any(self._contains_plainly(form) for form in decoded_forms(text)) else text

    def _mask_words(self, text: str) -> str:
        if not self._words.isdisjoint(map(str.casefold, _WORD.findall(text))):
            text = _WORD.sub(self._mask_word, text)
        return text if self._odd_words is None else self._odd_words.sub(MASK, text)

    def _mask_word(self, word: re.Match[str]) -> str:
        return MASK if word.group().casefold() in self._words else word.group()

    def _contains(self, text: str) -> bool:
        if len(text) > MAX_SCANNED:
            return True
        return self._contains_plainly(text) or any(map(self._contains_plainly, decoded_forms(text)))

    def _contains_plainly(self, text: str) -> bool:
        if self._words and not self._words.isdisjoint(map(str.casefold, _WORD.findall(text))):
            return True
        if self._odd_words is not None and self._odd_words.search(text) is not None:
            return True
        return self._needles.found_in(squeeze(text))

    def _mask_spans(self, text: str) -> str:
        """Return the text with every value replaced, however its letters are separated."""
        for value in self._needles.edged:
            text = text.replace(value, MASK)
        squeezed, positions = squeeze_with_positions(text)
        hidden: list[tuple[int, int]] = []
        for start, end in self._needles.spans_in(squeezed):
            if hidden and start < hidden[-1][1]:
                hidden[-1] = (hidden[-1][0], max(end, hidden[-1][1]))
            else:
                hidden.append((start, end))
        for start, end in reversed(hidden):
            # the last letters of an encoding also depend on what follows the value
            rest = _REST_OF_ENCODING.sub("", text[positions[end - 1] + 1 :], count=1)
            text = f"{text[: positions[start]]}{MASK}{rest}"
        return text

    def split_over(self, parts: list[str]) -> set[int]:
        """Return the numbers of the squeezed texts that spell a private value together, and not alone."""
        found: set[int] = set()
        starts, length = [], 0
        for part in parts:
            starts.append(length)
            length += len(part)
        for start, end in self._needles.spans_in("".join(parts)):
            found |= _overlapped(starts, parts, start, end)
        return found

    def mask_payload(self, payload: T) -> T:
        """Return the payload with private values masked; the same object if it holds none."""
        if not self._needles:
            return payload
        plain = msgspec.to_builtins(payload)
        masked = self.mask_json(plain)
        if masked == plain:
            return payload
        try:
            return msgspec.convert(masked, type(payload))
        except (
            msgspec.ValidationError
        ):  # a private value equals a protocol word in a member that is not listed
            return msgspec.convert(self._mask_free_text(plain), type(payload))

    def _mask_free_text(self, value: Any, *, free: bool = False) -> Any:
        """Return the data with private values masked in free-text members only."""
        if isinstance(value, dict):
            return {
                key: self._mask_free_text(one, free=free or key in FREE_TEXT_MEMBERS)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._mask_free_text(one, free=free) for one in value]
        return self.mask_json(value) if free and isinstance(value, str) else value

    def mask_json(self, value: Any) -> Any:
        """Return JSON-like data with private values masked at any depth. Member names stay."""
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, dict):
            return {key: self._mask_member(key, one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask_json(one) for one in value]
        return value

    def _mask_member(self, key: str, value: Any) -> Any:
        if key in PROTOCOL_MEMBERS and isinstance(value, str):
            return value
        if key in NUMBER_MEMBERS and isinstance(value, int | float) and not isinstance(value, bool):
            return 0 if self.matches(str(value), f"{value:g}") else value
        return self.mask_json(value)


def _overlapped(starts: list[int], parts: list[str], start: int, end: int) -> set[int]:
    """Return the parts that a span covers, if it is not inside of one part."""
    from bisect import bisect_right

    first = bisect_right(starts, start) - 1
    last = bisect_right(starts, end - 1) - 1
    covered = {number for number in range(first, last + 1) if parts[number]}
    return covered if len(covered) > 1 else set()
