"""Phrases that contain a word of failure and report none."""

from __future__ import annotations

import pytest

from uiap.signals.denied_failures import denies_failure, without_denials
from uiap.signals.error_words import only_denies_failure, reports_failure


@pytest.mark.parametrize(
    "text",
    [
        "Failed jobs: 0", "0 errors, 0 warnings", "No problems found", "12 passed, 0 failed", "0 of 12 failed",
        "Errors (0)",
        "Failed jobs: none", "Error log cleared: 3 errors removed", "Fixed 3 errors", "3 conflicts resolved",
        "The import did not fail", "No validation errors", "Keine Fehler gefunden", "Fehlerprotokoll gelöscht",
        "Fehler behoben", "Aucune erreur", "Le journal des erreurs a été vidé", "Registro de errores borrado",
        "エラーはありません", "没有发现错误", "오류가 없습니다",
    ],
)  # fmt: skip
def test_a_denied_or_removed_failure_is_none(text: str) -> None:
    assert only_denies_failure(text)


@pytest.mark.parametrize(
    "text",
    ["This action cannot be undone.", "Thanks! Please check your inbox", "A phone number is not required"],
)
def test_a_warning_or_a_hint_of_a_success_reports_no_failure(text: str) -> None:
    assert not reports_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error: 0x80004005", "Error: 0 rows affected", "Error: file deleted by Ana", "0 sent, 3 failed",
        "Passed: 12, Failed: 3",
        "An error occurred while the file was deleted", "No internet connection: error 7", "Errors: 10",
    ],
)  # fmt: skip
def test_a_failure_beside_a_zero_or_a_deed_stays_one(text: str) -> None:
    assert reports_failure(text)


def test_only_the_denying_phrase_is_taken_out() -> None:
    assert without_denials("0 errors, upload failed").strip(" ,") == "upload failed"
    assert not denies_failure("Upload failed")


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("Payments above it will be declined", False),
        ("Il n'est pas nécessaire de nous rappeler", False),
        ("Zahlungen werden ab sofort abgelehnt", False),
        ("Payment was declined", True),
        ("Die Zahlung wurde abgelehnt", True),
    ],
)
def test_a_refusal_in_the_future_is_what_follows_from_a_deed(text: str, reports: bool) -> None:
    assert reports_failure(text) is reports
