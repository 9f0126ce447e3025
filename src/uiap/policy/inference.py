"""Risk tags and data classes inferred from words, if nothing is declared. An inference only raises the risk.

The words of labels are in the lexicon, the names of private fields in `data_class_words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from uiap.policy.data_class_words import classes_in
from uiap.policy.lexicon import Hint, begins_with_exit, meaning_of
from uiap.spec.policy import SIDE_EFFECT_RULES, SideEffectClass

SIDE_EFFECT_OF_TAG: dict[str, SideEffectClass] = {
    "destructive": "destructive",
    "irreversible": "irreversible",
    "billing": "billing_change",
    "security": "security_change",
    "identity": "identity_change",
    "external_effect": "external_effect",
}
"""The side-effect class of a risk tag."""


_WORD_BREAK = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|[._\-/:]+")


def identifier_words(identifier: str) -> str:
    """Return the words of an identifier such as `deleteAccount` or `account.delete-all`, in lower case."""
    return _WORD_BREAK.sub(" ", identifier).casefold()


@lru_cache(4096)
def risk_hints(text: str) -> tuple[Hint, ...]:
    """Return the risk tags that the label of a control suggests, also behind a disguise."""
    return meaning_of(text).orders


@lru_cache(4096)
def data_class_hints(text: str) -> tuple[Hint, ...]:
    """Return the data classes that the name of a field suggests."""
    return tuple(Hint(kind, words) for kind, words in classes_in(text))


def is_exit_label(label: str) -> bool:
    """Return whether a label begins with an exit word and suggests no risk."""
    return begins_with_exit(label)


def derived_side_effect(tags: Iterable[str]) -> SideEffectClass | None:
    """Return the most severe side-effect class of the tags."""
    classes = [SIDE_EFFECT_OF_TAG[tag] for tag in tags if tag in SIDE_EFFECT_OF_TAG]
    if not classes:
        return None
    return max(classes, key=lambda one: SIDE_EFFECT_RULES[one].severity)
