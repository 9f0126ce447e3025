"""Masks private values in texts and payloads, wherever a page or a message repeats them.

This module knows only strings. `private_values` decides which values are private, and for which reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

MASK = "•••"
SHORT_LENGTH = 8
"""Shorter values are masked as whole words only, so that a PIN does not match inside other numbers."""
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


def is_distinctive(value: str) -> bool:
    """Return whether a value is long enough to be searched for. `yes` and `no` occur everywhere and reveal nothing."""
    return len(value) >= 6 or (len(value) >= 4 and any(c.isdigit() for c in value))


class TextMask:
    """Masks one set of private values. A mask without values is false and changes nothing."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if is_distinctive(value) for form in _forms(value)}
        longest = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_pattern_of, longest))) if longest else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def matches(self, *texts: Any) -> bool:
        """Return whether one of the texts contains a private value."""
        pattern = self._pattern
        return pattern is not None and any(
            isinstance(t, str) and pattern.search(t) is not None for t in texts
        )

    def mask_text(self, text: str) -> str:
        """Return the text with private values masked."""
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def mask_payload(self, payload: T) -> T:
        """Return the payload with private values masked; the same object if it holds none."""
        if self._pattern is None:
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
            return {
                key: one if key in PROTOCOL_MEMBERS and isinstance(one, str) else self.mask_json(one)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.mask_json(one) for one in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and self.matches(str(value)):
            return 0
        return value


def _forms(value: str) -> Iterable[str]:
    """Return the forms in which a value may be repeated: as typed, URL-quoted, and without separators."""
    from urllib.parse import quote, quote_plus

    yield from {value, value.strip(), quote(value, safe=""), quote_plus(value)}
    bare = re.sub(r"[\s.\-/]", "", value)
    if len(bare) >= SHORT_LENGTH:  # 4111 1111 1111 1111, and the same without spaces
        yield bare


def _pattern_of(value: str) -> str:
    escaped = re.escape(value)
    return rf"(?<!\w){escaped}(?!\w)" if len(value) < SHORT_LENGTH else escaped
