"""Words of the buttons and first sentences of dialogs."""

from __future__ import annotations

import pytest

from uiap.signals.notice_words import is_apology, is_polite, offers_way_out, proceeds, withdraws


@pytest.mark.parametrize(
    "name", ["", "×", "Close", "Not now", "Keep editing", "Abbrechen", "Fermer", "閉じる", "取消"]
)
def test_a_button_that_only_closes(name: str) -> None:
    assert withdraws(name)


@pytest.mark.parametrize("name", ["OK", "Yes, delete it", "Continue", "Löschen", "はい", "确定"])
def test_a_button_that_goes_on(name: str) -> None:
    assert proceeds(name)
    assert not withdraws(name)


@pytest.mark.parametrize(("name", "other"), [("Upgrade", True), ("Try again", True), ("Monday", False)])
def test_a_way_out_is_something_other_than_the_deed(name: str, other: bool) -> None:
    assert offers_way_out(name, "Export") is other
    assert not offers_way_out("Upgrade", "Upgrade plan")


@pytest.mark.parametrize(
    ("sentence", "apology"),
    [
        ("Sorry", True),
        ("Error: disk full", True),
        ("エラー", True),
        ("Error log", False),
        ("Sorry to see you go", False),
    ],
)
def test_an_apology_stands_for_itself(sentence: str, apology: bool) -> None:
    assert is_apology(sentence) is apology


def test_thanks_prove_nothing() -> None:
    assert is_polite("Thank you") and not is_polite("saved")
