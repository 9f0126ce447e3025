"""Messages that report less than was asked for: "31 of 40 contacts imported" after "Import all". Knows words only."""

from __future__ import annotations

import re

from uiap.signals.deed import tells_deed
from uiap.signals.success_words import success_words

_PART = re.compile(r"(\d+)\s*(?:/|of|out of|von|sur|de|di|van|z|из|のうち|中)\s*(\d+)", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|everything|every|selected|alles?|allen|sämtliche|ausgewählte[ns]?|tous|toutes?|tout|todos?|todas?|tutt[oie]|"
    r"tudo|wszystk\w+|все|всё|tümü\w*|hepsi\w*)\b|すべて|全|모두|전체",
    re.IGNORECASE,
)


_COUNT = re.compile(r"\W*(\d{1,6}) (?:\w+ ){0,2}\w+\W*")
"""A number and at most three words: "3 paid"."""
_NOTHING = re.compile(
    r"(?<![\d.,])0\s*(?:/|of|out of|von|sur|de|di|van|z|из)\s*[1-9]\d*(?![\d.,:])", re.IGNORECASE
)


_DONE = re.compile(r"\b[^\W\d]{3,}ed\b|\bge\w{3,}t\b", re.IGNORECASE)
"""A participle of any English or German verb."""


def is_nothing_of_all(text: str) -> bool:
    """Return whether a message counts none of several as done: "Restored 0 of 14 files", "0 of 12 rows processed".

    Ask when the work has ended: a count may begin like this.
    """
    return _NOTHING.search(text) is not None and (bool(success_words(text)) or _DONE.search(text) is not None)


_BEGINS_WITH_PART = re.compile(rf"^\W*{_PART.pattern}\s+[^\W\d]{{3,}}", re.IGNORECASE)


def counts_part(text: str, target: str) -> bool:
    """Return whether a message begins with a part of what the target names as all: "2 of 3 lamps are on".

    Ask when the work has ended: a count may begin like this.
    """
    found = _BEGINS_WITH_PART.match(text)
    return found is not None and _ALL.search(target) is not None and int(found[1]) < int(found[2])


def means_several(target: str) -> bool:
    """Return whether a control names several things: all of them, or a number of them."""
    return _ALL.search(target) is not None or re.search(r"\b(?:[2-9]|\d{2,9}) [^\W\d]", target) is not None


def is_partial(text: str, target: str) -> bool:
    """Return whether a message says that only a part was done of what the target names as all, or by its number."""
    numbers = set(map(int, re.findall(r"\d{1,9}", target)))
    if numbers and (counted := _COUNT.fullmatch(text.strip())) and tells_deed(text, target):
        return int(counted[1]) < min(numbers)
    if not (success_words(text) or tells_deed(text, target)):
        return False
    parts = [(int(done), int(total)) for done, total in _PART.findall(text)]
    return any(done < total and (total in numbers or bool(_ALL.search(target))) for done, total in parts)
