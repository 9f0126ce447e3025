"""Texts about the deed that the pressed control is named after."""

from __future__ import annotations

import pytest

from uiap.signals.deed import (
    counts_none,
    denies_state,
    is_finding,
    is_participle_of,
    only_says_what_follows,
    refuses,
    reports_done,
    speaks_of_doing,
    tells_deed,
)


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        ("blocked", "block"), ("merged", "merge"), ("sent", "send"), ("paid", "pay"), ("muted", "mute"),
        ("gelöscht", "löschen"), ("abgemeldet", "abmelden"), ("storniert", "stornieren"), ("bloqué", "bloquer"),
        ("archivado", "archivar"), ("rifiutato", "rifiutare"), ("geblokkeerd", "blokkeren"), ("cancelada", "cancelar"),
    ],
)  # fmt: skip
def test_a_participle_says_that_its_verb_was_done(word: str, verb: str) -> None:
    assert is_participle_of(word, verb)


@pytest.mark.parametrize(
    ("word", "verb"), [("block", "block"), ("votes", "vote"), ("resend", "send"), ("added", "delete")]
)
def test_other_words_are_no_participles(word: str, verb: str) -> None:
    assert not is_participle_of(word, verb)


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Blocked. This member can no longer write to you.", "Block this member"),
        ("Your stay was cancelled. You will not be charged.", "Cancel my stay"),
        ("Merged. No messages were lost.", "Merge folders"),
        ("Abo pausiert. Sie können es nicht mehr nutzen.", "Abo pausieren"),
        ("Request rejected", "Reject request"),
        ("Annulée Votre carte ne sera pas débitée.", "Annuler la commande"),
        ("Gesperrt", "Karte sperren"),
    ],
)
def test_a_text_with_the_participle_of_the_control_reports_its_deed(text: str, target: str) -> None:
    assert reports_done(text, target)
    assert not refuses(text, target)


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Not merged", "Merge folders"),
        ("Only 3 of 5 files uploaded", "Upload files"),
        ("0 files uploaded", "Upload files"),
        ("Already blocked", "Block this member"),
        ("Uploaded. The file could not be read.", "Upload file"),
        ("Saved on this device. The server refused it: error 5", "Save"),
        ("Somebody else booked this room", "Book room"),
        ("Payment declined", "Pay now"),
    ],
)
def test_a_denied_or_failed_deed_is_not_reported_as_done(text: str, target: str) -> None:
    assert not tells_deed(text, target)


@pytest.mark.parametrize(
    ("text", "target", "speaks"),
    [
        ("You can resend in 4 minutes", "Resend invitation", True),
        ("Sie können die Einladung in 4 Minuten erneut senden", "Einladung senden", True),
        ("You must be 18 to order", "Place order", True),
        ("Your order is on its way", "Place order", False),
        ("You can close this window", "Place order", False),
    ],
)
def test_the_verb_itself_after_a_modal_speaks_of_a_deed_that_was_not_done(
    text: str, target: str, speaks: bool
) -> None:
    assert speaks_of_doing(text, target) is speaks


@pytest.mark.parametrize(
    ("text", "target", "finding"),
    [
        ("2 errors, 1 warning", "Run checks", True),
        ("3 Fehler gefunden", "Formular prüfen", True),
        ("2 errors, 1 warning", "Save", False),
        ("Error: the server did not answer", "Run checks", False),
        ("2 errors, 1 warning", "Checkout", False),
    ],
)
def test_faults_are_the_result_of_a_control_that_looks_for_them(
    text: str, target: str, finding: bool
) -> None:
    assert is_finding(text, target) is finding
    assert refuses(text, target) is not finding


@pytest.mark.parametrize(
    ("text", "target", "denies"),
    [
        ("Off · window open", "Turn heating on", True),
        ("Still locked", "Unlock door", True),
        ("On · 21°", "Turn heating on", False),
        ("Offer sent", "Turn heating on", False),
        ("Closed for today", "Book table", False),
    ],
)
def test_a_state_that_the_control_was_to_end_denies_its_deed(text: str, target: str, denies: bool) -> None:
    assert denies_state(text, target) is denies


@pytest.mark.parametrize(
    ("text", "target", "none"),
    [
        ("0 messaggi eliminati", "Elimina selezionati", True),
        ("0 messages deleted", "Delete selected", True),
        ("2 messages deleted", "Delete selected", False),
        ("0 errors", "Delete selected", False),
    ],
)
def test_a_deed_done_to_none_is_not_done(text: str, target: str, none: bool) -> None:
    assert counts_none(text, target) is none


def test_what_has_to_be_done_was_not_done() -> None:
    assert not tells_deed("Own expenses have to be approved by somebody else", "Approve Train Basel")
    assert tells_deed("Approved by you", "Approve Train Basel")


def test_words_that_say_what_holds_from_now_on_are_told_from_a_failure() -> None:
    assert only_says_what_follows("You will not get any more letters from us.")
    assert not only_says_what_follows("Your bank did not approve this payment.")
