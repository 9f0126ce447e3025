"""Translate UI Events key names into Android key codes, and texts into steps that `input` can type. Pure."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

ENTER, TAB, DELETE, END, BACK, PASTE = 66, 61, 67, 123, 4, 279
MODIFIERS: Mapping[str, int] = MappingProxyType({"Alt": 57, "Control": 113, "Meta": 117, "Shift": 59})
CODES: Mapping[str, int] = MappingProxyType(
    {
        "Enter": ENTER,
        "Tab": TAB,
        "Backspace": DELETE,
        "Delete": 112,
        "Escape": 111,
        "ArrowUp": 19,
        "ArrowDown": 20,
        "ArrowLeft": 21,
        "ArrowRight": 22,
        "Home": 122,
        "End": END,
        "PageUp": 92,
        "PageDown": 93,
        "Insert": 124,
        "GoBack": BACK,
        "BrowserBack": BACK,
        "Back": BACK,
        "GoHome": 3,
        "BrowserHome": 3,
        "AppSwitch": 187,
        "ContextMenu": 82,
        "Call": 5,
        "EndCall": 6,
        "Camera": 27,
        "Power": 26,
        "WakeUp": 224,
        "Standby": 223,
        "BrowserSearch": 84,
        "AudioVolumeUp": 24,
        "AudioVolumeDown": 25,
        "AudioVolumeMute": 164,
        "MediaPlayPause": 85,
        "Copy": 278,
        "Cut": 277,
        "Paste": PASTE,
        " ": 62,
        **{letter: 29 + position for position, letter in enumerate(string.ascii_lowercase)},
        **{digit: 7 + position for position, digit in enumerate(string.digits)},
        **{f"F{number}": 130 + number for number in range(1, 13)},
    }
)
TYPEABLE = frozenset(string.digits + string.ascii_letters + string.punctuation + " \n\t")
MAX_CHARS_PER_COMMAND = 400
"""A shell accepts longer commands, but a lost command should not lose the whole text."""


class TypingStep(NamedTuple):
    """One step of typing: a text in the form of `input text`, or key codes."""

    text: str = ""
    codes: tuple[int, ...] = ()


def untypeable_characters(text: str) -> str:
    """Return the characters for which `input text` has no key, each once."""
    return "".join(dict.fromkeys(one for one in text if one not in TYPEABLE))


def typing_steps(text: str) -> Sequence[TypingStep]:
    """Return the steps that type a text.

    `input text` reads `%s` as a blank, so a blank is written as `%s` and a literal `%s` is typed in two steps.
    """
    steps: list[TypingStep] = []
    for part in _split_for_input(text):
        if part in ("\n", "\t"):
            steps.append(TypingStep(codes=(ENTER if part == "\n" else TAB,)))
        else:
            steps.append(TypingStep(text=part.replace(" ", "%s")))
    return steps


def _split_for_input(text: str) -> list[str]:
    parts, pending = [], ""
    for character in text:
        if character in "\n\t":
            parts += [pending, character]
            pending = ""
        elif (pending.endswith("%") and character == "s") or len(pending) >= MAX_CHARS_PER_COMMAND:
            parts.append(pending)
            pending = character
        else:
            pending += character
    return [part for part in (*parts, pending) if part]
