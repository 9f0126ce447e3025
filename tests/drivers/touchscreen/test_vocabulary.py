"""Numbers and expanded states in the texts of controls."""

from __future__ import annotations

import pytest

from uiap.drivers.touchscreen.vocabulary import ParsedNumber, expanded_state, parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("50%", ParsedNumber(50, 0, 100)),
        ("38 %", ParsedNumber(38, 0, 100)),
        ("12,5 %", ParsedNumber(12.5, 0, 100)),
        ("3 of 4", ParsedNumber(3, None, 4)),
        ("3/10", ParsedNumber(3, None, 10)),
        ("+10 dB", ParsedNumber(10)),
        ("−3", ParsedNumber(-3)),
        ("٥٠٪", ParsedNumber(50, 0, 100)),
        ("", None),
        ("On", None),
        ("Volume 50%", None),
        ("07:20", None),
        ("屏幕亮度", None),
    ],
)
def test_number_is_parsed_only_from_a_numeric_text(text: str, number: ParsedNumber | None):
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("text", "expanded"), [("Help, Collapsed", False), ("Expanded", True), ("Collapsed view", None)]
)
def test_expanded_state_is_read_only_at_the_end_of_a_text(text: str, expanded: bool | None):
    assert expanded_state(text) is expanded
