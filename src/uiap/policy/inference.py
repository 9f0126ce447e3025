"""Risk tags and data classes inferred from words, if nothing is declared. An inference only raises the risk.

The words of labels are in the lexicon. The names of private fields are here, as whole words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from uiap.policy.lexicon import Hint, begins_with_exit, meaning_of
from uiap.spec.policy import SIDE_EFFECT_RULES, SideEffectClass

WordPatterns: TypeAlias = tuple[str, ...]
"""Regular expressions for whole words. A space also matches up to two other words in between."""

DATA_CLASS_WORDS: dict[str, WordPatterns] = {
    "credential": (
        "pass(?:word|words|wort|code|phrase)", "kennwort", "pin", "otp", "tan", "one-time (?:code|password)",
        "(?:verification|authentication|recovery|backup|2fa|sms) code", "api key", "secret", "access token",
        "private key",
        "einmal(?:code|passwort|kennwort)", "bestaetigungscode", "geheimzahl", "zugangscode",
        "api-?schluessel",
    ),
    "payment": (
        "card ?number", "credit ?card", "debit ?card", "cvv", "cvc", "csc", "iban", "security code",
        "(?:bank )?account number",
        "routing number", "sort code", "karten-?nummer", "kreditkarte(?:nnummer)?", "pruefziffer", "kontonummer",
        "bankverbindung",
    ),
    "health": (
        "diagnos(?:is|e)", "medication", "blood (?:type|group)", "medical", "medikamente?", "blutgruppe", "krankheit",
    ),
    "sensitive": (
        "ssn", "social security", "passport (?:number|no)", "tax (?:id|number)", "driver licen[cs]e",
        "sozialversicherungsnummer", "steuer(?:nummer|-?id)", "ausweisnummer", "personalausweis",
        "reisepass(?:nummer)?",
    ),
}  # fmt: skip
"""Data classes of a field whose name has these words."""

SIDE_EFFECT_OF_TAG: dict[str, SideEffectClass] = {
    "destructive": "destructive",
    "irreversible": "irreversible",
    "billing": "billing_change",
    "security": "security_change",
    "identity": "identity_change",
    "external_effect": "external_effect",
}
"""The side-effect class of a risk tag."""


def _compiled(tables: dict[str, WordPatterns]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    gap = r"(?:\W+\w+){0,2}?\W+"
    return tuple(
        (kind, re.compile("|".join(rf"(?<!\w)(?:{word.replace(' ', gap)})(?!\w)" for word in words)))
        for kind, words in tables.items()
    )


_DATA_CLASS_PATTERNS = _compiled(DATA_CLASS_WORDS)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
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
    return _hints(_DATA_CLASS_PATTERNS, text.translate(_UMLAUTS))


def _hints(tables: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> tuple[Hint, ...]:
    found = ((kind, pattern.search(text)) for kind, pattern in tables)
    return tuple(Hint(kind, match.group()) for kind, match in found if match is not None)


def is_exit_label(label: str) -> bool:
    """Return whether a label begins with an exit word and suggests no risk."""
    return begins_with_exit(label)


def derived_side_effect(tags: Iterable[str]) -> SideEffectClass | None:
    """Return the most severe side-effect class of the tags."""
    classes = [SIDE_EFFECT_OF_TAG[tag] for tag in tags if tag in SIDE_EFFECT_OF_TAG]
    if not classes:
        return None
    return max(classes, key=lambda one: SIDE_EFFECT_RULES[one].severity)
