"""Texts about the deed that their control is named after: it was done, or it was not. Knows words only.

A control is named after a verb, and a report of success has its participle: "Blocked. This member can no longer write
to you" after "Block this member". A text that has the verb itself after "can" or "must" speaks of a deed that was not
done: "You can resend in 4 minutes". So these rules need no list of verbs, and they go before the words of failure.
"""

from __future__ import annotations

import re
import unicodedata

from uiap.signals.error_words import failure_words
from uiap.signals.success_words import is_by_others, success_words

STEM = 5
MIN_VERB = 4
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s+[–—·|]\s+")
_WORD = re.compile(r"[^\W\d_]+")
_REVERSING = re.compile(r"^(?:un|dis|de|ent|dé|des)-?(?=\w{4})")

# -- verbs and their participles ----------------------------------------------------------------------------

_IRREGULAR = {
    "begin": "begun", "bind": "bound", "break": "broken", "bring": "brought", "build": "built", "buy": "bought",
    "choose": "chosen", "cut": "cut", "do": "done", "draw": "drawn", "feed": "fed", "find": "found",
    "forget": "forgotten", "freeze": "frozen", "get": "got", "give": "given", "hide": "hidden", "hold": "held",
    "keep": "kept", "leave": "left",
    "lend": "lent", "make": "made", "pay": "paid", "put": "put", "read": "read", "redo": "redone", "resend": "resent",
    "run": "run", "sell": "sold", "send": "sent", "set": "set", "shut": "shut", "split": "split", "spend": "spent",
    "take": "taken", "undo": "undone", "win": "won", "withdraw": "withdrawn", "write": "written",
}  # fmt: skip
"""Participles of English verbs that do not end with -ed."""
_ENDING = re.compile(
    r"(?:e|en|ern|eln|er|ir|re|oir|ar|are|ere|ire|arsi|ć|ać|ić|yć|ować|mak|mek|ать|ить|еть|ти|a)$"
)
"""Endings of infinitives."""
_PARTICIPLE = re.compile(
    r"(?:ed|t|en|é|ée|és|ées|i|ie|is|u|ue|us|ad[oa]s?|id[oa]s?|at[oaie]|it[oaie]|ut[oaie]|s[oaie]|t[oaie]|d|"
    r"an[yaeo]|on[yaeo]|ony|ąt[yaeo]|ano|ono|ęto|ten|dı|di|du|dü|tı|ti|tu|tü|лен[оаы]?|ан[оаы]?|ен[оаы]?|т[оаы]?)$"
)
_PREFIX = re.compile(r"^(\w{0,5}?)ge(?=\w{3})")
"""The `ge` of German and Dutch participles, also behind a separable prefix: `abgemeldet`."""


def is_participle_of(word: str, verb: str) -> bool:
    """Return whether a word says that the verb was done: `blocked` of `block`, `gelöscht` of `löschen`."""
    if _IRREGULAR.get(verb) == word:
        return True
    if word == verb or len(verb) < 3 or _PARTICIPLE.search(word) is None:
        return False
    stem = _ENDING.sub("", verb) if len(verb) > MIN_VERB else verb
    plain = _PREFIX.sub(r"\1", word)
    return len(stem) >= 3 and any(one.startswith(stem[: max(3, len(stem) - 1)]) for one in (word, plain))


def is_deed_of(word: str, target: str) -> bool:
    """Return whether a word is the participle of one of the words of a control: `posted` of `Post comment`."""
    key = _plain(word)
    return any(_is_form_of(key, name) for name in _WORD.findall(_plain(target)))


def _plain(text: str) -> str:
    """Return a text in lower case and without accents, as the members of answers are written."""
    letters = unicodedata.normalize("NFD", text.lower())
    return "".join(one for one in letters if not unicodedata.combining(one))


def share_stem(word: str, name: str) -> bool:
    """Return whether two words are forms of one.

    A phrase such as `not saved` denies what `Save` is about, and `is not following` says what `Unfollow` is about.
    """
    if len(word.split()) > 1:
        reversed_verb = _REVERSING.sub("", name)
        return reversed_verb != name and share_stem(word.split()[-1], reversed_verb)
    return len(name) >= STEM - 1 and (word[:STEM] == name[:STEM] or name in word)


# -- texts --------------------------------------------------------------------------------------------------

_NEGATION = re.compile(
    r"\b(?:not|cannot|never|nobody|nothing|none|no|only|already|partly|partially|almost|\w+n[’']t|nicht|kein\w*|nur|"
    r"bereits|schon|niemand|teilweise|pas|aucune?|rien|seulement|déjà|jamais|nadie|nada|nunca|ya|s[oó]lo|non|nessun\w*|"
    r"solo|già|mai|não|nenhum\w*|apenas|já|niet|geen|alleen|reeds|nie|tylko|już|değil|sadece|zaten|не|нет|только|уже|"
    r"inte|ikke|ingen|bara|kun|redan|ei|vain|jen|pouze|již|nem|csak|már|nu|doar)\b|(?<![\d.,])0(?![\d.,:])",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(
    r"^(?:will|would|won[’']t|can(?:not|[’']t)?\b|no longer|may not|nicht mehr|ya no|non (?:è|sono) più|não \w+ mais|"
    r"niet meer|ne \w+ plus|ne (?:sera|seront|serez|pourr\w+) (?:pas|plus)|(?:wird|werden) (?:\w+ )?nicht|"
    r"no (?:se )?(?:les? )?\w+rán?\b|non (?:sarà|saranno|verrà|verranno)|não (?:será|serão)|(?:wordt|worden|zal) niet|"
    r"nie (?:zostanie|będzie)|kommer inte)",
    re.IGNORECASE,
)
"""Words of failure that say what holds from now on, because the deed was done."""
_MODAL = re.compile(
    r"\b(?:can|could|may|might|must|should|able to|try to|allowed to|possible to|wait(?:ing)? to|könn(?:en|t|ten)|"
    r"kannst|kann|dürfen|darf|müssen|muss|pouvez|peut|pourrez|devez|puedes?|podrá|debes?|può|puoi|potrai|deve|pode|poderá|kunt|"
    r"kan|mag|moet|możesz|można|musisz|можно|можете)\s+(?:\w+\s+){0,6}?$",
    re.IGNORECASE,
)


_PRESENT_MODAL = re.compile(
    r"^(?:kan|kunnen|kann|können|ne peut|ne peuvent|no puede|no pueden|non può|non possono|não pode|não podem|"
    r"nie można)\b",
    re.IGNORECASE,
)


def only_says_what_follows(text: str) -> bool:
    """Return whether all words of failure in a text say what holds from now on: "You will not get more letters"."""
    words = failure_words(text)
    return bool(words) and all(_CONSEQUENCE.match(word) or _PRESENT_MODAL.match(word) for word in words)


def is_about_target(text: str, target: str) -> bool:
    """Return whether all words of failure in a text are words of the target, such as `declined` of `Decline`."""
    names = re.findall(r"\w+", target.lower())
    words = [word.lower() for word in failure_words(text)]
    return bool(words) and all(any(_is_form_of(word, name) for name in names) for word in words)


def _is_form_of(word: str, name: str) -> bool:
    return share_stem(word, name) or is_participle_of(word, name)


def tells_deed(text: str, target: str) -> bool:
    """Return whether a text says that the target's deed was done, and then at most what follows from it."""
    first, *rest = [one for one in _SENTENCE_END.split(text.strip()) if one] or [""]
    word, _, others = first.partition(" ")
    names = _WORD.findall(target.lower())
    if any(is_participle_of(word.lower().strip(".,:!"), name) for name in names) and not is_by_others(text):
        rest = [
            others,
            *rest,
        ]  # the state and the message may be one text: "Cancelled Your card will not be charged"
    elif not _says_done(first, target):
        return False
    words = [word for one in rest for word in failure_words(one)]
    return all(_CONSEQUENCE.match(word) or is_about_target(word, target) for word in words)


_TO_BE_DONE = re.compile(
    r"\b(?:have|has|need|needs|must|should|can|could|may|might|ought|be able)(?: to)? be\b|"
    r"\b(?:muss|müssen|kann|können|soll)\b|\b(?:doit|doivent|peut|peuvent) être\b|\b(?:debe|deben|puede|pueden) ser\b|"
    r"\b(?:deve|devono|può|possono) essere\b|\b(?:deve|devem|pode|podem) ser\b|\b(?:moet|moeten|kan|kunnen)\b",
    re.IGNORECASE,
)


def counts_none(text: str, target: str) -> bool:
    """Return whether a text says that the deed was done to none: "0 messages deleted" after "Delete selected"."""
    names = _WORD.findall(target.lower())
    words = _WORD.findall(text.lower())
    return re.match(r"\W*0\s+\w", text) is not None and any(
        is_participle_of(word, name) for word in words for name in names
    )


def _says_done(sentence: str, target: str) -> bool:
    if _NEGATION.search(sentence) or _TO_BE_DONE.search(sentence) or is_by_others(sentence):
        return False
    names = _WORD.findall(target.lower())
    done = any(
        is_participle_of(word, name)
        for word in _WORD.findall(sentence.lower())
        for name in names
        if word not in names
    )
    others = [word for word in failure_words(sentence) if not is_about_target(word, target)]
    return done and not others


def speaks_of_doing(text: str, target: str) -> bool:
    """Return whether a text says that the deed can, may or must be done: so it was not done."""
    verbs = [one for one in _WORD.findall(target.lower()) if len(one) >= MIN_VERB]
    low = text.lower()
    return any(
        _MODAL.search(low[: found.start()]) for verb in verbs for found in re.finditer(rf"\b{verb}\b", low)
    )


_LOOKING_FOR_FAULTS = re.compile(
    r"\b(?:check(?:s|ing)?\b(?! (?:out|in|box)\b)|valid|verif|test|lint|scan|analy|audit|inspect|diagnos|debug|proof|"
    r"prüf|überprüf|kontroll|vérifi|contrôl|comprob|revisar|controlla|controleer|sprawd|walid|провер|denetle)|検証|点検|检查|검사",
    re.IGNORECASE,
)
_FINDINGS = re.compile(
    r"\d+ (?:\w+ )?\w+ (?:found|detected|gefunden|erkannt|trouvée?s|encontrad[oa]s|trovat[ie]|gevonden)\b|"
    r"\d+ (?:\w+ )?(?:errors?|threats?|vulnerabilit\w+|violations?|conflicts?|duplicates?|mistakes?|typos?|failures?|"
    r"problems?|issues?|warnings?|fehler|probleme?|erreurs?|problèmes?|errores|problemas?|errori|problemi|erros|fouten|"
    r"problemen|błęd\w+|ошиб\w+)|(?:errors?|fehler|erreurs?)\s*[:(]\s*\d",
    re.IGNORECASE,
)


def looks_for_faults(target: str) -> bool:
    """Return whether a control looks for faults, such as `Run checks`: faults that it finds are its result."""
    return _LOOKING_FOR_FAULTS.search(target) is not None


def is_finding(text: str, target: str) -> bool:
    """Return whether a text counts the faults that a control looked for."""
    return looks_for_faults(target) and _FINDINGS.search(text) is not None


_OPPOSITES = (
    (r"on|an|ein", r"off|aus"), (r"start\w*|resume|run|play", r"stopped|paused|not running|gestoppt|angehalten"),
    (r"enable|activate|aktivieren|activer|activar|attiva|ativar", r"disabled|inactive|deaktiviert|désactivée?"),
    (r"open|öffnen|ouvrir|abrir|apri", r"closed|shut|geschlossen|fermée?|cerrad[oa]|chius[oa]|fechad[oa]"),
    (r"lock|verriegeln", r"unlocked|open|offen|entriegelt"), (r"unlock|entriegeln", r"locked|verriegelt"),
    (r"connect|verbinden|connecter|conectar", r"disconnected|offline|getrennt|déconnectée?|desconectad[oa]"),
    (r"mute", r"unmuted|live"), (r"publish|veröffentlichen", r"unpublished|draft|entwurf"),
)  # fmt: skip
"""Words in names of controls, and the words for a state that is the opposite of what they promise."""


def denies_state(text: str, target: str) -> bool:
    """Return whether a text begins with the state that the control was to end: "Off · window open" after "Turn on"."""
    name, low = target.lower(), text.strip().lower()
    return any(
        re.search(rf"\b(?:{wanted})\b", name) and re.match(rf"(?:still |noch )?(?:{other})\b", low)
        for wanted, other in _OPPOSITES
    )


def repeats_deed(text: str, target: str) -> bool:
    """Return whether a text without words of failure has a word of success that is a form of the target's words."""
    names = re.findall(r"\w+", target.lower())
    done = [word.lower() for word in success_words(text)]
    return not failure_words(text) and any(share_stem(word, name) for word in done for name in names)


_REMOVING = re.compile(
    r"^\W*(?:cancel|delet|remov|revok|unsubscrib|unfollow|leav|deactivat|disabl|clos|storn|lösch|entfern|abmeld|kündig|absag|"
    r"annul|supprim|retir|résili|désabonn|elimin|borr|quit|anul|disdic|rimuov|exclu|remov|annuler|verwijder|opzegg|usuń|"
    r"anuluj|iptal|sil|kaldır|отмен|удал|avbok|ta bort|slet|fjern|annull|peru|poist|zruš|smaz|töröl|lemond|"
    r"削除|取消|キャンセル|解約|删除|移除|삭제|취소|해지)",
    re.IGNORECASE,
)


def removes(target: str) -> bool:
    """Return whether the name of a control promises that something will be gone."""
    return _REMOVING.match(target) is not None


def tells_removal(text: str, target: str) -> bool:
    """Return whether a message begins with the removal that the target names: what is no longer there, was removed."""
    if not removes(target):
        return False
    first = re.split(r"(?<=[.!?。])\s*", text.strip(), maxsplit=1)[0]
    return repeats_deed(first, target)


def reports_done(text: str, target: str) -> bool:
    """Return whether a text says by the target's own verb that it was done."""
    return tells_deed(text, target) or tells_removal(text, target)


def refuses(text: str, target: str) -> bool:
    """Return whether a text reports a failure, and not the deed of the target itself."""
    if not failure_words(text) or is_about_target(text, target):
        return False
    return not (reports_done(text, target) or is_finding(text, target))
