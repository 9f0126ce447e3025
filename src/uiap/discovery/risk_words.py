"""The side effects that the words of a label name, in several languages. It reads words only, not the page.

A dangerous word counts anywhere in a label. A harmless word counts only if the label says nothing else, because "close"
ends a dialog and "close account" ends an account.
"""

from __future__ import annotations

import re
from functools import lru_cache

from uiap.graph.names import has_mixed_scripts, normalised, skeleton
from uiap.spec.policy import SideEffectClass


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# Stems: a word of the label that starts with one counts. Longer stems avoid matching other words.
_STEMS: dict[SideEffectClass, str] = {
    "irreversible": "irreversib endgültig unwiderruflich définitivement irreversível irreversibile onherroepelijk",
    "destructive": (
        "delet remov destroy eras wipe purg discard trash uninstall terminat withdraw revert unlink deactivat "
        "disabl ban kick empty truncat drop clear reset abort kill stop shutdown restart reboot archiv "
        "lösch loesch entfern vernicht verwerf zurückzieh zurückgezog zurücksetz leeren "
        "deaktivier beend stornier kündig sperr supprim effac retir désactiv eliminar elimin borrar quitar "
        "desactiv cancella rimuov apagar excluir "
        "remover verwijder wissen"
    ),
    "billing_change": (
        "pay paid payment buy purchas checkout subscrib unsubscrib upgrad downgrad donat invoic refund billing "
        "bezahl zahl kauf bestell abonn payer achet pagar compr pagare acquist betal koop"
    ),
    "security_change": (
        "password passwort kennwort passwd 2fa mfa otp totp token apikey credential permiss grant revok unlock "
        "schlüssel berechtig freigeb mot-de-passe contraseñ senha wachtwoord"
    ),
    "identity_change": (
        "logout signout logoff login signin signup register impersonat abmeld anmeld ausloggen einloggen "
        "registrier déconnex connexion déconnecter sesión afmeld uitloggen"
    ),
    "external_effect": (
        "send sent publish unpublish shar invit post tweet notif email mail broadcast deploy releas submit "
        "forward reply launch trigger webhook send sync export download print call "
        "senden sende verschick veröffentlich teilen einlad benachrichtig einreich herunterlad exportier "
        "envoy publier partag invit enviar publicar compartir invia pubblica condivid verstuur deel"
    ),
    "data_write": (
        "save creat updat add insert upload import duplicat clon copy renam merg mov assign approv reject confirm "
        "accept apply set enabl activat mark star like follow favorit pin vote rate comment generat run execut start "
        "finish complet continu proceed agree yes ok done undo redo restor install connect disconnect "
        "speicher anleg erstell hinzufüg hochlad duplizier kopier umbenenn verschieb zuweis genehmig ablehn bestätig "
        "übernehm aktivier markier ausführ starten fertig abschliess abschließ fortfahr zustimm ja wiederherstell "
        "enregistr ajout créer guard añad crear salva aggiung crea opslaan toevoeg maak"
    ),
}
_PHRASES: dict[SideEffectClass, tuple[str, ...]] = {
    "destructive": (
        "close account",
        "cancel subscription",
        "cancel order",
        "cancel booking",
        "konto schliessen",
        "konto schließen",
        "factory reset",
    ),
    "identity_change": (
        "log out",
        "sign out",
        "log off",
        "log in",
        "sign in",
        "sign up",
        "switch user",
        "switch account",
        "cerrar sesion",
        "se deconnecter",
        "konto wechseln",
    ),
    "security_change": ("api key", "two-factor", "zwei-faktor", "access key", "ssh key"),
    "billing_change": ("place order", "check out"),
}
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
_CLASSES: tuple[SideEffectClass, ...] = tuple(_STEMS)
_BY_CLASS = {kind: tuple(stems.split()) for kind, stems in _STEMS.items()}
# Short words are stems of too much else.
_WHOLE = _word_set(
    "add set pay ban run ok ja yes pin buy mov star like rate mark post call mail drop stop kill sent send deel maak "
    "guard crea otp mfa undo redo done koop"
)
_NOT_COMMANDS = _word_set(
    "notifications notification posts comments emails mails payments settings markdown release releases "
    "exports imports downloads uploads tokens permissions users archive archived"
)


@lru_cache(8192)
def named_side_effect(label: str) -> SideEffectClass | None:
    """Return the worst side effect that the words of a label name; None if they name no known one."""
    words = _words(label)
    text = " ".join(words)
    for kind in _CLASSES:
        if any(_matches(word, kind) for word in words) or any(
            part in text for part in _PHRASES.get(kind, ())
        ):
            return kind
    return None


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


def _matches(word: str, kind: SideEffectClass) -> bool:
    if word in _NOT_COMMANDS:
        return False
    return any(word == stem if stem in _WHOLE else word.startswith(stem) for stem in _BY_CLASS[kind])
