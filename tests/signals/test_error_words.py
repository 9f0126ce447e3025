"""Words of failure: found in many languages, not found in messages of success."""

from __future__ import annotations

import pytest

from uiap.signals.error_words import MAX_TEXT, reports_failure


@pytest.mark.parametrize(
    "text",
    [
        "Payment declined", "Error: no disk", "Could not save the video", "Title is required", "Upload failed",
        "Saved? No: the server rejected it", "This name is already taken", "Das Speichern ist fehlgeschlagen",
        "Ungültige Eingabe", "Échec de l'enregistrement", "No se pudo guardar", "Impossibile salvare",
        "Não foi possível salvar", "Opslaan mislukt", "Nie udało się zapisać",
        "Kaydedilemedi", "Не удалось сохранить",
        "保存に失敗しました", "保存失败", "저장에 실패했습니다", "Password must be at least 8 characters",
        "Session expired",
        "You don't have permission", "Please correct the error below.", "At most 4 per person", "Sold out",
        "You already have an account", "Höchstens 3 Plätze", "Au maximum 5 articles", "Please sign in again",
        "Det gick inte att spara", "Kunne ikke gemmes", "Tallennus epäonnistui",
        "Nepodařilo se uložit", "Sikertelen mentés",
        "Nu s-a putut salva", "Δεν ήταν δυνατή η αποθήκευση", "Не вдалося зберегти",
        "Không thể lưu", "Gagal menyimpan",
        "تعذر الحفظ", "השמירה נכשלה", "सहेजना विफल रहा", "บันทึกไม่สำเร็จ",
    ],
)  # fmt: skip
def test_a_message_of_failure_is_recognised(text: str) -> None:
    assert reports_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "Saved", "Video created", "3 items added to the cart", "Gespeichert", "Enregistré",
        "Guardado", "Salvato",
        "Salvo com sucesso", "Opgeslagen", "Zapisano", "Kaydedildi", "Сохранено", "保存しました", "已保存",
        "저장되었습니다",
        "No errors found", "Imported without errors", "0 errors, 12 rows", "Keine Fehler",
        "The book “Dune” was added.",
        "Your message has been sent", "Welcome back, Ann", "Copied to clipboard", "Undo", "You have 3 left",
        "Sparat", "Gemt", "Tallennettu", "Uloženo", "Elmentve", "Salvat", "Αποθηκεύτηκε",
        "Збережено", "Đã lưu", "Tersimpan",
        "تم الحفظ", "נשמר", "सहेजा गया", "บันทึกแล้ว",
    ],
)  # fmt: skip
def test_a_message_of_success_is_not(text: str) -> None:
    assert not reports_failure(text)


def test_a_long_text_is_no_message() -> None:
    assert not reports_failure("error " + "x" * MAX_TEXT)
