"""The side effects that the words of a label name, by the lexicon of policy. It reads words only, not the page.

A dangerous word counts anywhere in a label. A harmless word counts only if the label says nothing else, because "close"
ends a dialog and "close account" ends an account.
"""

from __future__ import annotations

import re
from functools import lru_cache

from uiap.graph.names import has_mixed_scripts, normalised, skeleton
from uiap.policy.lexicon import meaning_of
from uiap.spec.policy import SideEffectClass


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> tuple[str, ...]:
    return tuple(words.split())


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
# Whole words that only show, hide or leave; every word of the label must be one of these or follow a leading one.
_ALONE = _word_set(
    "close cancel dismiss back hide less collapse minimize minimise schliessen schließen abbrechen zurück ausblenden "
    "weniger einklappen zuklappen fermer annuler retour cerrar cancelar volver chiudi annulla indietro fechar voltar "
    "sluiten annuleren terug × ✕ x ‹ › « » < > … next previous prev weiter vor nächste vorherige suivant precedent "
    "siguiente anterior avanti today heute"
)
_LEADING = _word_set(
    "show view open see expand more details detail browse explore preview learn read help about back edit choose "
    "select filter search find sort toggle menu navigation all switch go jump skip zoom next previous "
    "anzeigen zeigen zeige ansehen öffnen mehr details übersicht hilfe suchen suche finden filtern sortieren "
    "bearbeiten auswählen wählen zurück alle menü ansicht vorschau erfahren gehe weitere "
    "afficher voir ouvrir plus modifier rechercher mostrar ver abrir más editar buscar mostra apri cerca modifica "
    "tonen openen bewerken zoeken toon meer"
)
_TRAILING = _word_set(
    "anzeigen ansehen öffnen bearbeiten auswählen einblenden zeigen details menu menü help hilfe"
)
_AFTER_ALONE = _word_set(
    "dialog window menu panel details popup sidebar drawer navigation dialogfenster fenster menü menu bereich all page "
    "seite month monat week woche day tag year jahr slide image bild to zu zur zum"
)
_SEARCH = _word_set(
    "search find filter query go apply suche suchen finden filtern anwenden sortieren sort refine rechercher chercher "
    "buscar cerca zoeken lookup"
)
_YES = _word_set(
    "yes ok okay sure confirm continue proceed go agree accept ja sicher bestätigen weiter fortfahren oui confirmer "
    "continuer sí si confirmar continuar sì conferma sim bevestigen doorgaan"
)
_LANGUAGES = _word_set(
    "deutsch english français francais español espanol italiano português portugues nederlands polski русский 日本語 "
    "中文 한국어 türkçe svenska dansk norsk suomi čeština magyar română ελληνικά українська العربية עברית rumantsch "
    "de en fr es it pt nl pl ru ja zh ko rm"
)
_COMMANDS: dict[SideEffectClass, tuple[str, ...]] = {
    "destructive": _stems(
        "delet remov destroy eras wipe purg discard uninstall withdraw deactivat unlink unsubscrib revok "
        "lösch loesch entfern verwerf zurückzieh deaktivier kündig stornier supprim effac eliminar borrar cancella "
        "rimuov excluir verwijder"
    ),
    "identity_change": _stems(
        "logout signout logoff abmeld auslogg déconnex deconnex afmeld uitlogg impersonat"
    ),
    "external_effect": _stems("unpublish resend"),
}
_SIGN_OUT = ("log out", "sign out", "log off", "cerrar sesion", "se deconnecter")
_DANGER = ("danger", "gefahr", "destructive", "peligro")
_WORDS = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[×✕‹›«»<>…]")
_NOT_COMMANDS = _word_set(
    "notifications notification posts comments emails mails payments settings markdown release releases "
    "exports imports downloads uploads tokens permissions users archive archived"
)


@lru_cache(8192)
def named_side_effect(label: str) -> SideEffectClass | None:
    """Return the worst side effect that the words of a label name; None if they name no known one."""
    meaning = meaning_of(" ".join(word for word in _words(label) if word not in _NOT_COMMANDS))
    tags = {hint.kind for hint in (*meaning.orders, *meaning.asks, *meaning.names)}
    return next((kind for kind, known in _CLASSES.items() if not known.isdisjoint(tags)), None)


@lru_cache(8192)
def is_harmless(label: str) -> bool:
    """Whether the label says that something is shown, hidden or left, and nothing else."""
    words = _words(label)
    if not words or has_mixed_scripts(label) or named_side_effect(label) not in (None, "data_write"):
        return False
    if words[0] in _ALONE and all(word in _ALONE | _AFTER_ALONE for word in words[1:]):
        return True
    if named_side_effect(label) is not None:
        return False
    return words[0] in _LEADING or words[-1] in _TRAILING


@lru_cache(8192)
def commanded_side_effect(label: str) -> SideEffectClass | None:
    """Return the side effect that a label commands; None if it only names a page.

    "Delete draft", "Log out" and "/items/3/remove" are commands; "Payments" and "Password" are names of pages.
    """
    words = _words(label)
    if not words:
        return None
    for kind, stems in _COMMANDS.items():
        if any(
            end.startswith(stem) and end not in _NOT_COMMANDS
            for end in (words[0], words[-1])
            for stem in stems
        ):
            return kind
    text = " ".join(words)
    return "identity_change" if any(part in text for part in _SIGN_OUT) else None


def says_yes(label: str) -> bool:
    """Whether the label answers a question with yes."""
    return not _YES.isdisjoint(_words(label))


@lru_cache(8192)
def questioned_side_effect(text: str) -> SideEffectClass | None:
    """Return the side effect that a text asks about, as in "Delete this draft?"; else None."""
    for question in text.split("?")[:-1]:
        for word in _words(re.split(r"[.!:]", question)[-1]):
            for kind, stems in _COMMANDS.items():
                if word.startswith(stems) and word not in _NOT_COMMANDS:
                    return kind
    return None


def names_search(label: str) -> bool:
    """Whether the label is about searching or filtering."""
    return not _SEARCH.isdisjoint(_words(label))


def names_language(label: str) -> bool:
    words = _words(label)
    return bool(words) and len(words) <= 2 and _LANGUAGES.issuperset(words)


def names_danger(label: str) -> bool:
    return any(word.startswith(_DANGER) for word in _words(label))


@lru_cache(8192)
def _words(label: str) -> tuple[str, ...]:
    """Return the words of a label. Letters of other scripts that look Latin are read as Latin."""
    plain = skeleton(label) if not label.isascii() and _has_latin(label) else normalised(label)
    return tuple(_WORDS.findall(plain))


def _has_latin(label: str) -> bool:
    return any("a" <= letter <= "z" for letter in label.lower())
