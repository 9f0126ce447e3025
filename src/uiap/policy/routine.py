"""Routine steps: presses that show something, or make an ordinary change that can be taken back.

The autonomy level `assist` lets them go without a question. A step is never routine if its words order, send, pay, sign
or grant something, if its label is not read, or if a form that writes has a submit button of unknown meaning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import UNSET

from uiap.policy.addresses import is_ordinary
from uiap.policy.control import (
    PICK_ROLES,
    ControlPlace,
    agrees_to_title,
    is_handled_link,
    label_of,
    link_operation,
    native_of,
    worded_texts,
    writes_at_once,
)
from uiap.policy.lexicon import is_exit, is_known_language, meaning_of
from uiap.policy.topics import clears_view, shows_only
from uiap.spec.web import ElementNode

_PLAIN_ROLES = frozenset({"cell", "row", "listitem", "text", "heading", "image", "treeitem"})
"""Roles of content. Their label is data, and they are not the buttons of a form."""
_QUERY_ROLES = frozenset({"searchbox", "combobox"})
_VIEW_ROLES = frozenset({"button", "checkbox", "switch", "radio", "menuitem"})
_HANDLERS = ("on", "ng-", "v-on", "x-on", "@", "jsaction", "data-action")
"""Attributes with a handler of the page. Any other attribute of a press sends a request."""
_WRITING_NATIVES = frozenset({"submit", "image"})
_PRIVATE_TAGS = frozenset({"security", "identity", "privileged"})
_FIELD_TAGS = _PRIVATE_TAGS | {"billing", "legal"}


def is_routine_press(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether pressing this element is a routine step."""
    label = label_of(element)
    if (order := link_operation(element)) is not None and not is_ordinary(order):
        return False  # the address says what the label may not say
    if place.in_surface and agrees_to_title(element, place):
        return False  # `Cancel` in `Cancel subscription?`
    if is_handled_link(element) and not meaning_of(label).asks:
        return False  # the label and the address name a page, and the press sends a request
    if not label.strip():
        return element.role in _PLAIN_ROLES and not native_of(element)
    if (
        element.role in PICK_ROLES
        and place.in_form
        and not native_of(element)
        and not writes_at_once(element)
    ):
        return True  # it is sent with its form, and sending is judged
    if place.moves_options and not submits(element, place) and _only_takes_away(label):
        return True
    if changes_view(element, place):
        return True
    if not has_ordinary_words(label):
        return place.reading_form and submits(element, place) and is_routine_submit(label, place)
    if submits(element, place):
        return is_routine_submit(label, place)
    if element.role in _PLAIN_ROLES and not native_of(element):
        return True
    return _is_recognised(label) or not _needs_recognition(element, place)


def changes_view(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether a button only empties a filter or search, or says what is shown. A form that is sent does more."""
    texts = worded_texts(element)
    is_button = element.role in _VIEW_ROLES and not _metadata(element).get("method")
    writes = writes_at_once(element) or submits(element, place) or place.in_dialog
    return (
        is_button and not writes and bool(texts) and all(clears_view(one) or shows_only(one) for one in texts)
    )


def is_routine_submit(label: str, place: ControlPlace) -> bool:
    """Return whether sending a form is routine: it only reads, or its button orders an ordinary change."""
    if place.guarded_field or place.orders_by_form:
        return False
    if place.reading_form:
        return not label or _asks_at_most_a_write(label)
    return _is_recognised(label) and has_ordinary_words(label)


def reads_by_form(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether a press sends a form that goes to an address with its fields, as a link does."""
    label = label_of(element)
    is_plain = submits(element, place) and place.reading_form and not _metadata(element).get("method")
    return is_plain and is_routine_submit(label, place) and not meaning_of(label).asks


def orders_nothing(label: str) -> bool:
    """Return whether the label of a field asks for no more than an ordinary change."""
    meaning = meaning_of(label)
    return not meaning.orders and not meaning.disguise and all(hint.kind == "write" for hint in meaning.asks)


def is_routine_enter(element: ElementNode) -> bool:
    """Return whether Enter in a field outside of a form is routine. In a plain field it may send a message."""
    label = label_of(element)
    return has_ordinary_words(label or "-") and (element.role in _QUERY_ROLES or _is_recognised(label))


def submits(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether a press on the element sends the form around it."""
    button = element.role == "button" and "submit" in element.affordances
    return place.in_form and (button or native_of(element) in _WRITING_NATIVES)


@lru_cache(8192)
def has_ordinary_words(label: str) -> bool:
    """Return whether a label is readable, and none of its words asks for more than an ordinary change."""
    if not _asks_at_most_a_write(label):
        return False
    meaning = meaning_of(label)
    if not meaning.asks:
        return True
    return _is_recognised(label) and not meaning.names and not _has_guarded_words(label)


@lru_cache(8192)
def _asks_at_most_a_write(label: str) -> bool:
    meaning = meaning_of(label)
    private = any(hint.kind in _PRIVATE_TAGS for hint in meaning.names)
    readable = is_known_language(label) and not meaning.disguise and not meaning.orders
    return readable and not private and all(hint.kind == "write" for hint in meaning.asks)


def _only_takes_away(label: str) -> bool:
    """Return whether the only words of a label that ask are those for taking something away."""
    meaning = meaning_of(label)
    kinds = {hint.kind for hint in meaning.asks}
    return not meaning.orders and not meaning.disguise and kinds <= {"destructive", "write"}


@lru_cache(8192)
def is_guarded_field(name: str, *, is_on: bool = False) -> bool:
    """Return whether a field decides about rights, money or consent, so that sending its form is not routine."""
    meaning = meaning_of(name)
    tags = {hint.kind for hint in (*meaning.orders, *meaning.names)}
    return not _FIELD_TAGS.isdisjoint(tags) or _has_guarded_words(name) or (is_on and bool(meaning.orders))


def _needs_recognition(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether a label must be understood: in a form that writes, in a dialog, and where a request is sent."""
    label, metadata = label_of(element), _metadata(element)
    if _is_sign(label):
        return False
    writing_form = place.in_form and not place.reading_form
    sent = metadata.get("method")
    request = isinstance(sent, str) and not sent.startswith(_HANDLERS)
    request = request or writes_at_once(element)
    return (writing_form or request or place.in_dialog) and not is_exit(label)


def _is_recognised(label: str) -> bool:
    return any(hint.kind == "routine" for hint in meaning_of(label).shows)


def _has_guarded_words(label: str) -> bool:
    return any(hint.kind == "guarded" for hint in meaning_of(label).shows)


def _is_sign(label: str) -> bool:
    """Return whether a label has no words, as the number of a page or an arrow."""
    return not any(letter.isalpha() for letter in label)


def _metadata(element: ElementNode) -> dict[str, Any]:
    return element.metadata if element.metadata is not UNSET else {}
