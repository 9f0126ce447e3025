"""Phrases that contain a word of failure and report none: "0 errors", "Failed jobs: 0", "Error log cleared".

Knows words only. A zero or a negation before or behind a failure denies it. So does a failure that was removed, fixed
or cleared. Warnings that something cannot be undone describe a success, too.
"""

from __future__ import annotations

import re

_NOUNS = (
    r"(?:errors?|fail(?:ed|ures?)|failing|problems?|issues?|conflicts?|violations?|warnings?|invalid|rejected|expired|"
    r"blocked|declined|fehler\w*|probleme?|konflikte?|warnungen|erreurs?|problèmes?|échecs?|avertissements?|errores|"
    r"error|fall[oa]s?|problemas?|errore|errori|problemi|erros?|falhas?|fouten|problemen|błęd\w+|problem[óo]w|hatal?\w*|"
    r"ошиб\w+|проблем\w*)"
)
_NONE = (
    r"(?:no|0|zero|without|none|nothing|not any|keine?|ohne|sans|aucune?|zéro|pas d[e’'] ?|sin|ningún|ninguna?|cero|"
    r"senza|nessun[oa]?|sem|nenhum[a]?|geen|zonder|bez|brak|żadnych|без|нет|sıfır)"
)
_GONE = (
    r"(?:cleared|fixed|resolved|removed|deleted|dismissed|emptied|corrected|reset|archived|acknowledged|solved|"
    r"gelöscht|geleert|behoben|korrigiert|gelöst|corrigée?s?|résolue?s?|effacée?s?|supprimée?s?|vidée?|"
    r"corregid[oa]s?|resuelt[oa]s?|borrad[oa]s?|eliminad[oa]s?|corrett[oaie]|risolt[oaie]|eliminat[oaie]|"
    r"corrigid[oa]s?|resolvid[oa]s?|opgelost|gewist|verwijderd|naprawion\w+|usunięt\w+|исправлен\w*|удал[её]н\w*|"
    r"giderildi|silindi|temizlendi)"
)
_FAULTS = (
    r"(?:errors?|conflicts?|failures?|problems?|issues?|fehler\w*|konflikte?|erreurs?|conflits?|errores|error|errori|"
    r"errore|erros?|fouten|foutmeldingen|błęd\w+|ошиб\w+)"
)
_DENIED_VERBS = (
    r"(?:fail(?:ed)?|reject(?:ed)?|declined?|denied|refused|blocked|expired?|exceed(?:ed)?|broken|scheitern|"
    r"verletzt)"
)
_FINAL = r"(?:undone|reversed|reverted|recovered|restored|taken back)"
_REFUSED = (
    r"(?:declined|rejected|blocked|denied|refused|abgelehnt|gesperrt|blockiert|refusée?s?|bloquée?s?|"
    r"rechazad[oa]s?|bloquead[oa]s?|rifiutat[oaie]|bloccat[oaie]|recusad[oa]s?|geweigerd|geblokkeerd)"
)
_PHRASES = (
    # a refusal from now on: "Payments above it will be declined"
    rf"\b(?:will(?: now)? be|(?:wird|werden)(?: \w+){{0,3}}|seront|sera|serán?|sarà|saranno|verrà|verranno|será|serão|"
    rf"(?:wordt|worden)(?: \w+){{0,3}}) {_REFUSED}\b",
    # "no validation errors", "0 failed", "keine offenen Fehler"
    rf"\b{_NONE}\s*(?:(?!longer|more)\w+\s+|of\s+\d+\s+)?{_NOUNS}\b(?!\s*:?\s*[1-9])",
    # "Failed jobs: 0", "errors (0)", "Fehler = 0", "Failed jobs: none"
    rf"\b{_NOUNS}(?:\s+\w+){{0,2}}\s*[:=(]\s*(?:0|none|keine|aucune?|ninguno|nessuno|nenhum|geen|brak|нет)\b(?=\s*(?:$|[.,;)|/·!](?!\d)))",
    # "Error log cleared: 3 errors removed", "Fehlerprotokoll gelöscht", "the errors were fixed"
    rf"\b{_FAULTS}(?:\s+(?!occurred|happened|while|when|during)[\w’']+){{0,4}}\s+{_GONE}\b",
    # "fixed 3 errors", "journal des erreurs vidé" is above
    rf"\b{_GONE}\s+(?:\w+\s+){{0,3}}{_FAULTS}\b",
    rf"\b(?:not|never|n[’']t|nicht|niemals|nothing|none|nichts)\s+(?:be\s+|been\s+|has\s+|have\s+)?{_DENIED_VERBS}\b",
    rf"\b(?:(?:did|does|do|was|is|are|has|have|will)(?:\s+not|n[’']t)|never)\s+(?:be\s+|been\s+)?{_DENIED_VERBS}\b",
    rf"\b(?:cannot|can(?:\s+not|[’']t)|could(?:\s+not|n[’']t))\s+be\s+{_FINAL}\b",
    r"kann nicht (?:mehr )?rückgängig gemacht werden|nicht (?:mehr )?rückgängig",
    r"ne (?:peut|pourra) (?:pas|plus) être annulée?|no se puede deshacer",
    r"não pode ser desfeit[oa]|non può essere annullat[oa]",
    r"\b(?:is|are)(?:\s+not|n[’']t)\s+(?:required|needed|necessary)\b",
    r"\bcan[’']t wait\b",
    r"\bn[’']est pas (?:nécessaire|requise?|obligatoire)\b|\bno es (?:necesario|obligatorio)\b|"
    r"\bnon è (?:necessario|obbligatorio)\b|\bnão é (?:necessário|obrigatório)\b|\bis niet (?:nodig|verplicht)\b|"
    r"\bnicht (?:nötig|erforderlich|notwendig)\b|\bnie jest (?:konieczne|wymagane)\b",
    r"\bno longer (?:required|needed|necessary|invalid)\b",
    r"\bplease check (?:your|the) (?:e-?mails?|inbox|mail ?box|phone|messages|spam\w*)\b|sorry to see you (?:go|leave)",
    r"error[- ]free|fehlerfrei|hatasız|fout(?:en)?loos",
    r"エラー(?:なし|は?ありません|はない)|エラー\s*[:：]?\s*0件?|問題(?:は|が)?ありません",
    r"没有(?:发现)?(?:任何)?(?:错误|问题)|无错误|未发现(?:错误|问题)|오류(?:가|는)? ?없|문제(?:가|는)? ?없",
)
_DENIALS = re.compile("|".join(f"(?:{one})" for one in _PHRASES), re.IGNORECASE)


def without_denials(text: str) -> str:
    """Return the text without the phrases that deny a failure."""
    return _DENIALS.sub(" ", text)


def denies_failure(text: str) -> bool:
    """Return whether a text contains a phrase that denies a failure."""
    return _DENIALS.search(text) is not None
