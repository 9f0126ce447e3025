"""The effect of pressing a control, from facts of the page: native element, address, popup, panel, form and words.

The role is a claim of the page. It never makes a press milder than the native element would be.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from uiap.policy.addresses import AddressOrder, address_order, orders_on_record
from uiap.policy.disguise import words_of
from uiap.policy.lexicon import is_exit, is_known_language, meaning_of
from uiap.policy.topics import is_topic, shows_only
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

TEXT_ROLES = frozenset({"textbox", "textarea", "searchbox", "datepicker", "timepicker", "spinbutton"})
ENTRY_ROLES = TEXT_ROLES | {"slider", "combobox", "listbox"}
"""Controls that hold a value. A press only opens them or places the caret."""
PICK_ROLES = frozenset({"checkbox", "radio", "option"})
_PRESSED_NATIVES = frozenset({"button", "submit", "reset", "image", "link", "summary"})
_FIELD_POPUPS = ("listbox", "dialog")
_POPUPS = frozenset({"menu", "listbox", "tree", "grid", "dialog", "true", True})
_LINK_ROLES = frozenset({"link", "menuitem", "tab", "treeitem", "listitem", "row", "cell"})
"""Roles under which a native link still only navigates."""
_LISTS = frozenset({"combobox", "listbox", "group", "tree", "grid"})


class ControlPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Facts around a control that decide what a press does."""

    in_form: bool = False
    in_surface: bool = False
    """It is in a dialog, drawer or popover."""
    surface: str = ""
    """The name of the innermost dialog or form around it."""
    shows_panel: bool = False
    """The page shows a tab panel next to the tab."""
    in_dialog: bool = False
    reading_form: bool = False
    """The form around it goes to an address with its fields, and writes nothing."""
    moves_options: bool = False
    """The form has two lists between which options are moved. Taking one away there is a draft."""
    guarded_field: bool = False
    """A field next to it holds a private value, or decides about rights, money or consent."""
    orders_by_form: bool = False
    """The form goes to an address with an operation that cannot be taken back: `/items/3/delete`."""
    in_list: bool = False
    """It is one of the choices of a list, tree, grid or group that the page shows."""


def native_of(element: ElementNode) -> str:
    """Return the kind of the native element, or "" if the role is its own or the element is a plain box."""
    return str(_metadata(element).get("native", ""))


def is_entry(element: ElementNode) -> bool:
    """Return whether the control holds a value, and a press does nothing else than to begin to edit it."""
    if native_of(element) in _PRESSED_NATIVES or _metadata(element).get("method"):
        return False
    return element.role in ENTRY_ROLES or (
        element.role in ("custom", "cell") and "edit" in element.affordances
    )


def is_text_entry(element: ElementNode) -> bool:
    return is_entry(element) and (element.role in TEXT_ROLES or "edit" in element.affordances)


def is_multiline(element: ElementNode) -> bool:
    """Return whether a line break is text in this field."""
    return element.role == "textarea" or element.state.multiline is True


def press_effect(element: ElementNode, place: ControlPlace) -> SideEffectClass:
    """Return the effect of a press. It is `unknown` unless the page shows what else it is."""
    effect = _effect_by_kind(element, place)
    if writes_at_once(element) and effect in ("ui_state", "draft", "navigation"):
        return "unknown"
    if effect == "navigation":
        return "data_write" if _link_writes(element) else effect
    if effect not in ("ui_state", "draft") or is_entry(element):
        return effect
    if names_topic(element, effect) or shows_only(label_of(element)):
        return effect
    label = label_of(element)
    if effect == "ui_state" and not is_known_language(label):
        return "unknown"
    if effect == "draft" and place.in_form and _is_native(element):
        return effect  # a checkbox of a form writes when the form is sent, whatever it is called
    return "data_write" if meaning_of(label).asks and not _is_exit(element, place) else effect


def _link_writes(element: ElementNode) -> bool:
    """Return whether following a link may write: by its listener, its address, or words that delete or order."""
    label, href = label_of(element), str(_metadata(element).get("href", ""))
    # a listener on links of many kinds is a router's, or one that reads its order from the link
    handled = "handled" in _metadata(element) and bool(meaning_of(label).asks)
    if handled or link_operation(element) is not None:
        return True
    return not names_topic(element, "navigation") and (_destroys(label) or orders_on_record(label, href))


def names_topic(element: ElementNode, effect: SideEffectClass) -> bool:
    """Return whether a press only shows something, and its label names a text about it and no order."""
    shows = effect == "ui_state" and (opens_popup(element) or element.role == "tab" or _is_summary(element))
    texts = worded_texts(element)
    plain = shows or (effect == "navigation" and "handled" not in _metadata(element))
    return plain and bool(texts) and all(map(is_topic, texts))


def _is_summary(element: ElementNode) -> bool:
    return native_of(element) == "summary"


def _destroys(label: str) -> bool:
    """Return whether a link may destroy something when it is followed, as `Drop` in the list of a database does."""
    return any(hint.kind == "destructive" for hint in meaning_of(label).asks)


def writes_at_once(element: ElementNode) -> bool:
    """Return whether the source of a script that a press or a choice runs says that it writes."""
    return _metadata(element).get("writes") is True


def is_handled_link(element: ElementNode) -> bool:
    """Return whether a listener sends a request of its own when the link is pressed."""
    return _metadata(element).get("method") == "request"


def link_operation(element: ElementNode) -> AddressOrder | None:
    """Return the operation in the address that following a link orders."""
    href = _metadata(element).get("href")
    if isinstance(href, str) and href.startswith("#") and _metadata(element).get("anchor") is True:
        return None  # it leads to a part of the page with this id
    is_link = element.role in _LINK_ROLES or native_of(element) == "link"
    return address_order(href) if is_link and isinstance(href, str) else None


def _is_native(element: ElementNode) -> bool:
    """Return whether the role is that of the native element, and not a claim of the page."""
    return element.source is UNSET and not native_of(element)


def _effect_by_kind(element: ElementNode, place: ControlPlace) -> SideEffectClass:
    metadata, native = _metadata(element), native_of(element)
    if metadata.get("method"):
        return "unknown"
    is_link = element.role == "link" or (native == "link" and element.role in _LINK_ROLES)
    if is_link and native in ("", "link") and is_real_address(metadata):
        return "navigation"
    if metadata.get("closes"):  # it submits a form of the method `dialog`, which closes the dialog
        return "ui_state" if _is_exit(element, place) else "unknown"
    if native in ("submit", "image") or ("submit" in element.affordances and element.role == "button"):
        return "unknown"
    if is_entry(element):
        return "ui_state"
    if element.role == "tab" and not opens_popup(element):
        return "ui_state" if place.shows_panel or metadata.get("controls") == "tabpanel" else "unknown"
    if opens_popup(element) or native == "summary":
        return "ui_state"
    if native in _PRESSED_NATIVES:
        return "unknown"
    if element.role in PICK_ROLES or (
        element.role == "treeitem" and isinstance(element.state.selected, bool)
    ):
        # a box that only claims to be a choice does what its script does, like a button
        is_choice = _is_native(element) or place.in_form or place.in_surface or place.in_list
        return "draft" if is_choice else "unknown"
    if element.role == "switch":
        return "draft" if place.in_form else "data_write"
    return "ui_state" if _is_exit(element, place) else "unknown"


def option_effect(element: ElementNode, place: ControlPlace) -> SideEffectClass:
    """Return the effect of pressing an option of this list."""
    popup = element.state.has_popup if element.state.has_popup is not UNSET else None
    if element.role == "tablist":
        return "ui_state" if place.shows_panel else "unknown"
    if native_of(element) not in _PRESSED_NATIVES and element.role in _LISTS:
        return "draft"
    return "draft" if popup in ("listbox", "tree", "grid") else "unknown"


def opens_popup(element: ElementNode) -> bool:
    """Return whether the page shows a popup or section that the control opens and closes."""
    state = element.state
    popup = state.has_popup if state.has_popup is not UNSET else None
    opens = _metadata(element).get("opens") == "popover"
    return opens or popup in _POPUPS or isinstance(state.expanded, bool) or isinstance(state.open, bool)


def is_real_address(metadata: dict[str, Any]) -> bool:
    """Return whether a link goes to an http(s) address. `#` and `javascript:` are a script in its place."""
    href = metadata.get("href")
    if not isinstance(href, str) or not href.strip():
        return False
    if href.startswith("#"):
        return metadata.get("anchor") is True or href.startswith(("#/", "#!/"))
    try:
        return urlsplit(href.strip()).scheme.lower() in ("", "http", "https")
    except ValueError:
        return False


def worded_texts(element: ElementNode) -> list[str]:
    """Return the name and the text of an element, each only if it has letters."""
    texts = (one for one in (element.name, element.text) if one)
    return [one for one in texts if any(letter.isalpha() for letter in one)]


def label_of(element: ElementNode) -> str:
    """Return the label of a control. A nameless button that opens a list is a field, labelled by the text beside."""
    own = " ".join(one for one in (element.name, element.text) if one)
    if own or element.role != "button" or element.state.has_popup not in _FIELD_POPUPS:
        return own
    return str(_metadata(element).get("beside", ""))


def _is_exit(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether a press leaves a dialog. A word of the dialog's own title may agree to it instead."""
    return place.in_surface and is_exit(element.name or "") and not agrees_to_title(element, place)


def agrees_to_title(element: ElementNode, place: ControlPlace) -> bool:
    """Return whether an exit label has a word of the title of its dialog: `Cancel` in `Cancel subscription?`."""
    own = words_of(element.name or "")
    return is_exit(element.name or "") and not set(own).isdisjoint(words_of(place.surface))


def _metadata(element: ElementNode) -> dict[str, Any]:
    return element.metadata if isinstance(element.metadata, dict) else {}
