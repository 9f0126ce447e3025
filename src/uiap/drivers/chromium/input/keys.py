"""Map UI Events key names to the fields of CDP key events (US layout)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MODIFIER_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

# key → (code, Windows virtual key code, text it types)
NAMED_KEYS: dict[str, tuple[str, int, str]] = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
    "Insert": ("Insert", 45, ""),
    "Escape": ("Escape", 27, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""),
    "PageDown": ("PageDown", 34, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ContextMenu": ("ContextMenu", 93, ""),
    "Shift": ("ShiftLeft", 16, ""),
    "Control": ("ControlLeft", 17, ""),
    "Alt": ("AltLeft", 18, ""),
    "Meta": ("MetaLeft", 91, ""),
    " ": ("Space", 32, " "),
    **{f"F{number}": (f"F{number}", 111 + number, "") for number in range(1, 13)},
}
ALIASES = {
    "Space": " ",
    "Esc": "Escape",
    "Return": "Enter",
    "Del": "Delete",
    "Ctrl": "Control",
    "Cmd": "Meta",
}

# character → (code, virtual key code); shifted ones share their key
PUNCTUATION: dict[str, tuple[str, int]] = {
    character: (code, number)
    for characters, code, number in (
        ("-_", "Minus", 189),
        ("=+", "Equal", 187),
        ("[{", "BracketLeft", 219),
        ("]}", "BracketRight", 221),
        ("\\|", "Backslash", 220),
        (";:", "Semicolon", 186),
        ("'\"", "Quote", 222),
        (",<", "Comma", 188),
        (".>", "Period", 190),
        ("/?", "Slash", 191),
        ("`~", "Backquote", 192),
        *(
            (f"{digit}{shifted}", f"Digit{digit}", ord(digit))
            for digit, shifted in zip("1234567890", "!@#$%^&*()", strict=True)
        ),
    )
    for character in characters
}


def key_fields(key: str) -> dict[str, Any] | None:
    """Return `key`, `code`, `windowsVirtualKeyCode` and `text` of a key; None for an unknown key."""
    key = ALIASES.get(key, key)
    if key in NAMED_KEYS:
        code, number, text = NAMED_KEYS[key]
        return _fields(key, code, number, text)
    if len(key) != 1:
        return None
    if key.isascii() and key.isalpha():
        return _fields(key, f"Key{key.upper()}", ord(key.upper()), key)
    code, number = PUNCTUATION.get(key, ("", 0))
    return _fields(key, code, number, key)


LAST_LETTER_WITH_KEY = "\u058f"
"""Latin, Greek, Cyrillic and Armenian letters have keys on keyboards of their countries."""


def has_key(character: str) -> bool:
    """Return whether a keyboard types the character with one key, alone or with Shift."""
    if character.isascii() and character.isprintable():
        return True
    return character.isalpha() and character <= LAST_LETTER_WITH_KEY


def modifier_bits(modifiers: Iterable[str]) -> int:
    return sum(MODIFIER_BITS[modifier] for modifier in set(modifiers))


def _fields(key: str, code: str, number: int, text: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"key": key, "code": code, "windowsVirtualKeyCode": number}
    if text:
        fields["text"] = text
    return fields
