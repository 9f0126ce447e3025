"""A look at YAML text before it is parsed: what a manifest may not hold is found here, with its line.

Refused are anchors, aliases, tags, directives and nesting past MAX_DEPTH: they make a small text large, slow or
ambiguous. Not a parser; a text that passes is still parsed strictly.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
_STAIRS = ("- " * MAX_DEPTH, "? " * MAX_DEPTH)
_SUSPECT = re.compile(r"(?:^|[\s\[{,:?-])[&*!]|^%", re.MULTILINE)
_BLOCK = re.compile(r"[|>][+-]?[1-9]?[+-]?[ \t]*(?:#.*)?$")
_QUOTED = {'"': re.compile(r'(?:[^"\\]|\\.|\\$)*("|$)'), "'": re.compile(r"(?:[^']|'')*('|$)")}
_PLAIN = re.compile(r"(?:[^:#]|:(?=\S)|(?<=\S)#)*")
_PLAIN_IN_FLOW = re.compile(r"(?:[^:#,\[\]{}]|:(?=[^\s,\[\]{}])|(?<=\S)#)*")
_SPACE = re.compile(r"[ \t]*")
_WORDS = {
    "&": ("yaml_anchor", "an anchor"),
    "*": ("yaml_alias", "an alias"),
    "!": ("yaml_tag", "a tag"),
    "%": ("yaml_directive", "a directive"),
}


class Found(NamedTuple):
    code: str
    line: int
    column: int
    message: str
    hint: str


def scan(text: str) -> Found | None:
    """The first forbidden thing in the text, or None."""
    signs = any(sign in text for sign in "&*!%")  # cheap, and most texts have none
    return _too_deep(text) or (_Lines(text).first() if signs and _SUSPECT.search(text) else None)


def _too_deep(text: str) -> Found | None:
    """Counts brackets, quoted or not: a text with a hundred unclosed ones is no manifest."""
    depth = 0
    for stairs in _STAIRS:
        if stairs in text:
            return _deep(text, text.index(stairs))
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    for bracket in _BRACKET.finditer(text):
        if bracket.group() in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return _deep(text, bracket.start())
        else:
            depth = max(0, depth - 1)
    return None


def _deep(text: str, at: int) -> Found:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return Found("yaml_depth", line, column, f"nested deeper than {MAX_DEPTH} levels", "flatten the document")


class _Lines:
    """Walks the lines of a suspect text and knows whether it stands in a quote, a block of text or a bracket."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.quote = ""
        self.block: int | None = None  # lines indented deeper than this are text
        self.flow = 0

    def first(self) -> Found | None:
        for number, line in enumerate(self.lines, 1):
            found = self._line(number, line)
            if found is not None:
                return found
        return None

    def _line(self, number: int, line: str) -> Found | None:
        at = 0
        if self.quote:
            at = self._end_of_quote(line, 0)
        elif self.block is not None:
            indent = len(line) - len(line.lstrip(" "))
            if not line.strip() or indent > self.block:
                return None
            self.block = None
        elif line.startswith("%"):
            return _found("%", number, 0)
        return self._tokens(number, line, at)

    def _tokens(self, number: int, line: str, at: int) -> Found | None:
        owner = 0  # where the key or dash began that owns what follows
        while (at := _after(_SPACE, line, at)) < len(line):
            sign, start = line[at], at
            if sign == "#" and (at == 0 or line[at - 1] in " \t"):
                return None
            if sign in "&*!":
                return _found(sign, number, at)
            if sign in "\"'":
                self.quote = sign
                at = self._end_of_quote(line, at + 1)
                owner = start
            elif sign in "[{":
                self.flow, at = self.flow + 1, at + 1
            elif sign in "]}" and self.flow:
                self.flow, at = self.flow - 1, at + 1
            elif sign in "," and self.flow:
                at += 1
            elif sign in ":-?" and (at + 1 == len(line) or line[at + 1] in " \t"):
                owner = owner if sign == ":" else start
                at += 1
            elif not self.flow and sign in "|>" and _BLOCK.match(line, at):
                self.block = owner
                return None
            else:
                owner = start
                at = max(_after(_PLAIN_IN_FLOW if self.flow else _PLAIN, line, at), at + 1)
        return None

    def _end_of_quote(self, line: str, at: int) -> int:
        found = _QUOTED[self.quote].match(line, at)
        assert found is not None  # the pattern also matches an unclosed rest
        if found.group(1):
            self.quote = ""
        return found.end()


def _after(pattern: re.Pattern[str], line: str, at: int) -> int:
    found = pattern.match(line, at)
    return found.end() if found else at


def _found(sign: str, line: int, at: int) -> Found:
    code, name = _WORDS[sign]
    hint = f"write the value out, or put text that begins with `{sign}` in quotes"
    return Found(code, line, at + 1, f"{name} (`{sign}`) is not allowed in a manifest", hint)
