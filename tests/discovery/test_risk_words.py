"""The side effects that labels name."""

from __future__ import annotations

import pytest

from uiap.discovery.risk_words import (
    commanded_side_effect,
    is_harmless,
    named_side_effect,
    names_language,
    names_search,
    without_icons,
)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Delete", "destructive"),
        ("Löschen", "destructive"),
        ("Konto schließen", "destructive"),
        ("Cancel subscription", "billing_change"),
        ("Endgültig löschen", "irreversible"),
        ("Publish", "external_effect"),
        ("Einladung senden", "external_effect"),
        ("Pay now", "billing_change"),
        ("Jetzt kaufen", "billing_change"),
        ("Passwort ändern", "security_change"),
        ("Sign out", "identity_change"),
        ("Abmelden", "identity_change"),
        ("Save", "data_write"),
        ("Speichern", "data_write"),
        ("Enregistrer", "data_write"),
        ("Supprimer", "destructive"),
        ("Eliminar", "destructive"),
        ("Dеlete", "destructive"),  # the second letter is Cyrillic
    ],
)
@pytest.mark.requirement("DISC-8.4", "DISC-13.2")
def test_a_label_names_its_side_effect_in_several_languages(label: str, kind: str) -> None:
    assert named_side_effect(label) == kind
    assert not is_harmless(label)


@pytest.mark.parametrize(
    "label",
    ["Close", "Cancel", "Abbrechen", "Details anzeigen", "Show all", "Zurück", "Edit title", "×", "Next"],
)
def test_a_label_that_only_shows_hides_or_leaves_is_harmless(label: str) -> None:
    assert is_harmless(label)


@pytest.mark.parametrize("label", ["", "Frobnicate", "New", "Close account", "Cаncel", "OK"])
@pytest.mark.requirement("DISC-8.4")
def test_an_unknown_label_is_not_harmless(label: str) -> None:
    assert not is_harmless(label)


@pytest.mark.parametrize("label", ["Billing", "Password", "Payments", "Notifications", "Archive", "Sign in"])
def test_a_link_that_names_a_page_commands_nothing(label: str) -> None:
    assert commanded_side_effect(label) is None


@pytest.mark.parametrize("label", ["Delete draft", "Entwurf löschen", "Log out", "logout"])
def test_a_link_that_commands_a_side_effect_is_recognised(label: str) -> None:
    assert commanded_side_effect(label) is not None


def test_languages_and_searches_are_recognised() -> None:
    assert names_language("Deutsch") and not names_language("Germany")
    assert names_search("Find videos") and not names_search("Create video")


@pytest.mark.parametrize(
    ("label", "plain"),
    [("\uf085 Security", "Security"), ("Add \uf067", "Add"), ("\uf085", "\uf085"), ("Ö", "Ö")],
)
def test_characters_of_icon_fonts_are_no_words_of_a_label(label: str, plain: str) -> None:
    assert without_icons(label) == plain
