"""Translate AT-SPI's vocabulary: roles, states, and the affordances of each role. Tables only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from uiap.drivers.vocabulary import graph_vocabulary
from uiap.spec.capability import UIAffordance, UIRole

APPLICATION = 75
WINDOWS = frozenset({22, 23, 69})
"""Top-level windows: font choosers, frames and windows."""
DIALOGS = frozenset({2, 16, 19})
"""Alerts, dialogs and file choosers."""
LABEL, COMBO, PASSWORD, TOGGLE, SCROLL_BAR = 29, 11, 40, 62, 48
LISTS = frozenset({31, 33, 41, 98})
"""Objects between a drop-down list and its options."""
TEXTS = frozenset({40, 60, 61, 79})
RANGES = frozenset({15, 42, 51, 52, 103})

ROLES: Mapping[int, UIRole] = MappingProxyType(
    {
        2: "dialog",
        5: "datepicker",
        6: "canvas",
        7: "checkbox",
        8: "menuitem",
        10: "cell",
        11: "combobox",
        12: "datepicker",
        15: "slider",
        16: "dialog",
        18: "canvas",
        19: "dialog",
        26: "image",
        27: "image",
        29: "label",
        31: "list",
        32: "listitem",
        33: "menu",
        34: "menu",
        35: "menuitem",
        37: "tab",
        38: "tablist",
        40: "textbox",
        41: "popover",
        42: "progress",
        43: "button",
        44: "radio",
        45: "menuitem",
        47: "cell",
        51: "slider",
        52: "spinbutton",
        54: "status",
        55: "table",
        56: "cell",
        57: "cell",
        58: "cell",
        59: "menuitem",
        60: "textarea",
        61: "textbox",
        62: "button",
        63: "toolbar",
        64: "popover",
        65: "tree",
        66: "tree",
        79: "textbox",
        83: "label",
        87: "form",
        88: "link",
        90: "row",
        91: "treeitem",
        98: "listbox",
        99: "group",
        101: "toast",
        102: "alert",
        103: "progress",
        106: "audio",
        107: "video",
        116: "label",
        129: "button",
        130: "switch",
    }
)
"""Roles by AtspiRole. Other roles are containers, and become elements only if they have a name."""

LAYOUT = frozenset({0, 4, 13, 14, 17, 20, 21, 24, 28, 30, 46, 48, 49, 50, 53, 67, 68, 74, 75, 86})
"""Fillers, scroll bars, separators and viewports, which never become elements."""

STATE_BITS: Mapping[str, int] = MappingProxyType(
    {
        "busy": 3,
        "checked": 4,
        "collapsed": 5,
        "defunct": 6,
        "editable": 7,
        "enabled": 8,
        "expandable": 9,
        "expanded": 10,
        "focusable": 11,
        "focused": 12,
        "horizontal": 14,
        "modal": 16,
        "multi_line": 17,
        "pressed": 20,
        "selectable": 22,
        "selected": 23,
        "sensitive": 24,
        "showing": 25,
        "vertical": 29,
        "visible": 30,
        "indeterminate": 32,
        "required": 33,
        "invalid_entry": 36,
        "checkable": 41,
    }
)

AFFORDANCES: Mapping[str, tuple[UIAffordance, ...]] = MappingProxyType(
    {
        "button": ("activate",),
        "link": ("activate", "navigate"),
        "menuitem": ("activate",),
        "menu": ("activate",),
        "tab": ("activate",),
        "cell": ("activate",),
        "listitem": ("activate",),
        "treeitem": ("activate",),
        "textbox": ("edit",),
        "textarea": ("edit",),
        "spinbutton": ("edit",),
        "slider": ("edit",),
        "checkbox": ("toggle", "activate"),
        "switch": ("toggle", "activate"),
        "radio": ("choose", "activate"),
        "combobox": ("choose",),
        "option": ("choose",),
        "dialog": ("close", "dismiss"),
    }
)

DESKTOP_VOCABULARY = graph_vocabulary(
    roles=(*ROLES.values(), "textarea", "option", "group"),
    state_keys=(
        "visible", "enabled", "focusable", "busy", "required", "focused", "checked", "pressed", "selected",
        "expanded", "invalid", "open", "modal", "editable", "readonly", "sensitive", "multiline", "textValue",
        "numericValue", "min", "max", "step",
    ),
    affordances=("read", "focus", "toggle", *chain.from_iterable(AFFORDANCES.values())),
    no_signals=("toast.contains", "collection.count", "route.changed", "network.response"),
)  # fmt: skip
"""The words of the graph."""

PRESS_ACTIONS = ("click", "press", "activate", "toggle", "jump", "invoke")
"""Names of actions that mean a press, the most likely first."""
CHOOSE_ACTIONS = tuple(word for word in PRESS_ACTIONS if word != "toggle")
"""Names of actions that choose an option. The action `toggle` of Qt only marks an option in its list."""


def states(words: Sequence[int]) -> frozenset[str]:
    """Return the states that are set in AT-SPI's two words of 32 bits."""
    low, high = (*words, 0, 0)[:2]
    bits = (high << 32) | low
    return frozenset(name for name, bit in STATE_BITS.items() if bits >> bit & 1)
