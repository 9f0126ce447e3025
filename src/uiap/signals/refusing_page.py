"""Pages that an action leads to and that say no with status 200: an error page, or a request to sign in again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from uiap.graph.names import normalised
from uiap.signals.contradiction import (
    CONTENT_TEXT_ROLES,
    MAX_INLINE,
    PageChange,
)
from uiap.signals.deed import is_about_target, only_says_what_follows, refuses, reports_done
from uiap.signals.error_words import only_denies_failure
from uiap.signals.limiting_words import is_statement, limits
from uiap.signals.notice_words import is_polite
from uiap.signals.refusal import refusal_in
from uiap.signals.success_words import reports_success, success_words
from uiap.signals.verdict import Attribution
from uiap.spec.web import ElementNode

MAX_CONTROLS = 12
"""An error page has few controls. A page with more shows something."""
_ERROR_HEADING = re.compile(
    r"^\W*(?:(?:oops|uh[- ]oh|ouch|sorry)\b|(?:an |internal |server |unexpected )*(?:server )?error\b|"
    r"something went wrong|nothing (?:here|to see)|hier ist nichts|rien ici|"
    r"[45]\d\d(?=\W*(?:$|error|not|internal|bad|forbidden|server|service|page))|"
    r"(?:page )?not found|access denied|forbidden|bad request|"
    r"(?:service |temporarily )+unavailable|(?:this|the) page (?:isn.t|is not|could not|can.t)|"
    r"(?:interner )?(?:server)?fehler\b|seite nicht gefunden|zugriff verweigert|"
    r"(?:une )?erreur\b|page (?:introuvable|non trouvée)|accès refusé|"
    r"error del servidor|página no encontrada|acceso denegado|algo salió mal|"
    r"errore\b|pagina non trovata|accesso negato|erro\b|página não encontrada|acesso negado|"
    r"fout\b|pagina niet gevonden|błąd\b|nie znaleziono|hata\b|sayfa bulunamadı|ошибка|страница не найдена|"
    r"エラー|ページが見つかりません|错误|页面不存在|오류|페이지를 찾을 수 없)",
    re.IGNORECASE,
)


def refusal_of_page(page: PageChange, *, wrote: bool) -> str | None:
    """Return the words with which the page that our input led to says no."""
    if (found := _error_heading(page)) or not wrote:
        return found
    again = _sign_in_again(page) or _says_no_again(page, tuple(page.store))
    return again or refusal_of_view(page) or _sells_plans(page) or _raw_refusal(page)


MAX_ANSWER = 500
"""A page with more plain text than this shows something, and does not only answer."""


def refusal_of_view(page: PageChange) -> str | None:
    """Return the sentence with which a page or view that has little text says no to a write."""
    texts = [node for node in page.store if node.role not in CONTENT_TEXT_ROLES]
    new = _new_sentences(texts, page)
    if sum(map(len, new)) > MAX_ANSWER or any(reports_done(one, page.target) for one in new):
        return None
    return next((one for one in new if _refuses(page, one) and not only_says_what_follows(one)), None)


def _new_sentences(nodes: Iterable[ElementNode], page: PageChange) -> list[str]:
    """Return the sentences that were neither on the page before nor in one of its fields."""
    known = " ".join(
        normalised(f"{one.name or ''} {one.text or ''} {one.state.text_value or ''}")
        for one in page.baseline["elements"].recorded()
    )
    return [one for one in _sentences(nodes) if normalised(one) not in known]


def _raw_refusal(page: PageChange) -> str | None:
    """Return the refusal of an answer that the browser shows as it came, because no script handled the form."""
    texts = [node.text for node in page.store if isinstance(node.text, str)]
    raw = texts[0] if len(texts) == 1 else ""
    return refusal_in(raw, "application/json") if raw.lstrip().startswith("{") else None


_PLANS = re.compile(
    r"\b(?:choose|pick|select|compare|see|our) (?:a |your |the )?plans?\b|^\W*(?:pricing|plans|upgrade)\b|\btarife?\b|"
    r"\b(?:nos|les) (?:offres|formules|tarifs)\b|\bplanes\b|\bpiani\b|\bplanos\b|\babonnementen\b",
    re.IGNORECASE,
)


def _sells_plans(page: PageChange) -> str | None:
    """Return the heading of a page with plans to buy, which came in place of what was asked."""
    headings = [node.name for node in page.store if _is_heading(node) and isinstance(node.name, str)]
    title = page.store.route.title if isinstance(page.store.route.title, str) else ""
    found = next((one for one in (title, *headings) if _PLANS.search(one)), None)
    pressed = (
        node.name for node in page.store if "activate" in node.affordances and isinstance(node.name, str)
    )
    offers = any(_OFFERS.match(one) for one in pressed)
    asked = _PLANS.search(page.target) or _OFFERS.match(page.target) or about_accounts(page.target)
    return f"it shows an offer instead: {found}" if found and offers and not asked else None


_OFFERS = re.compile(
    r"^\W*(?:upgrade|go (?:pro|plus|premium)|(?:try|get|start|choose|unlock) .*(?:plus|pro|premium|trial|plan)\b|"
    r"see plans|view plans|jetzt upgraden|(?:plus|pro|premium) (?:testen|wählen)|tarife|passer à|"
    r"essayer .*(?:plus|pro|premium)|mejorar plan|"
    r"probar .*(?:plus|pro|premium)|prova .*(?:plus|pro|premium)|experimentar .*(?:plus|pro|premium)|upgraden)",
    re.IGNORECASE,
)
_RECORD_ROLES = frozenset({"row", "cell", "listitem", "treeitem", "article"})
_PUTS_OFF = re.compile(
    r"^\W*(?:not now|maybe later|no,? thanks|later|nicht jetzt|später|nein,? danke|plus tard|non merci|pas maintenant|"
    r"ahora no|más tarde|non ora|più tardi|agora não|niet nu|nie teraz|şimdi değil|не сейчас|позже)\W*$",
    re.IGNORECASE,
)


def offer_instead(page: PageChange) -> str | None:
    """Return the heading of an offer that the page shows instead of what was asked, with a way to put it off."""
    new = [one for one in page.store if page.baseline["elements"].get(one.instance_id) is None]
    names = [one.name for one in new if "activate" in one.affordances and isinstance(one.name, str)]
    offers = any(_OFFERS.match(one) for one in names) and any(_PUTS_OFF.match(one) for one in names)
    if not offers or _OFFERS.match(page.target):
        return None
    headings = (one.name for one in new if _is_heading(one))
    return f"it shows an offer instead: {next(headings, None) or names[0]}"


def _error_heading(page: PageChange) -> str | None:
    """Return the first heading if it reports a failure, and the page offers hardly anything else."""
    heading = next((node for node in page.store if _is_heading(node)), None)
    name = heading.name if heading is not None and isinstance(heading.name, str) else ""
    if len(name) > MAX_INLINE or not _ERROR_HEADING.match(name) or only_denies_failure(name):
        return None
    if is_about_target(name, page.target):
        return None
    controls = sum(1 for node in page.store if {"activate", "edit"} & set(node.affordances))
    known = any(_is_heading(node) and node.name == name for node in page.baseline["elements"].recorded())
    return None if known or controls > MAX_CONTROLS else name


def _is_heading(node: ElementNode) -> bool:
    return node.role == "label" and "level" in (node.metadata or {}) and bool(node.name)


def _sign_in_again(page: PageChange) -> str | None:
    """Return the sentence that asks to sign in, if a page without a password led to one with it."""
    before = page.baseline["elements"].recorded()
    if not any(_is_password(node) for node in page.store) or any(_is_password(node) for node in before):
        return None
    return next(_refusing_sentences(page, page.store), None) or _sign_in_form(page, before)


_ABOUT_ACCOUNTS = re.compile(
    r"\b(?:log|sign) ?-?(?:in|out|on|off|up)\b|regist|account|password|continue|next|konto|kennwort|passwort|"
    r"(?:an|ab)meld|weiter|connexion|compte|mot de passe|inscri|suivant|sesi[oó]n|cuenta|contraseña|siguiente|accedi|"
    r"esci|avanti|entrar|sair|conta\b|senha|inlog|uitlog|zaloguj|wyloguj|giriş|çıkış|войти|выйти|ログイン|ログアウト|登録|登录|退出|로그",
    re.IGNORECASE,
)


def about_accounts(name: str) -> bool:
    """Return whether a control is about an account, so that it may well lead to a form for signing in."""
    return _ABOUT_ACCOUNTS.search(name) is not None


def _sign_in_form(page: PageChange, before: Iterable[ElementNode]) -> str | None:
    """Return that the session has ended: a write that concerns no account led to a form for a name and a password."""
    asks_name = any(_is_empty_text(node) for node in page.store)
    if not asks_name or about_accounts(page.target) or any(_is_mail(node) for node in before):
        return None
    headings = (node.name for node in page.store if _is_heading(node))
    return f"it led to a page that asks to sign in: {next(headings, None) or 'a form with a password'}"


def _is_empty_text(node: ElementNode) -> bool:
    return node.role == "textbox" and node.state.obscured is not True and not node.state.text_value


def _is_mail(node: ElementNode) -> bool:
    return (
        node.role == "textbox" and re.search(r"mail|user|login", node.name or "", re.IGNORECASE) is not None
    )


def refusal_in_place(page: PageChange, touched: Mapping[str, Attribution], *, replaced: bool) -> str | None:
    """Return the words with which a page says no to a write that did not load a new document."""
    view = refusal_of_view(page) if page.moved and not replaced else None
    return view or offer_instead(page) or refusal_of_frame(page, touched)


def refusal_of_frame(page: PageChange, touched: Mapping[str, Attribution]) -> str | None:
    """Return the sentence with which a frame says no that our input loaded again, with the pressed control."""
    caused = (page.store.element(key) for key, attribution in touched.items() if attribution == "caused")
    return _says_no_again(page, [node for node in caused if node is not None])


def _says_no_again(page: PageChange, nodes: Sequence[ElementNode]) -> str | None:
    """Return a new sentence that refuses in the nodes of a page or frame that offers the pressed control again."""
    before = page.baseline["elements"].recorded()
    if not page.target or not any(node.name == page.target for node in nodes):
        return None
    new = _new_sentences((node for node in nodes if node.role not in CONTENT_TEXT_ROLES), page)
    if any(reports_done(one, page.target) for one in new):
        return None
    listed = _new_sentences((node for node in nodes if node.role == "listitem"), page)
    refusing = next((one for one in (*new, *listed) if _refuses(page, one)), None)
    if refusing or _records(nodes) != _records(before):
        return refusing
    return _only_limits(new) or next((one for one in new if _is_answer(one)), None)


def _is_answer(sentence: str) -> bool:
    """Return whether a sentence is an answer without a word of success, on a page that is otherwise the same."""
    affirms = reports_success(sentence) and not all(is_polite(one) for one in success_words(sentence))
    return is_statement(sentence) and not affirms


def _records(nodes: Iterable[ElementNode]) -> Counter[tuple[str, str]]:
    """Return the rows and items that a page lists."""
    return Counter((node.role, node.name or node.text or "") for node in nodes if node.role in _RECORD_ROLES)


def _only_limits(new: Sequence[str]) -> str | None:
    """Return the new sentences as one text if they name a limit and report no success."""
    text = " ".join(new)
    affirms = reports_success(text) and not all(is_polite(one) for one in success_words(text))
    return text if 0 < len(text) <= MAX_INLINE and limits(text) and not affirms else None


def _refusing_sentences(page: PageChange, nodes: Iterable[ElementNode]) -> Iterator[str]:
    return (one for one in _sentences(nodes) if _refuses(page, one))


def _refuses(page: PageChange, sentence: str) -> bool:
    return len(sentence) <= MAX_INLINE and refuses(sentence, page.target)


def _sentences(nodes: Iterable[ElementNode]) -> Iterator[str]:
    texts = (node.text for node in nodes if isinstance(node.text, str))
    return (one.strip() for text in texts for one in re.split(r"(?<=[.!?。])\s+", text) if one.strip())


def _is_password(node: ElementNode) -> bool:
    return node.role == "textbox" and node.state.obscured is True
