"""Translate Android's vocabulary: classes into roles, and the text of a control into its value. Pure.

A value is read from a text in the tree ("50%", "3 of 4", "On") and never guessed: a control without text has no value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from uiap.drivers.vocabulary import graph_vocabulary
from uiap.spec.capability import UIAffordance, UIRole

ROLES: Mapping[str, UIRole] = MappingProxyType(
    {
        "Button": "button",
        "MaterialButton": "button",
        "ImageButton": "button",
        "FloatingActionButton": "button",
        "ToggleButton": "button",
        "Chip": "button",
        "CompoundButton": "checkbox",
        "CheckBox": "checkbox",
        "CheckedTextView": "checkbox",
        "RadioButton": "radio",
        "RadioGroup": "group",
        "Switch": "switch",
        "SwitchCompat": "switch",
        "SwitchMaterial": "switch",
        "EditText": "textbox",
        "TextInputEditText": "textbox",
        "AutoCompleteTextView": "textbox",
        "MultiAutoCompleteTextView": "textbox",
        "SearchView": "searchbox",
        "Spinner": "combobox",
        "SeekBar": "slider",
        "Slider": "slider",
        "RatingBar": "slider",
        "NumberPicker": "spinbutton",
        "DatePicker": "datepicker",
        "TimePicker": "timepicker",
        "ProgressBar": "progress",
        "TextView": "label",
        "ImageView": "image",
        "Image": "image",
        "VideoView": "video",
        "SurfaceView": "canvas",
        "TextureView": "canvas",
        "WebView": "region",
        "RecyclerView": "list",
        "ListView": "list",
        "ExpandableListView": "list",
        "GridView": "grid",
        "TabLayout": "tablist",
        "TabWidget": "tablist",
        "Toolbar": "toolbar",
        "BottomNavigationView": "tablist",
        "Tab": "tab",
        "Link": "link",
    }
)
"""Roles by class name. For other classes, the role follows from the flags of the node."""

FIELDS = frozenset({"EditText", "TextInputEditText", "AutoCompleteTextView", "MultiAutoCompleteTextView"})
LISTS = frozenset({"RecyclerView", "ListView", "ExpandableListView", "GridView", "AbsListView"})
RANGES: frozenset[UIRole] = frozenset({"slider", "progress", "spinbutton"})
DIALOG_IDS = frozenset({"alertTitle", "parentPanel", "design_bottom_sheet", "bottom_sheet"})
"""Resource ids that only Android's own dialogs and sheets use."""

AFFORDANCES: Mapping[UIRole, tuple[UIAffordance, ...]] = MappingProxyType(
    {
        "textbox": ("edit",),
        "textarea": ("edit",),
        "searchbox": ("edit",),
        "slider": ("edit",),
        "spinbutton": ("edit",),
        "checkbox": ("toggle", "activate"),
        "switch": ("toggle", "activate"),
        "radio": ("choose", "activate"),
        "combobox": ("choose", "activate"),
        "link": ("activate", "navigate"),
    }
)

TOUCHSCREEN_VOCABULARY = graph_vocabulary(
    roles=(*ROLES.values(), "spinner", "tab", "list", "group"),
    state_keys=(
        "visible", "enabled", "focusable", "focused", "selected", "checked", "expanded", "editable", "readonly",
        "placeholder", "sensitive", "textValue", "numericValue", "min", "max", "busy",
    ),
    affordances=("read", "focus", "activate", "scroll", "drag", *chain.from_iterable(AFFORDANCES.values())),
    no_signals=("status.contains", "validation.none", "network.response"),
)  # fmt: skip
"""The words of the graph."""

_NUMBER = r"[+\-−]?\d+(?:[.,]\d+)?"
_PERCENT = re.compile(rf"({_NUMBER})\s*[%٪％]")
_OF = re.compile(rf"({_NUMBER})\s*(?:of|/|von|de|sur|из|／)\s*({_NUMBER})", re.IGNORECASE)
_PLAIN = re.compile(rf"({_NUMBER})(?:\s*[^\W\d_°]{{1,4}}|\s*°\w?)?")
_EXPANDED_STATE = re.compile(r"(?:^|,\s*|\n)(collapsed|expanded)\s*$", re.IGNORECASE)
_BUSY = re.compile(r"\b(loading|please wait|buffering|refreshing)\b", re.IGNORECASE)


class ParsedNumber(NamedTuple):
    """A number in the text of a control, with the limits that the text contains."""

    value: float
    low: float | None = None
    high: float | None = None


def parse_number(text: str) -> ParsedNumber | None:
    """Parse a number: `50%` is 50 from 0 to 100, `3 of 4` is 3 up to 4, `38 dB` is 38; None for other texts."""
    plain = text.strip().replace("\u00a0", " ").replace("\u202f", " ")
    if found := _PERCENT.fullmatch(plain):
        return ParsedNumber(_to_number(found[1]), 0, 100)
    if found := _OF.fullmatch(plain):
        return ParsedNumber(_to_number(found[1]), None, _to_number(found[2]))
    if found := _PLAIN.fullmatch(plain):
        return ParsedNumber(_to_number(found[1]))
    return None


def expanded_state(text: str) -> bool | None:
    """Return True if the text ends with "expanded", False if it ends with "collapsed", else None."""
    found = _EXPANDED_STATE.search(text)
    return None if found is None else found[1].lower() == "expanded"


def without_expanded_state(text: str) -> str:
    return _EXPANDED_STATE.sub("", text)


def says_busy(text: str) -> bool:
    return _BUSY.search(text) is not None


def one_line(text: str) -> str:
    return " ".join(text.split())


def _to_number(digits: str) -> float:
    value = float(digits.replace(",", ".").replace("−", "-"))
    return int(value) if value == int(value) else value
