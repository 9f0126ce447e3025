"""Messages that report less than was asked for."""

from __future__ import annotations

import pytest

from uiap.signals.contradiction import is_error
from uiap.signals.partial_success import counts_part, is_nothing_of_all, is_partial
from uiap.spec.web import ToastShownSignal


@pytest.mark.parametrize(
    ("text", "target", "partial"),
    [
        ("31 of 40 contacts imported", "Import all", True),
        ("2/3 files saved", "Save all", True),
        ("2 von 3 Dateien gespeichert", "Alle speichern", True),
        ("Swapped 2 of 5 packets", "Swap all seeds", True),
        ("3 of 3 files saved", "Save all", False),
        ("1 of 3 files uploaded", "Upload", False),
        ("Step 2 of 3", "Select all", False),
    ],
)
def test_less_than_all_is_a_part(text: str, target: str, partial: bool) -> None:
    assert is_partial(text, target) is partial


@pytest.mark.parametrize(
    ("text", "target", "part"),
    [
        ("2 von 3 Lampen brennen", "Alle einschalten", True),
        ("3 of 3 lamps are on", "Turn all on", False),
        ("2 of 3 lamps are on", "Turn lamp on", False),
        ("Page 2 of 3", "Select all", False),
        ("2/3", "Select all", False),
    ],
)
def test_a_message_may_begin_with_a_part_of_all(text: str, target: str, part: bool) -> None:
    assert counts_part(text, target) is part


def test_a_part_is_a_failure_even_in_a_message_of_success() -> None:
    assert is_error(ToastShownSignal(text="31 of 40 contacts imported", level="success"), "Import all")


@pytest.mark.parametrize(
    ("text", "nothing"),
    [("0 of 12 rows processed", True), ("Restored 0 of 14 files", True), ("0 of 12 selected items left", True),
     ("12 of 12 rows processed", False), ("Page 0 of 3", False)],
)  # fmt: skip
def test_none_of_several_is_nothing(text: str, nothing: bool) -> None:
    assert is_nothing_of_all(text) is nothing
