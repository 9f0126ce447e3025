"""Words of failure in messages of a page, in the languages that policy knows. Knows words only.

A message that contains one reports a failure, whatever else it says: success words in it do not help. Phrases that
deny a failure ("no errors", "ohne Fehler") do not count.
"""

from __future__ import annotations

import re

from uiap.signals.denied_failures import denies_failure, without_denials
from uiap.signals.error_lexicon import ERROR_PARTS, ERROR_WORDS

MAX_TEXT = 400
"""Longer texts are articles or logs, not messages."""
_SIGNS = "[⚠❌❗⛔🚫✗✘✖‼🛑]"


def alternatives(tables: dict[str, str]) -> str:
    """Return one regular expression for the words of all languages."""
    return "|".join(re.sub(r"\s*\|\s*", "|", " ".join(table.split())) for table in tables.values())


_FAILURE = re.compile(
    rf"(?<!\w)(?:{alternatives(ERROR_WORDS)})(?!\w)|{alternatives(ERROR_PARTS)}|{_SIGNS}",
    re.IGNORECASE,
)


def reports_failure(text: str) -> bool:
    """Return whether a message reports a failure."""
    return bool(failure_words(text))


def failure_words(text: str) -> list[str]:
    """Return the words of failure in a message, in their order."""
    if len(text) > MAX_TEXT:
        return []
    return [found[0] for found in _FAILURE.finditer(without_denials(text))]


def only_denies_failure(text: str) -> bool:
    """Return whether a message says that there was no failure, and reports none."""
    return denies_failure(text) and not reports_failure(text)
