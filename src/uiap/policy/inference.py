"""Risk tags and data classes inferred from words, if nothing is declared. An inference only raises the risk.

Tables of words in English and German (umlauts written out), matched as whole words. The caller normalises the text:
look-alike letters unified, invisible ones removed. Negations are not understood on purpose: `Don't delete` counts as
deleting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from uiap.spec.capability import RiskTagName
from uiap.spec.policy import SIDE_EFFECT_RULES, SideEffectClass

WordPatterns: TypeAlias = tuple[str, ...]
"""Regular expressions for whole words. A space also matches up to two other words in between."""

RISK_WORDS: dict[RiskTagName, WordPatterns] = {
    "destructive": (
        "delet(?:e|es|ing|ion)", "erase", "wipe", "destroy", "purge", "empty (?:trash|bin)", "factory reset",
        "(?:close|deactivate|terminate) account", "loesch(?:en|e|t|ung)", "vernichten", "papierkorb leeren",
        "konto (?:schliessen|kuendigen|aufloesen|loeschen)", "kontoloeschung",
    ),
    "irreversible": (
        "permanently", "irrevocabl[ey]", "irreversibl[ey]", "forever", "cannot be undone", "endgueltig",
        "unwiderruflich", "fuer immer", "nicht rueckgaengig",
    ),
    "billing": (
        "pay", "buy", "purchase", "check ?out", "place order", "order now", "donate", "top up", "refund",
        "(?:start|renew|cancel|upgrade) (?:subscription|plan|membership)", "transfer (?:money|funds|amount)",
        "(?:send|withdraw) (?:money|funds|cash)", "pay ?out", "wire transfer", "transfer", "bezahlen", "zahlen",
        "kaufen", "bestellen", "kostenpflichtig", "zahlungspflichtig", "zur kasse", "spenden", "ueberweis(?:en|ung)",
        "auszahl(?:en|ung)", "erstatten", "abo (?:abschliessen|kuendigen)", "abonnement kuendigen",
    ),
    "external_effect": (
        "publish", "unpublish", "invit(?:e|es|ing|ation|ations)", "send", "share", "post", "broadcast", "announce",
        "forward", "notify", "veroeffentlich(?:en|ung)", "einlad(?:en|ung|ungen)", "(?:ab|ver)?senden", "verschicken",
        "abschicken", "teilen", "posten", "freigeben", "benachrichtigen", "weiterleiten",
    ),
    "security": (
        "(?:change|reset|update|set|save|new) (?:password|passcode|passphrase|pin)", "password reset",
        "(?:create|generate|rotate|revoke) (?:api key|key|token|access|session|permission|permissions)",
        "(?:enable|disable|turn off|turn on) (?:two-factor|2fa|mfa|firewall|encryption)", "(?:grant|remove) access",
        "(?:passwort|kennwort|pin) (?:aendern|zuruecksetzen|speichern|setzen)",
        "zugriff (?:gewaehren|entziehen)", "schluessel (?:erzeugen|widerrufen)", "zwei-faktor",
    ),
    "identity": (
        "(?:change|update) (?:e-?mail|username|identity)", "verify identity", "transfer ownership",
        "(?:un)?link account",
        "e-?mail-?(?:adresse)? aendern", "benutzernamen aendern", "identitaet", "eigentuemer aendern",
    ),
    "privileged": ("(?:make|grant) admin(?:istrator)?", "impersonate", "zum administrator", "rolle aendern"),
    "legal": (
        "(?:accept|agree to) terms", "i agree", "sign contract", "vertrag (?:unterschreiben|unterzeichnen|annehmen)",
        "(?:agb|bedingungen) (?:akzeptieren|annehmen)", "zustimmen",
    ),
}  # fmt: skip
"""Risk tags of a control whose label has these words."""

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

EXIT_WORDS = frozenset(
    {"cancel", "close", "back", "no", "dismiss", "later", "help", "keep", "return", "abort"}
    | {"abbrechen", "schliessen", "zurueck", "nein", "spaeter", "hilfe", "behalten"}
)
"""First words of labels that leave a dialog or form without doing what its title says."""

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


_RISK_PATTERNS = _compiled(dict(RISK_WORDS))
_DATA_CLASS_PATTERNS = _compiled(DATA_CLASS_WORDS)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_WORD_BREAK = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|[._\-/:]+")


class Hint(NamedTuple):
    """A risk tag or data class, and the words that suggest it."""

    kind: str
    words: str


def identifier_words(identifier: str) -> str:
    """Return the words of an identifier such as `deleteAccount` or `account.delete-all`, in lower case."""
    return _WORD_BREAK.sub(" ", identifier).casefold()


@lru_cache(4096)
def risk_hints(text: str) -> tuple[Hint, ...]:
    """Return the risk tags that the label of a control suggests. `text` is normalised by the caller."""
    return _hints(_RISK_PATTERNS, text.translate(_UMLAUTS))


@lru_cache(4096)
def data_class_hints(text: str) -> tuple[Hint, ...]:
    """Return the data classes that the name of a field suggests."""
    return _hints(_DATA_CLASS_PATTERNS, text.translate(_UMLAUTS))


def _hints(tables: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> tuple[Hint, ...]:
    found = ((kind, pattern.search(text)) for kind, pattern in tables)
    return tuple(Hint(kind, match.group()) for kind, match in found if match is not None)


def is_exit_label(label: str) -> bool:
    """Return whether a label begins with an exit word and suggests no risk."""
    words = re.findall(r"\w+", label.translate(_UMLAUTS))
    return bool(words) and words[0] in EXIT_WORDS and not risk_hints(label)


def derived_side_effect(tags: Iterable[str]) -> SideEffectClass | None:
    """Return the most severe side-effect class of the tags, or None."""
    classes = [SIDE_EFFECT_OF_TAG[tag] for tag in tags if tag in SIDE_EFFECT_OF_TAG]
    if not classes:
        return None
    return max(classes, key=lambda one: SIDE_EFFECT_RULES[one].severity)
