"""Words of success: found in many languages, not found in failures and in other texts."""

from __future__ import annotations

import pytest

from uiap.signals.success_words import MAX_TEXT, reports_success


@pytest.mark.parametrize(
    "text",
    [
        "Saved", "Saved ✓", "Thank you for your order", "Copied!", "Gespeichert",
        "Enregistré", "Guardado", "Salvato",
        "Salvo com sucesso", "Opgeslagen", "Zapisano", "Kaydedildi", "Сохранено", "保存しました", "已保存",
        "저장되었습니다", "This name is available",
        "Sparat", "Gemt", "Tallennettu", "Uloženo", "Elmentve", "Salvat", "Αποθηκεύτηκε",
        "Збережено", "Đã lưu", "Tersimpan",
        "تم الحفظ", "נשמר", "सहेजा गया", "บันทึกแล้ว",
    ],
)  # fmt: skip
def test_a_message_of_success_is_recognised(text: str) -> None:
    assert reports_success(text)


@pytest.mark.parametrize(
    "text",
    [
        "Not saved",
        "Could not be sent",
        "Someone else has this name",
        "Nicht gespeichert",
        "3 of 7",
        "Validity",
        "",
    ],
)
def test_a_failure_and_any_other_text_are_not(text: str) -> None:
    assert not reports_success(text)


def test_a_long_text_is_no_message() -> None:
    assert not reports_success("Saved. " + "x" * MAX_TEXT)
