"""Messages that report less than was asked for: "31 of 40 contacts imported" after "Import all". Knows words only."""

from __future__ import annotations

import re

from uiap.signals.success_words import success_words

MIN_VERB = 4
_PART = re.compile(r"(\d+)\s*(?:/|of|out of|von|sur|de|di|van|z|из|のうち|中)\s*(\d+)", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|everything|every|selected|alles?|allen|sämtliche|ausgewählte[ns]?|tous|toutes?|tout|todos?|todas?|tutt[oie]|"
    r"tudo|wszystk\w+|все|всё|tümü\w*|hepsi\w*)\b|すべて|全|모두|전체",
    re.IGNORECASE,
)


_NOTHING = re.compile(
    r"(?<![\d.,])0\s*(?:/|of|out of|von|sur|de|di|van|z|из)\s*[1-9]\d*(?![\d.,:])", re.IGNORECASE
)


def is_nothing_of_all(text: str) -> bool:
    """Return whether a message of success counts none of several: "Restored 0 of 14 files".

    Ask when the work has ended: a count may begin like this.
    """
    return _NOTHING.search(text) is not None and bool(success_words(text))


def _repeats_verb(text: str, target: str) -> bool:
    """Return whether a text begins with the first word of the target, in another form: `swapped` of "Swap all"."""
    verb, first = ((re.findall(r"\w+", one.lower()) or [""])[0] for one in (target, text))
    return len(verb) >= MIN_VERB and first != verb and first[:MIN_VERB] == verb[:MIN_VERB]


_BEGINS_WITH_PART = re.compile(rf"^\W*{_PART.pattern}\s+[^\W\d]{{3,}}", re.IGNORECASE)


def counts_part(text: str, target: str) -> bool:
    """Return whether a message begins with a part of what the target names as all: "2 of 3 lamps are on".

    Ask when the work has ended: a count may begin like this.
    """
    found = _BEGINS_WITH_PART.match(text)
    return found is not None and _ALL.search(target) is not None and int(found[1]) < int(found[2])


def is_partial(text: str, target: str) -> bool:
    """Return whether a message says that only a part was done of what the target names as all."""
    if _ALL.search(target) is None or not (success_words(text) or _repeats_verb(text, target)):
        return False
    return any(int(done) < int(total) for done, total in _PART.findall(text))
