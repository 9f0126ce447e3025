"""Words of failure in messages of a page, in the languages that policy knows. Knows words only.

A message that contains one reports a failure, whatever else it says: success words in it do not help. Phrases that
deny a failure ("no errors", "ohne Fehler") do not count.
"""

from __future__ import annotations

import re

_ERROR_WORDS = {
    "English": r"""
        errors? | fail(?:ed|ure|s)? | invalid | declin(?:ed|es) | denied | reject(?:ed|s|ion)? | refused |
        (?:could|can|was|were|is|are|has|have|did|does|do)(?: not|n[’']?t) (?:be )?\w+ | cannot | unable to |
        incorrect |
        not (?:saved|sent|found|allowed|valid|accepted|possible|available|permitted|authori[sz]ed) | expired |
        try again | already (?:exists?|taken|in use|used) | conflict | forbidden | unauthori[sz]ed | oops |
        something went wrong | went wrong | timed? ?out | is required | are required |
        must (?:be|have|contain|not) | too (?:short|long|large|many|small|few) | exceed(?:ed|s) |
        insufficient | no longer | aborted | unavailable | at most | at least \d+ | no more than \d+ |
        (?:limit|maximum|quota) (?:reached|exceeded|of|is) | sold out | out of stock | fully booked | not enough |
        none left | already (?:has|have|registered|booked|voted|reserved) |
        part of the \w+ plan | (?:sign|log) in again | (?:must|please) (?:sign|log) in |
        please (?:enter|correct|fill|choose|select|provide|check)
    """,
    "German": r"""
        fehler\w* | fehlgeschlagen | ungueltig\w* | ungültig\w* | abgelehnt | verweigert |
        nicht (?:gespeichert|gesendet|gefunden|erlaubt|möglich|moeglich|verfügbar|verfuegbar|gültig) |
        konnten? nicht | kann nicht | abgelaufen | erneut versuchen | bereits (?:vorhanden|vergeben) |
        höchstens | mindestens \d+ | ausverkauft | nicht genug | nicht genügend | bereits (?:registriert|gebucht) |
        ausgebucht | falsch\w* | pflichtfeld | erforderlich | bitte (?:geben|wählen|prüfen|füllen) | misslungen |
        gescheitert
    """,
    "French": r"""
        erreurs? | échec\w* | échou\w+ | invalides? | refusée?s? | impossible | n[’']a pas pu |
        n[’']ont pas pu | obligatoires? | expirée? | réessayer | existe déjà | introuvable | incorrecte? |
        au (?:plus|maximum|moins) \d+ | épuisée?s?
    """,
    "Spanish": r"""
        errores | fall[oó] | fallid[oa]s? | inv[aá]lid[oa]s? | rechazad[oa]s? | denegad[oa]s? |
        no se (?:pudo|ha podido|puede)\w* | obligatori[oa]s? | caducad[oa] | vuelva a intentarlo | ya existe |
        incorrect[oa]s? | como máximo | al menos \d+ | agotad[oa]s?
    """,
    "Italian": r"""
        errore | errori | fallit[oa] | non valid[oa] | rifiutat[oa] | negat[oa] | impossibile |
        non è stato possibile | obbligatori[oa] | scadut[oa] | riprova\w* | esiste già | al massimo |
        almeno \d+ | esaurit[oaie]
    """,
    "Portuguese": r"""
        erros? | falha\w* | falhou | inválid[oa]s? | recusad[oa] | negad[oa] | não foi possível |
        obrigatóri[oa] | expirad[oa] | tente novamente | já existe | incorret[oa] | no máximo |
        pelo menos \d+ | esgotad[oa]s?
    """,
    "Dutch": r"""
        fout\w* | mislukt | ongeldig\w* | geweigerd | afgewezen | kon niet | kan niet | verplicht | verlopen |
        probeer \w+ opnieuw | bestaat al | hoogstens | minstens \d+ |
        uitverkocht | niet (?:opgeslagen|gevonden|toegestaan)
    """,
    "Polish": r"""
        błąd\w* | błęd\w+ | nieprawidłow\w+ | nie udało się | nie można | odrzucon\w+ | odmówion\w+ |
        wymagan\w+ | wygasł\w* | spróbuj ponownie | już istnieje | co najwyżej |
        co najmniej \d+ | wyprzedan\w+
    """,
    "Turkish": r"""
        hata\w* | başarısız | geçersiz | reddedildi | yapılamadı | kaydedilemedi | zorunlu\w* | süresi doldu |
        tekrar deneyin | zaten (?:var|mevcut) | bulunamadı | en fazla \d+ | en az \d+ |
        tükendi
    """,
    "Russian": r"""
        ошибк\w+ | неверн\w+ | недопустим\w+ | отклонен\w* | отклонён\w* | отказано | не удалось |
        невозможно | обязательн\w+ | истек\w* | истёк\w* | попробуйте (?:снова|ещё раз|еще раз) |
        уже существует | не найден\w* | не более \d+ | не менее \d+ | распродан\w*
    """,
}
"""Regular expressions for whole words, separated by ` | `."""
_ERROR_PARTS = {
    "Japanese": """
        エラー | 失敗 | 無効 | 拒否 | できません | 必須 | 期限切れ | 見つかりません | もう一度 | 不正 |
        入力してください | 売り切れ | 在庫切れ | できませんでした
    """,
    "Chinese": """
        错误 | 失败 | 无效 | 被拒绝 | 拒绝 | 无法 | 不能为空 | 必填 | 已过期 | 已存在 | 请重试 | 未找到 |
        錯誤 | 無效 | 無法 | 售罄 | 缺货
    """,
    "Korean": """
        오류 | 실패 | 유효하지 | 거부 | 거절 | 할 수 없습니다 | 필수 | 만료 | 이미 존재 | 다시 시도 |
        찾을 수 없 | 잘못된 | 품절
    """,
}
"""Texts of languages without spaces between words, found anywhere."""


def _alternatives(tables: dict[str, str]) -> list[str]:
    return [word.strip() for table in tables.values() for word in " ".join(table.split()).split(" | ")]


_DENIALS = re.compile(
    r"\b(?:no|0|zero|without|keine?|ohne|sans|aucune?|sin|senza|nessun|sem|nenhum|geen|zonder|bez|brak|без|нет)\s+"
    r"(?:any\s+)?(?:errors?|failures?|fehler\w*|erreurs?|errores|errori|erros?|fouten|błęd\w+|ошибок)\b"
    r"|error[- ]free|fehlerfrei|hatasız|エラーなし|没有错误|无错误|오류 없",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    rf"(?<!\w)(?:{'|'.join(_alternatives(_ERROR_WORDS))})(?!\w)|{'|'.join(_alternatives(_ERROR_PARTS))}",
    re.IGNORECASE,
)
MAX_TEXT = 400
"""Longer texts are articles or logs, not messages."""


def reports_failure(text: str) -> bool:
    """Return whether a message reports a failure."""
    return bool(failure_words(text))


def failure_words(text: str) -> list[str]:
    """Return the words of failure in a message, in their order."""
    if len(text) > MAX_TEXT:
        return []
    return [found[0] for found in _FAILURE.finditer(_DENIALS.sub(" ", text))]
