"""Texts of pages on a person's terminal: they can neither move the cursor nor add lines of their own.

A label or a console line may hold control sequences, which clear a line that the person should read, or write another.
Standard library alone.
"""

from __future__ import annotations

import re
from typing import Any, TextIO

from uiap.lookalikes import neutralised

MAX_LINE = 400
_OWN_SEQUENCE = r"\x1b\[(?:[0-3]?[0-9]|9[0-7])m|\r\x1b\[2K"
"""The colours and the erased line that our own commands write. 8 hides text, so it is no colour."""
_CONTROL = re.compile(
    rf"(?!\x1b\[0?8m)(?P<own>{_OWN_SEQUENCE})|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


def one_line(text: str) -> str:
    """Return a text of a page on one line, without characters that hide or reorder text. A long one is cut."""
    line = neutralised(text)
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"


def visible(text: str) -> str:
    """Return a text with its control characters as symbols. Line breaks, tabs and our own colours stay."""
    return _CONTROL.sub(lambda found: found[0] if found["own"] else _symbol(found[0]), text)


def _symbol(control: str) -> str:
    code = ord(control)
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


class TerminalOutput:
    """A stream to a terminal that writes control characters of a text as symbols."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guarded(stream: TextIO) -> TextIO:
    """Return the stream, guarded if it is a terminal. A file or a pipe gets each text as it is."""
    return TerminalOutput(stream) if stream.isatty() else stream  # type: ignore[return-value]
