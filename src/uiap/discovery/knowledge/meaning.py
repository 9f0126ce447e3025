"""The meaning of a control: declared by the page, else read from its label, its autocomplete token or its form name."""

from __future__ import annotations

import re

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.graph.scope_names import slug
from uiap.spec.web import ElementNode

_FIELD_ROLES = frozenset(
    {
        "textbox",
        "textarea",
        "searchbox",
        "combobox",
        "listbox",
        "checkbox",
        "radio",
        "switch",
        "slider",
        "spinbutton",
        "datepicker",
        "timepicker",
        "fileinput",
    }
)
_PRESSED_ROLES = frozenset({"button", "menuitem", "tab", "link", "custom"})
_GENERATED = re.compile(r"[:\d]{2,}|^[a-z]?\d+$")


def is_field(element: ElementNode) -> bool:
    """Return whether somebody enters or chooses a value in the element."""
    return element.role in _FIELD_ROLES


def meaning_of(element: ElementNode) -> str | None:
    """Return the meaning of a field or a control; None if nothing says it."""
    if element.meaning is not UNSET:
        return element.meaning
    if is_field(element):
        return _field_meaning(element)
    return slug(element.name) or None if element.role in _PRESSED_ROLES and element.name else None


def _field_meaning(element: ElementNode) -> str | None:
    metadata = {} if element.metadata is UNSET else element.metadata
    token = metadata.get("autocomplete")
    if isinstance(token, str) and token not in ("", "on", "off"):
        return token.split()[-1]
    label = element.name or element.state.placeholder or ""
    if label:
        return slug(normalised(label)) or None
    name = metadata.get("htmlName")
    return slug(name) or None if isinstance(name, str) and not _GENERATED.search(name) else None
