"""Pages that an action leads to and that say no with status 200: an error page, or a request to sign in again."""

from __future__ import annotations

import re

from uiap.signals.contradiction import MAX_INLINE, PageChange, is_about_target
from uiap.signals.error_words import reports_failure
from uiap.spec.web import ElementNode

MAX_CONTROLS = 12
"""An error page has few controls. A page with more shows something."""
_ERROR_HEADING = re.compile(
    r"^\W*(?:(?:oops|uh[- ]oh|ouch|sorry)\b|(?:an |internal |server |unexpected )*(?:server )?error\b|"
    r"something went wrong|[45]\d\d(?=\W*(?:$|error|not|internal|bad|forbidden|server|service|page))|"
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
    return _error_heading(page) or (_sign_in_again(page) if wrote else None)


def _error_heading(page: PageChange) -> str | None:
    """Return the first heading if it reports a failure, and the page offers hardly anything else."""
    heading = next((node for node in page.store if _is_heading(node)), None)
    name = heading.name if heading is not None and isinstance(heading.name, str) else ""
    if len(name) > MAX_INLINE or not _ERROR_HEADING.match(name) or is_about_target(name, page.target):
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
    texts = (node.text for node in page.store if isinstance(node.text, str))
    sentences = (one.strip() for text in texts for one in re.split(r"(?<=[.!?。])\s+", text))
    found = (one for one in sentences if one and len(one) <= MAX_INLINE and reports_failure(one))
    return next((one for one in found if not is_about_target(one, page.target)), None)


def _is_password(node: ElementNode) -> bool:
    return node.role == "textbox" and node.state.obscured is True
