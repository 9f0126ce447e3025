"""Controls are judged by words: without key combinations, and by the word of an icon that stands alone."""

from __future__ import annotations

import pytest

from uiap.discovery.risk_words import is_harmless, named_side_effect
from uiap.discovery.safety.labels import judged_label


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Settings ctrl-,", "Settings"),
        ("Manage palette alt-⇧p", "Manage palette"),
        ("Keyboard shortcuts ⇧?", "Keyboard shortcuts"),
        ("Configuration nodes ctrl-g c", "Configuration nodes"),
        ("New file ⌘N", "New file"),
        ("Remove (Ctrl+Delete)", "Remove"),
        ("Search Ctrl+Shift+F", "Search"),
        ("Search, or Use Alt+S Key", "Search"),
        ("Search (press Ctrl+K)", "Search"),
        ("Edit alt text", "Edit alt text"),
        ("ctrl-x", "ctrl-x"),
        ("Delete", "Delete"),
        ("Press shift and delete", "Press shift and delete"),
        ("\uf013", "Settings"),
        ("\uf0d7", "Menu"),
        ("\uf1f8", "\uf1f8"),
        ("\uf013 Delete", "Delete"),
        ("", ""),
    ],
)
def test_a_label_is_judged_by_its_words(label: str, words: str) -> None:
    assert judged_label(label) == words


@pytest.mark.parametrize("label", ["Delete all ctrl-d", "Pay now ⌘P", "Log out Ctrl+Q", "Löschen Strg+Entf"])
def test_a_key_combination_never_hides_an_order(label: str) -> None:
    assert named_side_effect(judged_label(label)) == named_side_effect(label.rsplit(" ", 1)[0]) is not None


@pytest.mark.parametrize(
    ("label", "harmless"),
    [
        ("Manage users", True),
        ("Benutzer verwalten", True),
        ("Manage", False),
        ("Manage and delete users", False),
    ],
)
def test_managing_things_opens_their_page(label: str, harmless: bool) -> None:
    assert is_harmless(label) is harmless
