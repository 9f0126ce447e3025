"""Names: normalisation, match levels, invisible characters, look-alike letters."""

import pytest

from uiap.graph.names import has_mixed_scripts, is_lookalike, match_level, neutralised, normalised, skeleton

LEVELS = [
    ("Save", "save", 1.0),
    ("  Save\n changes ", "save changes", 1.0),
    ("Cafe\u0301", "CAFÉ", 1.0),
    ("Straße", "STRASSE", 1.0),
    ("E-mail *", "e-mail", 0.9),
    ("Name:", "Name", 0.9),
    ("Loading…", "loading", 0.9),
    ("Save changes now", "changes", 0.6),
    ("Delete user-1", "user-1", 0.6),
    ("Delete user-10", "user-1", 0.0),
    ("Unsaved", "save", 0.0),
    ("Save", "", 0.0),
    ("", "save", 0.0),
    ("*", "*", 1.0),
    ("C++ (beta)", "c++", 0.6),
]


@pytest.mark.requirement("ACT-3.3")
@pytest.mark.parametrize(("text", "wanted", "level"), LEVELS)
def test_match_levels_are_those_of_the_profile(text: str, wanted: str, level: float) -> None:
    assert match_level(text, wanted) == level


STEERED = [
    ("Sa\u200bve", "Save"),
    ("\u202eevaS\u202c", "evaS"),
    ("Save\u2066\u2069", "Save"),
    ("a\U000e0041\U000e0042b", "ab"),
    ("one\ttwo\r\nthree", "one two three"),
    ("bell\x07", "bell"),
    ("soft\xadhyphen", "softhyphen"),
    ("\ud800lone", "lone"),
]


@pytest.mark.parametrize(("raw", "plain"), STEERED)
def test_characters_that_hide_or_reorder_text_are_taken_out(raw: str, plain: str) -> None:
    assert neutralised(raw) == plain
    assert normalised(raw) == plain.lower()


def test_neutral_text_stays_neutral() -> None:
    for raw, _ in STEERED:
        assert neutralised(neutralised(raw)) == neutralised(raw)


MIXED = [("Cаncel", True), ("Sаve all", True), ("Cancel", False), ("Москва Hotel", False), ("Größe", False)]
MIXED += [("Παράδειγμα", False), ("pαypal", True), ("日本 Tokyo", False), ("42", False)]


@pytest.mark.parametrize(("text", "mixed"), MIXED)
def test_a_word_of_two_scripts_is_flagged_and_two_languages_are_not(text: str, mixed: bool) -> None:
    assert has_mixed_scripts(text) is mixed


def test_another_name_that_looks_the_same_is_detected() -> None:
    assert is_lookalike("Cаncel", "Cancel")
    assert is_lookalike("ѕаvе", "save")
    assert not is_lookalike("Cancel", "cancel")
    assert not is_lookalike("Close", "Cancel")
    assert skeleton("Ｓａｖｅ") == "save"
