"""Takes values out of texts: what may not be read in a field may not be read in a message that repeats it either.

It knows strings and nothing else: whose values they are, and for whom, is decided by `withheld`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

MASK = "•••"
SHORT = 8
"""Shorter ones are replaced as whole words only: a PIN is not looked for inside other numbers."""
T = TypeVar("T")
STRUCTURE = frozenset(
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
"""Members that hold words of the protocol or ids; a page's text never stands there."""

FREE = frozenset(
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


def is_distinctive(value: str) -> bool:
    """Long enough to be recognised elsewhere: `yes` and `no` stand everywhere and betray nothing."""
    return len(value) >= 6 or (len(value) >= 4 and any(c.isdigit() for c in value))


class TextMask:
    """For one set of values."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if is_distinctive(value) for form in _forms(value)}
        longest = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_worded, longest))) if longest else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def matches(self, *texts: Any) -> bool:
        pattern = self._pattern
        return pattern is not None and any(
            isinstance(t, str) and pattern.search(t) is not None for t in texts
        )

    def mask_text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def mask_payload(self, payload: T) -> T:
        """The same with its texts scrubbed; the very same where there was nothing to do."""
        if self._pattern is None:
            return payload
        plain = msgspec.to_builtins(payload)
        scrubbed = self.mask_json(plain)
        if scrubbed == plain:
            return payload
        try:
            return msgspec.convert(scrubbed, type(payload))
        except msgspec.ValidationError:  # a value that is also a word of the protocol, in a member not listed
            return msgspec.convert(self._mask_free_text(plain), type(payload))

    def _mask_free_text(self, value: Any, *, free: bool = False) -> Any:
        """Only where the specs let anything stand."""
        if isinstance(value, dict):
            return {key: self._mask_free_text(one, free=free or key in FREE) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._mask_free_text(one, free=free) for one in value]
        return self.mask_json(value) if free and isinstance(value, str) else value

    def mask_json(self, value: Any) -> Any:
        """Strings of JSON-like data, at any depth; names of members stay."""
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, dict):
            return {
                key: one if key in STRUCTURE and isinstance(one, str) else self.mask_json(one)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.mask_json(one) for one in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and self.matches(str(value)):
            return 0
        return value


def _forms(value: str) -> Iterable[str]:
    """As it was typed, and as an address or a quoted text would repeat it."""
    from urllib.parse import quote, quote_plus

    yield from {value, value.strip(), quote(value, safe=""), quote_plus(value)}
    bare = re.sub(r"[\s.\-/]", "", value)
    if len(bare) >= SHORT:  # 4111 1111 1111 1111, and the same without gaps
        yield bare


def _worded(value: str) -> str:
    escaped = re.escape(value)
    return rf"(?<!\w){escaped}(?!\w)" if len(value) < SHORT else escaped
