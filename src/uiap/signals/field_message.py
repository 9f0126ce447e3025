"""Texts behind fields: the messages with which a form says no without a role, a class or a word of failure.

A press that sends a form usually closes it, empties it or reports success. If it only leaves a text behind one of the
fields, the form was not accepted: "Someone else has this name". A form that comes back as a new page is the same case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.signals.change import NodeDifference, content_differences
from uiap.signals.contradiction import MAX_INLINE, PageChange, is_error
from uiap.signals.deed import is_about_target
from uiap.signals.error_words import reports_failure
from uiap.signals.limiting_words import limits
from uiap.signals.log import SignalLog
from uiap.signals.success_words import reports_success
from uiap.spec.web import CustomSignal, ElementNode, ToastShownSignal, WebSignal

NAME = "message.field"
FIELD_ROLES = frozenset(
    {"textbox", "textarea", "searchbox", "combobox", "spinbutton", "datepicker", "timepicker"}
)
MIN_LETTERS = 4


class FieldText(NamedTuple):
    """A text behind a field, and whether the page had it when it loaded."""

    text: str
    loaded: bool


def field_text(signal: WebSignal) -> FieldText | None:
    """Return the text behind a field that the page script reports."""
    if not isinstance(signal, CustomSignal) or signal.name != NAME or not isinstance(signal.payload, dict):
        return None
    text = signal.payload.get("text")
    return FieldText(text, signal.payload.get("loaded") is True) if isinstance(text, str) else None


def only_field_message(
    log: SignalLog, page: PageChange, found: Iterable[NodeDifference], *, wrote: bool
) -> str | None:
    """Return the text that our input left behind a field, if it led to nothing else of meaning."""
    texts = [one.text for one in _caused_texts(log) if not one.loaded and _is_message(one.text, page.target)]
    known = _known_texts(page)
    texts = [text for text in texts if not _is_result(text, wrote) and normalised(text) not in known]
    if not texts or page.moved or _reports_success(log, page):
        return None
    caused = [one for one in found if log.touched.get(one.key) == "caused"]
    if content_differences(caused) or any(_shows_success(one) for one in caused):
        return None
    return texts[-1]


def returned_form_message(texts: Iterable[str], page: PageChange, log: SignalLog) -> str | None:
    """Return a new text behind a field of a form that came back with the values that were sent."""
    texts = list(texts)
    if not texts or _reports_success(log, page) or not _came_back(page):
        return None
    known = _known_texts(page)
    new = (text for text in texts if _is_message(text, page.target) and normalised(text) not in known)
    return next(new, None)


def _caused_texts(log: SignalLog) -> Iterator[FieldText]:
    for signal, attribution in log.of(CustomSignal):
        if attribution == "caused" and (found := field_text(signal)) is not None:
            yield found


def _is_message(text: str, target: str) -> bool:
    """Return whether a text can be a message: words, short, and not those of success or of the target itself."""
    letters = sum(char.isalpha() for char in text)
    if letters < MIN_LETTERS or len(text) > MAX_INLINE or normalised(text) == normalised(target):
        return False
    if text.rstrip().endswith(("…", "...")):
        return False
    return not reports_success(text) and not is_about_target(text, target)


def _is_result(text: str, wrote: bool) -> bool:
    """Return whether a text without words that refuse or limit can be a result: it has a number, or we sent nothing."""
    return (
        (not wrote or any(char.isdigit() for char in text)) and not limits(text) and not reports_failure(text)
    )


def _reports_success(log: SignalLog, page: PageChange) -> bool:
    shown = (signal for signal, attribution in log.of(ToastShownSignal) if attribution == "caused")
    return any(not is_error(signal, page.target) for signal in shown)


def _shows_success(difference: NodeDifference) -> bool:
    node = difference.node
    texts = (node.name, node.text) if isinstance(node, ElementNode) else ()
    return any(isinstance(text, str) and reports_success(text) for text in texts)


def _came_back(page: PageChange) -> bool:
    """Return whether a field of the page before is there again with the same value."""
    before = {_filled(node) for node in page.baseline["elements"].recorded()}
    return any(_filled(node) in before for node in page.store if _filled(node) is not None)


def _filled(node: ElementNode) -> tuple[str, str, str] | None:
    value = node.state.text_value if node.role in FIELD_ROLES else UNSET
    return (node.role, node.name or "", value) if isinstance(value, str) and value else None


def _known_texts(page: PageChange) -> str:
    nodes = page.baseline["elements"].recorded()
    return " ".join(normalised(f"{node.name or ''} {node.text or ''}") for node in nodes)
