"""Sample data for forms in a sandbox: of the right type, clearly invented, the same in every run."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.spec.web import ElementNode

_BY_WORD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("email", "e-mail", "mail"), "discovery@example.test"),
    (("url", "website", "link", "webseite"), "https://example.test/"),
    (("phone", "tel", "telefon", "mobile"), "+41 00 000 00 00"),
    (("zip", "postal", "plz", "postcode"), "8000"),
    (("city", "ort", "town", "ville"), "Sampletown"),
    (("country", "land"), "Switzerland"),
    (("first name", "vorname"), "Sam"),
    (("last name", "surname", "nachname"), "Sample"),
    (("amount", "price", "betrag", "preis", "quantity", "anzahl", "number", "nummer"), "1"),
)


def sample_input(element: ElementNode) -> tuple[str, dict[str, Any]]:
    """Return the action that fills a field, and its arguments."""
    if element.role == "datepicker":
        return "ui.setValue", {"value": "2026-01-15"}
    if element.role == "timepicker":
        return "ui.setValue", {"value": "09:30"}
    if element.role in ("spinbutton", "slider"):
        return "ui.setValue", {"value": _number(element)}
    return "ui.enterText", {"text": _text(element)}


def _number(element: ElementNode) -> float:
    state = element.state
    low = state.min if state.min is not UNSET else None
    high = state.max if state.max is not UNSET else None
    step = state.step if state.step is not UNSET and state.step else 1
    if low is None:
        return min(1, high) if high is not None else 1
    return low + step if high is None or low + step <= high else low


def _text(element: ElementNode) -> str:
    text = normalised(f"{element.meaning or ''} {element.name or ''} {element.state.placeholder or ''}")
    return next(
        (value for words, value in _BY_WORD if any(word in text for word in words)), "Discovery sample"
    )
