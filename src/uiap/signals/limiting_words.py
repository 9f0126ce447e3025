"""Words that limit: negations, restrictions, demands, alternatives. Knows words only.

Almost every refusal without a word of failure has one: "We have only 3 of these", "Someone else has this name".
Messages of success may have one too, so they decide only where a message is all that an action led to.
"""

from __future__ import annotations

import re

from uiap.policy.lexicon import meaning_of
from uiap.signals.error_words import MAX_TEXT, alternatives

_LIMITING_WORDS = {
    "English": r"""
        not | no | none | never | nothing | nobody | only | already | another | else | someone |
        somebody | other |
        others | different | instead | must | needs? | have to | has to | please | requires? | limit(?:ed|s)? |
        maximum | minimum | until | unless | before | tomorrow | full | closed | locked | ended |
        belongs | cannot |
        \w+n[’']t | without | more than | less than | fewer than | up to | at least | should |
        enough | again (?:in|at|on|after) | come back (?:in|at|on|after|next) | opens (?:at|on|next) |
        reserved | kept for | stopped (?:at|after) | still | remains? |
        first(?=[,.;]|$) | stays? | unchanged | anymore | max\.? |
        (?:was|were|been|is|are) (?:used|spoken for|given away|broken|dry)
    """,
    "German": r"""
        nicht | kein\w* | nur | schon | bereits | ander\w+ | bitte | muss | müssen | erst |
        maximal | mindest\w* |
        höchst\w* | voll | geschlossen | vorbei | statt\w* | jemand | solange | sollte\w* |
        wieder (?:in|um|am|ab) | genug | genügt | genügen | vorbehalten | immer noch | noch immer | weiterhin |
        bevor sie | unverändert | bleibt | prüfen sie
    """,
    "French": r"""
        pas | aucune? | déjà | seulement | uniquement | autres? | veuillez | doit | devez | maximum | minimum |
        limite | complet | fermée?s? | quelqu[’']un | jusqu[’'](?:à|au) | revenez | demain |
        à partir d\w+ | réservée?s? | suffi\w+ | toujours | reste\w* | inchangée?s? | avant de | vérifiez |
        corrigez | choisissez
    """,
    "Spanish": r"""
        no | ya | s[oó]lo | otr[oa]s? | debe\w* | máximo | mínimo | límite | complet[oa]s? |
        cerrad[oa]s? | alguien | vuelv[ae]n? | mañana | a partir de | reservad[oa]s? | bastan? | todavía | aún |
        sigue\w* | antes de | revis[ae] | compruebe | elija
    """,
    "Italian": r"""non | già | solo | altr[oaie] | deve | massimo | minimo | limite | chius[oa] | qualcuno |
        torna(?:te)? | domani | a partire da\w* | riservat[oaie] | bastano? | ancora | rimane | prima di |
        controlla\w* | verifica\w*
    """,
    "Portuguese": r"""
        não | já | só | apenas | somente | outr[oa]s? | deve\w* | limite | lotad[oa]s? | fechad[oa]s? | alguém |
        volt[ea]m? | amanhã | a partir d\w+ | reservad[oa]s? | bastam? | ainda | continua | antes de | verifique |
        confira
    """,
    "Dutch": r"""
        niet | geen | alleen | slechts | ander\w* | moet\w* | maximaal | minimaal | gesloten | iemand | eerst |
        morgen | vanaf | weer (?:om|over|op) | genoeg | gereserveerd | nog steeds | blijft | voordat | controleer
    """,
    "Polish": r"""
        nie | już | tylko | inn\w+ | musi\w* | maksymaln\w+ | minimaln\w+ | pełn\w+ | zamknięt\w+ | ktoś |
        jutro | wróć\w* | wystarcz\w+ | zarezerwowan\w+ | nadal | wciąż | pozostaje | zanim | sprawdź
    """,
    "Turkish": r"""
        değil | yok | zaten | sadece | yalnızca | başka | gerek\w* | lütfen | dolu | kapalı | yarın | yeter\w*
    """,
    "Russian": r"""
        не | нет | уже | только | друг\w+ | должн\w+ | нужно | максимум | минимум | пожалуйста |
        кто-то | закрыт\w* | завтра | достаточно | приходите | возвращайтесь
    """,
    "Swedish, Danish, Norwegian": r"""
        inte | ikke | ingen | inga | bara | endast | kun | redan | allerede | annan | annat |
        anden | andet | måste | skal | først |
        först | högst | mindst | minst | stängd | stängt | lukket | någon
    """,
    "Finnish": r"""
        ei | eivät | vain | toinen | toisen | täytyy | pitää | ensin | enintään | vähintään | suljettu
    """,
    "Czech, Slovak": r"""
        není | nie | jen | pouze | iba | již | už | jiný | jinou | jiné | iný | musí\w* | prosím |
        nejdřív\w* | nejprve | někdo |
        plně | zavřen\w*
    """,
    "Hungarian": r"""
        nem | nincs\w* | csak | már | másik | kell | előbb | legfeljebb | legalább | zárva | valaki
    """,
    "Romanian": r"""
        nu (?:este|sunt|mai|se|ai|aveți) | doar | numai | trebuie | mai întâi | maxim | minim |
        închis\w* | cineva
    """,
    "Greek": r"""δεν | μόνο | ήδη | άλλ\w+ | πρέπει | πρώτα | παρακαλ\w+ | κλειστ\w+ | κάποιος""",
    "Ukrainian": r"""не | немає | вже | лише | тільки | інш\w+ | потрібно | треба | спочатку | закрит\w*""",
    "Vietnamese": r"""không | chưa | chỉ | đã có | khác | phải | cần | vui lòng | tối đa | tối thiểu""",
    "Indonesian, Malay": r"""
        tidak | belum | hanya | sudah | lain | harus | perlu | silakan | maksimal | minimal | tutup
    """,
}
"""Regular expressions for whole words, separated by ` | `."""
_LIMITING_PARTS = {
    "Japanese": "ません | のみ | だけ | 別の | 他の | 必要 | ください | 満 | 明日 | 以降に",
    "Chinese": "不 | 没 | 仅 | 只能 | 其他 | 请 | 需要 | 最多 | 最少 | 满 | 明天 | 再来",
    "Korean": "않 | 없 | 이미 | 다른 | 필요 | 주세요 | 최대 | 최소 | 내일",
    "Arabic": "لا | ليس | فقط | بالفعل | آخر | يجب | أولا | يرجى | مغلق",
    "Hebrew": "לא | אין | רק | כבר | אחר | חייב | צריך | נא | סגור",
    "Hindi": "नहीं | केवल | सिर्फ | पहले | दूसर | ज़रूरी | कृपया | बंद",
    "Thai": "ไม่ | เท่านั้น | แล้ว | อื่น | ต้อง | กรุณา | โปรด | ปิด",
}
_DEMAND = (
    r"(?:^|[.!?:,;]\s+|\b(?:then|and|or)\s+)"
    r"(?:ask|use|select|choose|enter|pick|type|press|wait|sign in|log in|upgrade|try|come back)\b"
)
"""A sentence that begins with a demand asks for something else first."""
_LIMITS = re.compile(
    rf"(?<!\w)(?:{alternatives(_LIMITING_WORDS)})(?!\w)|{alternatives(_LIMITING_PARTS)}|{_DEMAND}",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\b(?:cop(?:y|ier|iar|ia)|kopier\w*|kopiuj|kopyala|download|herunterladen|télécharger|"
    r"descargar|scarica|baixar|"
    r"downloaden|pobierz|indir|export\w*|esporta|print|drucken|imprimer|imprimir|stampa|копировать|скачать)\b"
    r"|コピー|ダウンロード|印刷|下载|导出|复制|打印|다운로드|복사|인쇄",
    re.IGNORECASE,
)


_ADVANCING = re.compile(
    r"\b(?:continue|next|proceed|weiter|fortfahren|suivante?|continuer|siguiente|continuar|avanti|"
    r"continua|próxim[oa]|"
    r"avançar|volgende|verder|dalej|następn[ya]|ileri|devam|далее|продолжить)\b|次へ|続|下一步|继续|다음|계속",
    re.IGNORECASE,
)
_COMMITTING = re.compile(
    r"\b(?:boka|spara|skicka|köp|betala|beställ|ta bort|radera|lägg till|gem|bestil|køb|betal|slet|"
    r"tilføj|lagre|kjøp|bestill|"
    r"slett|legg til|tallenna|lähetä|varaa|osta|tilaa|poista|lisää|maksa|uložit|uložiť|odeslat|"
    r"odoslať|objednat|objednať|"
    r"koupit|kúpiť|zaplatit|zaplatiť|smazat|zmazať|přidat|pridať|rezervovat|rezervovať|mentés|"
    r"küldés|foglalás|vásárlás|"
    r"fizetés|törlés|hozzáadás|rendelés|salvează|trimite|rezervă|cumpără|plătește|șterge|adaugă|"
    r"comandă|αποθήκευση|"
    r"αποστολή|κράτηση|αγορά|πληρωμή|διαγραφή|προσθήκη|παραγγελία|зберегти|надіслати|забронювати|"
    r"купити|сплатити|"
    r"видалити|додати|замовити|lưu|gửi|đặt|mua|thanh toán|xóa|thêm|simpan|kirim|pesan|beli|bayar|"
    r"hapus|tambah)\b"
    r"|حفظ|إرسال|احجز|حجز|شراء|ادفع|حذف|إضافة|اطلب|שמור|שמירה|שלח|שליחה|הזמן|הזמנה|קנה|שלם|מחק|הוסף|"
    r"सहेजें|भेजें|बुक करें|खरीदें|"
    r"भुगतान करें|हटाएं|जोड़ें|บันทึก|ส่ง|จอง|ซื้อ|ชำระ|ลบ|เพิ่ม|สั่งซื้อ",
    re.IGNORECASE,
)
"""Names of controls in languages that the lexicon of policy does not have."""
_STARTING = re.compile(
    r"^\W*(?:book(?! of\b|ings?\b)|hire|join|enroll?|register|lock|sign(?! (?:in|up|out|on)\b)|claim|extend|"
    r"reschedule|hold|take|give|return(?! to\b)|rename|change (?!language|view|theme)\w+|change$|restore|vote|rate|"
    r"follow|subscribe|request|rent|reserve|transfer|renew|unlock|assign|invite|lend|swap|trade|charge|promote|demote|"
    r"(?:switch|change) (?:\w+ )?plan|check in|"
    r"increase|decrease|one (?:\w+ )?(?:more|less)|(?:hand|turn|send) in|"
    r"(?:turn|switch) (?:\w+ )?(?:on|off)|mute|unmute|"
    r"repetir|avvia|arresta|iniciar|lancer|démarrer|starten|einschalten|ausschalten|inschakelen)\b",
    re.IGNORECASE,
)
"""Verbs that only the first word of an English name can be: "Book room", but not "Rare book"."""
_SENTENCE_WORDS = 4
"""A shorter sentence ends with a full stop; without one it may be a heading or a cheer."""
_SENTENCE_LETTERS = 6
"""A sentence of a language without spaces has at least this many letters."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def promises_change(name: str) -> bool:
    """Return whether the name of a control promises more than a text: to save, send, order, delete or go on."""
    meaning = meaning_of(name)
    return bool(meaning.orders or meaning.asks) or any(
        one.search(name) for one in (_ADVANCING, _COMMITTING, _STARTING)
    )


_SEARCHING = re.compile(
    r"^\W*(?:search|find|look up|filter|show|suchen?|finden|anzeigen|filtern|recherch|cherch|trouver|afficher|filtrer|"
    r"busca|encontrar|mostrar|filtrar|cerca|trova|mostra|filtra|procurar|pesquisar|zoek|toon|szukaj|znajdź|pokaż|ara\b|"
    r"bul\b|найти|искать|поиск|показать|sök|søg|søk|etsi|hledat|keresés|caută)|検索|搜索|查找|검색",
    re.IGNORECASE,
)


def only_searches(name: str) -> bool:
    """Return whether a control only looks for something: nothing found is an answer."""
    return _SEARCHING.search(name) is not None


def promises_to_send(name: str) -> bool:
    """Return whether a control promises that something reaches others: a message, an order, a payment."""
    meaning = meaning_of(name)
    return any(one.kind in ("external_effect", "billing") for one in (*meaning.orders, *meaning.asks))


def goes_on(name: str) -> bool:
    """Return whether a control leads to a next step, which may show again what was entered."""
    return _ADVANCING.search(name) is not None


def is_statement(text: str) -> bool:
    """Return whether a text is a plain sentence. A number is a result, and a cheer is no refusal."""
    if len(text) > MAX_TEXT or re.search(r"\d", text) or text.rstrip().endswith(("!", "！")):
        return False
    letters = len(re.findall(r"\w", text))
    words = len(text.split()) + text.rstrip().endswith(".")
    return words >= _SENTENCE_WORDS or (_UNSPACED.search(text) is not None and letters >= _SENTENCE_LETTERS)


def limits(text: str) -> bool:
    """Return whether a message restricts, denies or demands something."""
    return len(text) <= MAX_TEXT and _LIMITS.search(text) is not None


_LATER = re.compile(
    r"\b(?:again|retry|try) (?:in|at|on|after|later|tomorrow)\b|\btomorrow\b|\blimit reached\b|"
    r"\bsold out\b|\bno longer\b|\b(?:opens?|back|öffnet|ouvre|abre|apre|opent|otwar\w+) "
    r"(?:again )?(?:at|on|in|um|am|ab|à|a la?s?|às|alle|om|op|o) |"
    r"\b(?:wieder|erneut) (?:in|um|am|ab) \d|\bausverkauft\b|\bà nouveau dans\b|\bdemain\b|\bépuisé\b|\bde nuevo en\b|"
    r"\bagotad[oa]\b|\bdi nuovo tra\b|\besaurit[oa]\b|\bnovamente em\b|\besgotad[oa]\b|\bweer over\b|\buitverkocht\b",
    re.IGNORECASE,
)


def postpones(text: str) -> bool:
    """Return whether the new label of a pressed control puts it off, or says that there is no more of it."""
    return _LATER.search(text) is not None


_ABOUT = re.compile(
    r"^\W*(?:about|help|faq|info\w*|instructions|guide|manual|glossary|legend|shortcuts|terms|conditions|rules|privacy|"
    r"legal|imprint|licen[cs]es?|what[’']?s new|how (?:it|this|to)|why|über|hilfe|hinweise|impressum|agb|datenschutz|"
    r"anleitung|à propos|aide|mentions légales|acerca|ayuda|aviso legal|condiciones|informazioni|aiuto|condizioni|"
    r"sobre|ajuda|termos|over ons|hulp|voorwaarden|o nas|pomoc|regulamin|hakkında|yardım|о нас|помощь|правила)\b"
    r"|ヘルプ|について|利用規約|帮助|关于|条款|도움말|소개",
    re.IGNORECASE,
)


def is_about_text(name: str) -> bool:
    """Return whether a control is there to show a text that says what holds anyway: help, rules, terms."""
    return _ABOUT.search(name) is not None


def promises_effect_outside(name: str) -> bool:
    """Return whether the name of a control promises a file, a copy or a print, so that a text alone is no effect."""
    return _OUTSIDE.search(name) is not None


def promises_effect(name: str, *, sent: bool) -> bool:
    """Return whether a control promises more than a text: by its name, or because its press sent something."""
    return promises_effect_outside(name) or promises_change(name) or (sent and not is_about_text(name))
