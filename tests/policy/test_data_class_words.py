"""Names of private fields are recognised in several languages, and ordinary names are not private."""

from __future__ import annotations

import pytest

from uiap.policy.data_class_words import DATA_CLASS_WORDS, classes_in
from uiap.policy.inference import identifier_words

PRIVATE = {
    "credential": (
        "Password", "New password (8 characters)", "Passwort", "Mot de passe", "Contraseña", "Senha", "Palavra-passe",
        "Wachtwoord", "Hasło", "Şifreniz", "Пароль", "パスワードを入力", "请输入密码", "비밀번호", "Codice di verifica",
        "One-time code", "PIN", "Code confidentiel", "Пин-код", "验证码", "인증번호", "API key", "Секретный ключ",
    ),
    "payment": (
        "Card number", "Numéro de carte", "Número de tarjeta", "Numero della carta", "Número do cartão", "Kaartnummer",
        "Numer karty", "Kart numarası", "Номер карты", "カード番号", "卡号", "카드 번호", "CVC", "IBAN", "Kontonummer",
    ),
    "health": ("Diagnosis", "Diagnóstico", "Groupe sanguin", "Kan grubu", "Диагноз", "血液型", "过敏史", "혈액형"),
    "sensitive": ("Steuernummer", "Codice fiscale", "PESEL", "CPF", "BSN", "СНИЛС", "マイナンバー", "身份证号码"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in PRIVATE.items() for name in names]
)
def test_the_name_of_a_private_field_is_recognised(kind: str, name: str) -> None:
    assert kind in dict(classes_in(name))


@pytest.mark.parametrize(
    "identifier", ["userPassword", "card_number", "cardNumber", "login.passwd", "mot-de-passe"]
)
def test_an_identifier_is_recognised(identifier: str) -> None:
    assert classes_in(identifier_words(identifier))


@pytest.mark.parametrize(
    "name",
    (
        "Title", "Search", "Name", "Pinboard", "Compass", "Titre", "Título", "Titolo", "Naam", "Tytuł", "Başlık",
        "Название", "タイトル", "标题", "제목", "Kommentar", "Quantity", "E-mail", "Passenger", "Spinning wheel",
    ),
)  # fmt: skip
def test_an_ordinary_name_is_not_private(name: str) -> None:
    assert classes_in(name) == ()


def test_every_class_has_words_in_every_language() -> None:
    languages = {frozenset(words) for words in DATA_CLASS_WORDS.values()}
    assert len(languages) == 1
    assert len(next(iter(languages))) == 13
