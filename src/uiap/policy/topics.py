"""Labels that name a topic or a view, so that the words of an effect in them order nothing.

`Deleting files` in a table of contents leads to a text about it, `Show deleted items` changes the view, and `Clear
filters` empties a field. A label counts here only as a whole: `Show and delete` is none of them.
"""

from __future__ import annotations

from functools import lru_cache

from uiap.policy.disguise import words_of
from uiap.policy.lexicon import meaning_of, words_in

_TOPIC, _TOPIC_END, _VIEWS, _VIEWS_END = (
    words_in(group) for group in ("topic", "topicend", "views", "viewsend")
)
_TAKES, _VIEW_OBJECT, _FILLER, _JOINS = (
    words_in(group) for group in ("takes", "viewobject", "filler", "joins")
)
_NO_GERUNDS = frozenset({"bring", "ping", "ring", "sing", "string", "swing", "spring", "king", "billing"})
_NOT_OF = frozenset({"dispose", "get"})
_UNSPACED = tuple(one for one in (*_TOPIC_END, *_VIEWS_END) if one > "\u0e00")
"""Endings in languages without spaces."""
_UNSPACED_STARTS = tuple(one for one in _TOPIC if one > "\u0e00")
_STRONG_TAKES, _FIELD_WORDS = frozenset({"delete"}), frozenset({"text", "value", "field", "input"})
_MIN_WORDS = 2


@lru_cache(8192)
def is_topic(label: str) -> bool:
    """Return whether a label names a text about something: `How to publish`, `Sharing explained`, `Share of total`."""
    words = _plain_words(label)
    if len(words) < _MIN_WORDS:
        return bool(words) and (_ends_unspaced(label, _TOPIC_END) or words[0].startswith(_UNSPACED_STARTS))
    gerund = len(words[0]) > 4 and words[0].endswith("ing") and words[0] not in _NO_GERUNDS
    return (
        gerund
        or words[0] in _TOPIC
        or words[-1] in _TOPIC_END
        or (words[1] == "of" and words[0] not in _NOT_OF)
        or _ends_unspaced(label, _TOPIC_END)
    )


@lru_cache(8192)
def shows_only(label: str) -> bool:
    """Return whether a label only says what is shown: `Show deleted items`, `Gelöschte anzeigen`."""
    words = _plain_words(label)
    if not words or meaning_of(label).orders:
        return False
    return words[0] in _VIEWS or words[-1] in _VIEWS_END or _ends_unspaced(label, _VIEWS_END)


@lru_cache(8192)
def clears_view(label: str) -> bool:
    """Return whether a label empties a filter, search, sort order or selection, and nothing else.

    `Delete filter` may delete a saved filter, so `delete` also needs a word of a field.
    """
    words = set(_plain_words(label))
    if not words & _TAKES or not words & _VIEW_OBJECT or not words <= _TAKES | _VIEW_OBJECT | _FILLER:
        return False
    return words.isdisjoint(_STRONG_TAKES) or not words.isdisjoint(_FIELD_WORDS)


def _plain_words(label: str) -> tuple[str, ...]:
    """Return the words of a label without a disguise and without a conjunction, else ()."""
    words = words_of(label)
    return () if meaning_of(label).disguise or not _JOINS.isdisjoint(words) or "&" in label else words


def _ends_unspaced(label: str, endings: frozenset[str]) -> bool:
    text = "".join(words_of(label))
    return any(one in endings and text.endswith(one) and len(text) > len(one) for one in _UNSPACED)
