"""Words that limit: they occur in refusals that have no word of failure."""

from __future__ import annotations

import pytest

from uiap.signals.limiting_words import is_statement, limits, promises_change, promises_effect_outside


@pytest.mark.parametrize(
    "text",
    [
        "We have only 3 of these", "Someone else has this name", "There is another team called Core",
        "Select the code and press Ctrl+C", "Two colleagues are away. Ask your manager", "Nur für Mitglieder",
        "Es gibt schon eine Kasse", "Uniquement pour les abonnés", "Solo para socios", "Solo per i soci",
        "Apenas para sócios", "Alleen voor leden", "Tylko dla członków", "Sadece üyeler için",
        "Только для членов",
        "会員のみ", "仅限会员", "회원이 필요",
    ],
)  # fmt: skip
def test_a_restriction_a_demand_or_an_alternative_limits(text: str) -> None:
    assert limits(text)


@pytest.mark.parametrize(
    "text", ["Your export is being prepared", "12.5 miles", "Order 4711", "Paris", "x " * 300]
)
def test_a_plain_result_does_not(text: str) -> None:
    assert not limits(text)


@pytest.mark.parametrize(
    ("name", "promised"),
    [("Copy code", True), ("Export contacts", True), ("Télécharger", True), ("印刷", True), ("Save", False)],
)
def test_some_names_promise_an_effect_outside_of_the_page(name: str, promised: bool) -> None:
    assert promises_effect_outside(name) is promised


@pytest.mark.parametrize(
    ("name", "promised"),
    [
        ("Save", True),
        ("Continue", True),
        ("Weiter", True),
        ("次へ", True),
        ("Löschen", True),
        ("Show hint", False),
    ],
)
def test_some_names_promise_more_than_a_text(name: str, promised: bool) -> None:
    assert promises_change(name) is promised


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("The terms come first.", True), ("该商品即将下架处理", True), ("Total 40 €", False),
        ("Welcome back, Ann!", False), ("In basket", False), ("x " * 300, False),
    ],
)  # fmt: skip
def test_a_plain_sentence_is_no_number_and_no_cheer(text: str, states: bool) -> None:
    assert is_statement(text) is states
