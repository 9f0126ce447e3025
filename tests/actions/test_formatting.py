"""A page may format a text. It may not lose or change a part of it."""

from __future__ import annotations

import pytest

from uiap.actions.formatting import compare

FORMATTED = [
    ("ada ", "Ada"),
    ("two  words", "two words"),
    ("5551234567", "(555) 123-4567"),
    ("5551234567", "+1 (555) 123-4567"),
    ("555-123-4567", "5551234567"),
    ("4111111111111111", "4111 1111 1111 1111"),
    ("ab-12", "AB12"),
    ("DE89 3704 0044", "de8937040044"),
    ("1234.5", "$1,234.50"),
    ("1234", "1.234 €"),
    ("1234567", "1,234,567"),
    ("-5", "-5.00"),
    ("2026-03-01", "03/01/2026"),
    ("12/5/2026", "2026-12-05"),
    ("9:05", "09:05"),
    ("7.5", "7.5 %"),
    ("180", "180 cm"),
    ("ADA@Example.org", "ada@example.org"),
]
DIFFERENT = [
    ("12a34", "1234"),
    ("abcdefghij", "abcde"),
    ("-5", "5"),
    ("1.5", "15"),
    ("1234", "$12.34"),
    ("0301234567", "301234567"),
    ("a.b@example.org", "ab@example.org"),
    ("https://a.example/x", "https://a.example/ x"),
    ("2026-03-01", "2026-01-03"),
    ("five", "5"),
    ("7.5", "75 %"),
    ("5", "5 pm"),
    ("abc", ""),
    ("5551234567", "+1234 555 123 4567"),
]


@pytest.mark.parametrize(("written", "value"), FORMATTED)
def test_a_formatting_is_recognised(written: str, value: str) -> None:
    assert compare(written, value) == "formatted"


@pytest.mark.parametrize(("written", "value"), DIFFERENT)
def test_a_lost_or_changed_part_is_no_formatting(written: str, value: str) -> None:
    assert compare(written, value) == "different"


def test_the_line_ends_of_a_text_area_are_the_same_text() -> None:
    assert compare("a\r\nb", "a\nb") == "same"
