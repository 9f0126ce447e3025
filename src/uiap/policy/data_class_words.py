"""Words that say what kind of private value a field holds, in several languages.

A pattern is written in lower case without accents, because names are compared in that form. Japanese, Chinese and
Korean have no spaces between words, so their words are searched inside of a name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TypeAlias

WordsByLanguage: TypeAlias = dict[str, tuple[str, ...]]

CREDENTIAL: WordsByLanguage = {
    "en": (
        "pass(?:word|words|code|phrase)", "pwd", "passwd", "pin(?: code)?", "otp", "totp", "tan",
        "one-?time (?:code|password|pin)",
        "(?:verification|authentication|authenticator|recovery|backup|2fa|mfa|sms|security|login|access|unlock) code",
        "api ?key", "secret", "(?:access|auth|bearer|refresh) token", "private key", "seed phrase", "recovery phrase",
    ),
    "de": (
        "passw(?:ort|oerter)", "kennwort", "einmal(?:code|passwort|kennwort)", "bestaetigungscode",
        "geheimzahl", "zugangscode",
        "sicherheitscode", "freischaltcode", "api-?schluessel", "zugangsschluessel", "zugangsdaten",
    ),
    "fr": (
        "mots? de passe", "code (?:secret|confidentiel|pin|de verification|de securite|d.acces|sms)",
        "cle (?:api|secrete|privee)",
        "phrase secrete", "jeton d.acces",
    ),
    "es": (
        "contrasenas?", "clave(?: de acceso| secreta| privada)?",
        "codigo (?:de verificacion|de seguridad|de acceso|sms|pin)", "frase secreta",
    ),
    "it": (
        "parola d.ordine", "codice (?:di verifica|di sicurezza|di accesso|segreto|pin)",
        "chiave (?:api|segreta|privata)", "parola segreta",
    ),
    "pt": (
        "senhas?", "palavra-?passe", "codigo de (?:verificacao|seguranca|acesso)",
        "chave (?:secreta|privada|de api)",
    ),
    "nl": (
        "wachtwoord(?:en)?", "toegangscode", "verificatiecode", "beveiligingscode", "pincode",
        "geheime (?:code|sleutel)", "api-?sleutel",
    ),
    "pl": ("hasl[oa]", "kod (?:weryfikacyjny|dostepu|pin|sms|jednorazowy)", "klucz (?:api|prywatny)"),
    "tr": ("sifre(?:niz|si)?", "parola(?:niz)?", "dogrulama kodu", "guvenlik kodu", "gizli anahtar"),
    "ru": (
        "парол[ьяею]", "код (?:подтверждения|доступа|безопасности|из смс)", "пин-?код", "секретныи ключ",
        "кодовое слово",
    ),
    "ja": ("パスワード", "暗証番号", "認証コード", "確認コード", "秘密鍵", "合言葉", "パスコード", "ワンタイム"),
    "zh": ("密码", "密碼", "口令", "验证码", "驗證碼", "动态码", "私钥", "私鑰", "密钥", "密鑰", "助记词"),
    "ko": ("비밀번호", "암호", "인증번호", "인증 코드", "인증코드", "비밀 키", "비밀키", "보안 코드", "보안코드"),
}  # fmt: skip

PAYMENT: WordsByLanguage = {
    "en": (
        "card ?number", "credit ?card", "debit ?card", "cvv2?", "cvc2?", "csc", "iban", "security code",
        "(?:bank )?account number",
        "routing number", "sort code", "expir(?:y|ation) date",
    ),
    "de": (
        "karten-?nummer", "kreditkarte(?:nnummer)?", "pruefziffer", "kontonummer", "bankverbindung",
        "bankleitzahl",
    ),
    "fr": (
        "numero de (?:carte|compte)", "carte (?:bancaire|de credit)", "cryptogramme", "code de securite", "rib",
        "date d.expiration",
    ),
    "es": ("numero de (?:la )?(?:tarjeta|cuenta)", "tarjeta de (?:credito|debito)", "fecha de caducidad"),
    "it": ("numero (?:della |di )?(?:carta|conto)", "carta di credito", "codice cvv", "data di scadenza"),
    "pt": ("numero (?:do |da )?(?:cartao|conta)", "cartao de (?:credito|debito)", "data de validade"),
    "nl": ("kaartnummer", "creditcard(?:nummer)?", "rekeningnummer", "vervaldatum"),
    "pl": ("numer (?:karty|konta|rachunku)", "karta kredytowa", "data waznosci"),
    "tr": ("kart numarasi", "kredi karti", "hesap numarasi", "son kullanma tarihi"),
    "ru": ("номер (?:карты|счета)", "кредитная карта", "срок деиствия"),
    "ja": ("カード番号", "クレジットカード", "口座番号", "セキュリティコード", "有効期限"),
    "zh": ("卡号", "卡號", "信用卡", "银行卡", "銀行卡", "账号", "帳號", "安全码", "安全碼", "有效期"),
    "ko": ("카드번호", "카드 번호", "신용카드", "계좌번호", "계좌 번호", "유효기간"),
}  # fmt: skip

HEALTH: WordsByLanguage = {
    "en": (
        "diagnos(?:is|e|es)", "medications?", "blood (?:type|group)", "medical", "allerg(?:y|ies)",
        "disabilit(?:y|ies)",
    ),
    "de": ("diagnosen?", "medikamente?", "blutgruppe", "krankheit(?:en)?", "allergien?", "behinderung"),
    "fr": ("diagnostic", "medicaments?", "groupe sanguin", "maladies?", "allergies?"),
    "es": ("diagnostico", "medicamentos?", "grupo sanguineo", "enfermedad(?:es)?", "alergias?"),
    "it": ("diagnosi", "farmaci", "gruppo sanguigno", "malatti[ae]", "allergi[ae]"),
    "pt": ("diagnostico", "medicamentos?", "tipo sanguineo", "doencas?", "alergias?"),
    "nl": ("diagnose", "medicijnen", "bloedgroep", "ziekte", "allergieen"),
    "pl": ("diagnoza", "leki", "grupa krwi", "choroba", "alergie"),
    "tr": ("teshis", "ilaclar", "kan grubu", "hastalik", "alerji(?:ler)?"),
    "ru": ("диагноз", "лекарства", "группа крови", "болезнь", "аллергия"),
    "ja": ("診断", "血液型", "病歴", "服薬", "アレルギー"),
    "zh": ("诊断", "診斷", "血型", "病史", "过敏", "過敏", "用药"),
    "ko": ("진단", "혈액형", "병력", "알레르기", "복용"),
}  # fmt: skip

SENSITIVE: WordsByLanguage = {
    "en": (
        "ssn", "social security", "passport (?:number|no)", "tax (?:id|number)", "driver.?s? licen[cs]e",
        "national (?:id|insurance)",
        "id card number", "mother.?s maiden name", "security (?:answer|question)",
    ),
    "de": (
        "sozialversicherungsnummer", "steuer(?:nummer|-?id)", "ausweisnummer", "personalausweis",
        "reisepass(?:nummer)?",
        "sicherheitsfrage", "fuehrerschein(?:nummer)?",
    ),
    "fr": ("numero (?:de securite sociale|fiscal|de passeport)", "carte d.identite", "permis de conduire"),
    "es": ("dni", "nie", "numero de (?:la )?seguridad social", "pasaporte", "nif"),
    "it": ("codice fiscale", "carta d.identita", "passaporto", "patente"),
    "pt": ("cpf", "nif", "numero de contribuinte", "passaporte", "cartao de cidadao"),
    "nl": ("bsn", "burgerservicenummer", "paspoortnummer", "rijbewijs(?:nummer)?"),
    "pl": ("pesel", "nip", "numer (?:dowodu|paszportu)"),
    "tr": ("tc kimlik(?: no)?", "kimlik numarasi", "pasaport numarasi", "vergi numarasi"),
    "ru": ("инн", "снилс", "паспорт", "номер паспорта"),
    "ja": ("マイナンバー", "個人番号", "パスポート番号", "運転免許"),
    "zh": ("身份证", "身分證", "护照", "護照", "社保号", "税号"),
    "ko": ("주민등록번호", "주민 등록 번호", "여권번호", "운전면허"),
}  # fmt: skip

WITHOUT_SPACES = frozenset({"ja", "zh", "ko"})
"""Languages whose words are searched inside of a name."""

DATA_CLASS_WORDS: dict[str, WordsByLanguage] = {
    "credential": CREDENTIAL,
    "payment": PAYMENT,
    "health": HEALTH,
    "sensitive": SENSITIVE,
}
"""Data classes of a field whose name has these words."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ı": "i", "ł": "l", "ø": "o"})
_GAP = r"(?:\W+\w+){0,2}?\W+"
"""A space of a pattern also matches up to two other words in between."""
MAX_NAME = 500
"""Only the beginning of a longer name is searched."""


def fold(text: str) -> str:
    """Return the text in lower case without accents, with umlauts written out."""
    plain = text.casefold().translate(_UMLAUTS)
    if plain.isascii():
        return plain
    parts = unicodedata.normalize("NFKD", plain)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _pattern(words: WordsByLanguage) -> re.Pattern[str]:
    spaced = [w for language, them in words.items() if language not in WITHOUT_SPACES for w in them]
    inside = [fold(w) for language in sorted(WITHOUT_SPACES) for w in words.get(language, ())]
    whole = "|".join(word.replace(" ", _GAP) for word in spaced)
    return re.compile(rf"(?<!\w)(?:{whole})(?!\w)|{'|'.join(inside)}")


_PATTERNS = tuple((kind, _pattern(words)) for kind, words in DATA_CLASS_WORDS.items())


def classes_in(name: str) -> tuple[tuple[str, str], ...]:
    """Return the data classes that the name of a field suggests, each with the words that do."""
    text = fold(name[:MAX_NAME])
    found = ((kind, pattern.search(text)) for kind, pattern in _PATTERNS)
    return tuple((kind, match.group()) for kind, match in found if match is not None)
