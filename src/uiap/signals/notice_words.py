"""Words of the buttons and first sentences of dialogs. Knows words only."""

from __future__ import annotations

import re

from uiap.signals.error_words import reports_failure
from uiap.signals.limiting_words import limits

_WITHDRAWING = re.compile(
    r"^\W*(?:|x|clos\w*|dismiss|not yet|don[’']?t \w+|cancel|not now|later|maybe later|no|no,? thanks|"
    r"back|go back|hide|keep(?: \w+)*|stay(?: \w+)*|"
    r"schlie(?:ß|ss)en|abbrechen|nein|zurück|später|fermer|annuler|non|retour|plus tard|cerrar|cancelar|"
    r"volver|ahora no|chiudi|annulla|indietro|fechar|não|voltar|sluiten|annuleren|nee|terug|zamknij|anuluj|nie|wstecz|"
    r"kapat|iptal|vazgeç|hayır|geri|закрыть|отмена|нет|назад|stäng|avbryt|nej|luk|annuller|lukk|nei|sulje|peruuta|ei|"
    r"zavřít|zrušit|ne|zpět|bezárás|mégse|nem|închide|anulează|nu|κλείσιμο|άκυρο|όχι|закрити|скасувати|ні|đóng|hủy|"
    r"tutup|batal|إغلاق|إلغاء|סגור|ביטול|बंद करें|रद्द करें|ปิด|ยกเลิก|"
    r"閉じる|キャンセル|いいえ|戻る|关闭|取消|返回|닫기|취소|아니요)\W*$",
    re.IGNORECASE,
)
_PROCEEDING = re.compile(
    r"\b(?:ok|okay|yes|confirm|continue|proceed|go on|discard|leave|replace|overwrite|delete|remove|agree|accept|"
    r"i understand|i am sure|do it|anyway|ja|jawohl|bestätigen|weiter|fortfahren|verwerfen|verlassen|ersetzen|löschen|"
    r"oui|confirmer|continuer|supprimer|sí|aceptar|confirmar|continuar|eliminar|descartar|sì|conferma|continua|elimina|"
    r"sim|excluir|bevestigen|doorgaan|verwijderen|tak|potwierdź|kontynuuj|usuń|evet|onayla|devam|tamam|sil|да|подтвердить|"
    r"продолжить|удалить|ок|fortsätt|bekräfta|fortsæt|bekræft|fortsett|bekreft|kyllä|jatka|vahvista|ano|potvrdit|"
    r"pokračovat|igen|folytatás|da|confirmă|continuă|ναι|επιβεβαίωση|так|підтвердити|có|xác nhận|ya|lanjut\w*)\b"
    r"|はい|続行|確認|同意|是|确定|确认|继续|예|확인|계속|نعم|تأكيد|כן|אישור|हाँ|ठीक|ใช่|ตกลง|ยืนยัน",
    re.IGNORECASE,
)
_WAY_OUT = re.compile(
    r"\b(?:upgrad\w*|go pro|see plans|view plans|choose a plan|pricing|subscribe|sign in|log in|sign up|retry|"
    r"contact\w*|support|request access|learn more|see other\w*|show other\w*|view other\w*|"
    r"anmelden|einloggen|tarif\w*|support|kontakt\w*|se connecter|nous contacter|iniciar sesión|contactar|accedi|"
    r"contatta|entrar|inloggen|contact opnemen|zaloguj|giriş|войти)\b"
    r"|ログイン|アップグレード|登录|升级|로그인|업그레이드",
    re.IGNORECASE,
)
_APOLOGY = re.compile(
    r"^\W*(?:(?:an? )?(?:unexpected |internal |server )*error|oops|sorry|uh[- ]oh|something went wrong|access denied|"
    r"permission denied|not allowed|forbidden|(?:ein )?fehler|entschuldigung|leider|zugriff verweigert|"
    r"erreur|désolée?|accès refusé|error|lo sentimos|acceso denegado|errore|spiacenti|accesso negato|erro|"
    r"desculpe|acesso negado|fout|helaas|toegang geweigerd|błąd|niestety|hata|üzgünüz|ошибка|извините|"
    r"エラー|申し訳|错误|抱歉|오류|죄송)(?:\W*$|\s*[:!,.;–—-]|(?<=[\u3040-\uffff]))",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:thanks?|thank you|welcome|available|valid|ok|okay|great|danke|vielen dank|willkommen|"
    r"verfügbar|gültig|merci|bienvenue|disponibles?|valide|gracias|list[oa]|bienvenid[oa]|válid[oa]|grazie|benvenut[oa]|"
    r"disponibil[ei]|valid[oa]|obrigad[oa]|bem-vind[oa]|disponíve(?:l|is)|bedankt|welkom|beschikbaar|geldig|dziękujemy|"
    r"witamy|dostępn\w+|teşekkür\w*|hoş geldiniz|uygun|geçerli|tamam\w*|спасибо|добро пожаловать|доступ\w+|tack|"
    r"mange tak|tak for|takk|kiitos|děkujeme|ďakujeme|köszönjük|mulțumim|ευχαριστούμε|дякуємо|cảm ơn|terima kasih|"
    r"ありがとう|利用可能|谢谢|可用|감사합니다|사용 가능)$",
    re.IGNORECASE,
)


def withdraws(name: str) -> bool:
    """Return whether a button only closes its dialog. A button without a name is an icon that closes."""
    return _WITHDRAWING.match(name) is not None


def proceeds(name: str) -> bool:
    """Return whether a button goes on with what its dialog is about."""
    return _PROCEEDING.search(name) is not None


def offers_way_out(name: str, target: str) -> bool:
    """Return whether a button offers something other than the control that opened its dialog: to upgrade, to retry."""
    other = _WAY_OUT.search(name) is not None or reports_failure(name) or limits(name)
    return other and _WAY_OUT.search(target) is None


def is_apology(sentence: str) -> bool:
    """Return whether the first sentence of a dialog can only be that of an error."""
    return _APOLOGY.match(sentence) is not None


def is_polite(word: str) -> bool:
    """Return whether a word of success only thanks or greets, and so may come before a refusal."""
    return _POLITE.match(word) is not None
