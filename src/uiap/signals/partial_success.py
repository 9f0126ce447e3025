"""Messages that report less than was asked for: "31 of 40 contacts imported" after "Import all". Knows words only."""

from __future__ import annotations

import re

from uiap.signals.success_words import success_words

_PART = re.compile(r"(\d+)\s*(?:/|of|out of|von|sur|de|di|van|z|из|のうち|中)\s*(\d+)", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|everything|every|selected|alles?|allen|sämtliche|ausgewählte[ns]?|tous|toutes?|tout|todos?|todas?|tutt[oie]|"
    r"tudo|wszystk\w+|все|всё|tümü\w*|hepsi\w*)\b|すべて|全|모두|전체",
    re.IGNORECASE,
)


def is_partial(text: str, target: str) -> bool:
    """Return whether a message says that only a part was done of what the target names as all."""
    if _ALL.search(target) is None or not success_words(text):
        return False
    return any(int(done) < int(total) for done, total in _PART.findall(text))
