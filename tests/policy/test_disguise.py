"""The readings of a label: its words, and the words behind a disguise."""

from __future__ import annotations

import pytest

from uiap.policy.disguise import folded, readings, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("delete_account", ("delete", "account")),
        ("deleteAccount", ("delete", "account")),
        ("HTMLDelete", ("html", "delete")),
        ("account.delete-all", ("account", "delete", "all")),
        ("Geräte löschen?", ("gerate", "loschen")),
        ("J’accepte", ("j", "accepte")),
    ],
)
def test_a_label_is_read_as_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_marks_of_scripts_that_need_them_stay() -> None:
    assert folded("ガ") == "ガ" and folded("Й") == "и" and folded("Łódź") == "lodz"


def test_the_plain_reading_comes_first_and_is_no_disguise() -> None:
    first, *others = readings("Save")
    assert first.words == ("save",) and first.disguise == ""
    assert all(other.disguise for other in others)
