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
        ("SignerÉlectroniquement", ("signer", "electroniquement")),
        ("удалитьСчёт", ("удалить", "счет")),
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


@pytest.mark.parametrize(
    "text",
    ["⒟⒠⒧⒠⒯⒠", "🄳🄴🄻🄴🅃🄴", "🅓🅔🅛🅔🅣🅔", "🅳🅴🅻🅴🆃🅴", "🇩🇪🇱🇪🇹🇪", "de✨lete", "de*lete", "d|e|l|e|t|e"],
)
def test_letters_in_frames_and_symbols_inside_of_words_are_read(text: str) -> None:
    assert any(one.words == ("delete",) for one in readings(text)), text


@pytest.mark.parametrize(
    ("text", "deceives"),
    [
        ("F r o b n i c a t e", True), ("F.r.o.b", False), ("z. B. e. V.", False), ("A–Z", False),
        ("お 名 前 と 住 所", False), ("B_l_u_r_b", True),
    ],
)  # fmt: skip
def test_letters_that_stand_alone_deceive_whatever_they_say(text: str, deceives: bool) -> None:
    assert any(one.deceives for one in readings(text)) is deceives


def test_punctuation_between_words_hides_nothing() -> None:
    assert not any("inside" in one.disguise for one in readings("l’événement e-mail a/b utilisateur·rice"))
