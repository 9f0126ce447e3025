"""The words by which a control is judged: its label without icons and key combinations, or the word of its icon.

Icon fonts put their pictures into the characters for private use. The pictures named here have the same character in
every version of Font Awesome, and other wide-spread fonts do not use these characters.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import UNSET

from uiap.discovery.risk_words import has_words, without_icons
from uiap.spec.web import ElementNode

_MODIFIER = r"(?:(?:ctrl|control|strg|alt|option|shift|umschalt|maj|cmd|command|meta|win)[-+]|[⌘⌃⌥⇧][-+]?)"
_KEY = (
    r"(?:\S|f\d{1,2}|enter|return|del|delete|entf|esc|tab|space|home|end|up|down|left|right|backspace|insert)"
)
_HINT = r"(?:,?\s+[(\[]?(?:or|oder|ou|o|of)?\s*(?:use|press|hit|type)(?:\s+the)?)?"
_COMBINATION = re.compile(
    rf"(?<=\w){_HINT}\s+[(\[]?{_MODIFIER}+{_KEY}(?: \S)?[)\]]?(?:\s+keys?)?[)\]]?$", re.IGNORECASE
)
"""A key combination at the end of a label, also in words: `Search, or use Alt+S key`."""
_CARETS = frozenset("▾▼⌄⏷▿🔽⯆")
_ICON_WORDS = {
    "\uf002": "Search",
    "\uf007": "Profile",
    "\uf00a": "List",
    "\uf013": "Settings",
    "\uf015": "Home",
    "\uf02d": "Help",
    "\uf03a": "List",
    "\uf059": "Help",
    "\uf05a": "Details",
    "\uf073": "Calendar",
    "\uf078": "Menu",
    "\uf080": "Statistics",
    "\uf085": "Settings",
    "\uf0b0": "Filters",
    "\uf0c0": "Users",
    "\uf0c9": "Menu",
    "\uf0ce": "List",
    "\uf0d7": "Menu",
    "\uf0f3": "Notifications",
}


def icon_words(element: ElementNode) -> str:
    """Return the words of the icon of a control; "" if the page names no icon."""
    metadata = element.metadata if element.metadata is not UNSET else {}
    icon = metadata.get("icon")
    return icon if isinstance(icon, str) else ""


def label_of(element: ElementNode) -> str:
    """Return the words of a control. A control whose label is only a sign (`+`) has the words of its tooltip."""
    label = judged_label(element.name or element.text or icon_words(element))
    if label and not has_words(label) and element.description:
        return judged_label(element.description)
    return label


def has_caret(label: str) -> bool:
    """Whether a label ends with the sign of a menu that folds out: `File ▾`."""
    return label.rstrip()[-1:] in _CARETS and has_words(label)


@lru_cache(8192)
def judged_label(label: str) -> str:
    """Return the words of a label: `Settings ctrl-,` is `Settings`, and a cogwheel alone is too."""
    plain = _COMBINATION.sub("", without_icons(label))
    return _ICON_WORDS.get(plain, plain)
