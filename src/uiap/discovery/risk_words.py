"""The side effects that the words of a label name. The words themselves are in the lexicon of policy.

A dangerous word counts anywhere in a label. A harmless word counts only if the label says nothing else, because "close"
ends a dialog and "close account" ends an account.
"""

from __future__ import annotations

import re
from functools import lru_cache

from uiap.graph.names import has_mixed_scripts
from uiap.policy.disguise import folded, words_of
from uiap.policy.lexicon import LabelMeaning, meaning_of, words_in
from uiap.spec.policy import SideEffectClass

_CLASSES: dict[SideEffectClass, frozenset[str]] = {
    "irreversible": frozenset({"irreversible"}),
    "destructive": frozenset({"destructive"}),
    "billing_change": frozenset({"billing"}),
    "security_change": frozenset({"security", "privileged"}),
    "identity_change": frozenset({"identity"}),
    "external_effect": frozenset({"external_effect"}),
    "data_write": frozenset({"write", "legal"}),
}
"""The tags of the lexicon for each side effect, the worst first."""
_SHOWS, _SHOWN, _LEAVES, _LEFT = (words_in(group) for group in ("shows", "shown", "leaves", "left"))
_MANAGES = frozenset(
    {
        "manage",
        "verwalten",
        "gérer",
        "gerer",
        "gestionar",
        "administrar",
        "gestire",
        "gerenciar",
        "gerir",
        "beheren",
    }
)
"""Words that open a page about things, as in `Manage users`."""
_THINGS, _YES, _SEARCH = words_in("thing"), words_in("yes"), words_in("search")
_LANGUAGES, _DANGER = words_in("language"), tuple(words_in("danger"))
_ICONS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")
"""The characters for private use, from which icon fonts take their pictures."""
_ARROWS = frozenset("<>«»…")


@lru_cache(8192)
def without_icons(label: str) -> str:
    """Return the label without the characters of icon fonts, which mean nothing outside their font.

    A label that consists of them alone stays as it is.
    """
    plain = _ICONS.sub(" ", label).strip() if not label.isascii() else label
    return plain or label


def has_words(label: str) -> bool:
    """Whether the label has a letter or a digit, and not only icons."""
    return any(letter.isalnum() for letter in label)


@lru_cache(8192)
def named_side_effect(label: str) -> SideEffectClass | None:
    """Return the worst side effect that the words of a label name; None if they name no known one."""
    meaning = meaning_of(label)
    return worst_class({hint.kind for hint in (*meaning.orders, *meaning.asks, *meaning.names)})


def worst_class(tags: set[str]) -> SideEffectClass | None:
    """Return the worst side effect of the tags of the lexicon; None if there is none."""
    return next((kind for kind, known in _CLASSES.items() if not known.isdisjoint(tags)), None)


@lru_cache(8192)
def is_harmless(label: str) -> bool:
    """Whether the label says that something is shown, hidden or left, and nothing else."""
    words = words_of(label)
    if not words:
        return label.strip() in _ARROWS
    if has_mixed_scripts(label) or named_side_effect(label) not in (None, "data_write"):
        return False
    if words[0] in _LEAVES and all(word in _LEAVES or word in _LEFT for word in words[1:]):
        return True
    if named_side_effect(label) is not None:
        return False
    return words[0] in _SHOWS or words[-1] in _SHOWN or _manages(words)


def _manages(words: tuple[str, ...]) -> bool:
    return len(words) > 1 and not _MANAGES.isdisjoint((words[0], words[-1]))


@lru_cache(8192)
def commanded_side_effect(label: str) -> SideEffectClass | None:
    """Return the side effect that a text commands; None if it only names a page or a thing.

    "Delete draft" and "Log out" are commands; "Payments" and "Password" are names of pages.
    """
    words = words_of(label)
    if not words or (len(words) == 1 and words[0] in _THINGS):
        return None
    return _commanded(meaning_of(words[0])) or _commanded(meaning_of(words[-1])) or _phrase(label)


def _commanded(meaning: LabelMeaning) -> SideEffectClass | None:
    tags = {hint.kind for hint in meaning.orders}
    tags |= {hint.kind for hint in meaning.asks if hint.kind in ("destructive", "identity")}
    found = worst_class(tags)
    return found if found in ("destructive", "irreversible", "identity_change") else None


def _phrase(label: str) -> SideEffectClass | None:
    """Return the side effect of terms of several words, such as `sign out`."""
    meaning = meaning_of(label)
    tags = {one.kind for one in (*meaning.orders, *meaning.asks) if " " in one.words}
    found = worst_class(tags)
    return found if found in ("destructive", "irreversible", "identity_change") else None


def says_yes(label: str) -> bool:
    """Whether the label answers a question with yes."""
    return not _YES.isdisjoint(words_of(label))


@lru_cache(8192)
def questioned_side_effect(text: str) -> SideEffectClass | None:
    """Return the side effect that a text asks about, as in "Delete this draft?"; else None."""
    for question in text.split("?")[:-1]:
        for word in words_of(re.split(r"[.!:]", question)[-1]):
            if word not in _THINGS and (kind := _commanded(meaning_of(word))) is not None:
                return kind
    return None


def names_search(label: str) -> bool:
    """Whether the label is about searching or filtering."""
    return not _SEARCH.isdisjoint(words_of(label))


def names_language(label: str) -> bool:
    words = folded(label).split()
    return bool(words) and len(words) <= 2 and _LANGUAGES.issuperset(words)


def names_danger(label: str) -> bool:
    return any(word.startswith(_DANGER) for word in words_of(label))
