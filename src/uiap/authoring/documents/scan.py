"""A look at YAML text before it is parsed: what a manifest may not hold is found here, with its line.

Refused are anchors, aliases, tags, directives and nesting past MAX_DEPTH: they make a small text large, slow or
ambiguous; and what two YAML readers would read differently, so that a reviewer and the build see one thing. Not a
parser; a text that passes is still parsed strictly.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
_STAIRS = ("- " * MAX_DEPTH, "? " * MAX_DEPTH)
_SUSPECT = re.compile(r"(?:^|[\s\[{,:?-])[&*!]|^%", re.MULTILINE)
_BLOCK = re.compile(r"[|>][+-]?[1-9]?[+-]?[ \t]*(?:#.*)?$")
_GLUED = re.compile(r"[|>][+-]?[1-9]?[+-]?#")
_BEFORE_COMMENT = re.compile(r"[\]}\"',|>0-9+-]#")
_ALONE = re.compile(r"-\s*(?:[,\]}]|$)")
_DOCUMENT = re.compile(r"---(?:[ \t]|$)")
_NO_END = re.compile(r"\n[ \t]+\Z")
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


_AMBIGUITIES = {
    "#": "a comment begins without a space before it",
    "|": "a comment begins without a space before it",
    ">": "a comment begins without a space before it",
    "?": "`?` begins a word inside brackets",
    "-": "a dash stands alone inside brackets",
}


class ScanFinding(NamedTuple):
    code: str
    line: int
    column: int
    message: str
    hint: str


def scan(text: str) -> ScanFinding | None:
    """The first forbidden thing in the text, or None."""
    signs = any(sign in text for sign in "&*!%")  # cheap, and most texts have none
    deep = _too_deep(text) or _unterminated_last_line(text)
    if deep is not None:
        return deep
    suspect = (signs and _SUSPECT.search(text)) or _may_be_ambiguous(text)
    return _LineScanner(text).first() if suspect else None


def _may_be_ambiguous(text: str) -> bool:
    """May hold what readers of YAML disagree on: a look at the words before a walk over the lines."""
    if "#" in text and _BEFORE_COMMENT.search(text):
        return True
    flows = "[" in text or "{" in text
    return flows and ("?" in text or any(end in text for end in ("-,", "-]", "-}", "- ]", "- ,", "- }")))


def _unterminated_last_line(text: str) -> ScanFinding | None:
    found = _NO_END.search(text)
    if found is None:
        return None
    line = text.count("\n") + 1
    message = "the last line holds only spaces and has no end"
    return ScanFinding("yaml_ambiguous", line, 1, message, "end the file with a line break")


def _too_deep(text: str) -> ScanFinding | None:
    """Counts brackets, quoted or not: a text with a hundred unclosed ones is no manifest."""
    depth = 0
    for stairs in _STAIRS:
        if stairs in text:
            return _depth_finding(text, text.index(stairs))
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    for bracket in _BRACKET.finditer(text):
        if bracket.group() in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return _depth_finding(text, bracket.start())
        else:
            depth = max(0, depth - 1)
    return None


def _depth_finding(text: str, at: int) -> ScanFinding:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return ScanFinding(
        "yaml_depth", line, column, f"nested deeper than {MAX_DEPTH} levels", "flatten the document"
    )


class _LineScanner:
    """Walks the lines of a suspect text and knows whether it stands in a quote, a block of text or a bracket."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.quote = ""
        self.block: int | None = None  # lines indented deeper than this are text
        self.flow = 0

    def first(self) -> ScanFinding | None:
        for number, line in enumerate(self.lines, 1):
            found = self._line(number, line)
            if found is not None:
                return found
        return None

    def _line(self, number: int, line: str) -> ScanFinding | None:
        at = 0
        if self.quote:
            at = self._end_of_quote(line, 0)
        elif self.block is not None:
            indent = len(line) - len(line.lstrip(" "))
            if not line.strip() or indent > self.block:
                return None
            self.block = None
        elif line.startswith("%"):
            return _sign_finding("%", number, 0)
        elif _DOCUMENT.match(line):
            at = 3  # what follows the mark on its line belongs to the document
        return self._tokens(number, line, at)

    def _tokens(self, number: int, line: str, at: int) -> ScanFinding | None:
        owner = 0  # where the key or dash began that owns what follows
        while (at := _after(_SPACE, line, at)) < len(line):
            sign, start = line[at], at
            if sign == "#" and (at == 0 or line[at - 1] in " \t"):
                return None
            if self._read_differently(line, at):
                return ScanFinding(
                    "yaml_ambiguous", number, at + 1, _AMBIGUITIES[sign], "add a space, or use quotes"
                )
            if sign in "&*!":
                return _sign_finding(sign, number, at)
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

    def _read_differently(self, line: str, at: int) -> bool:
        """Where YAML 1.2 refuses or says one thing, and common readers say another."""
        sign, after = line[at], line[at + 1 : at + 2]
        if sign == "#":
            return True  # not after white space, and not inside a word
        if sign in "|>":
            return not self.flow and _GLUED.match(line, at) is not None
        if sign == "?":
            return self.flow > 0 and after not in ("", " ", "\t")
        return sign == "-" and self.flow > 0 and _ALONE.match(line, at) is not None

    def _end_of_quote(self, line: str, at: int) -> int:
        found = _QUOTED[self.quote].match(line, at)
        assert found is not None  # the pattern also matches an unclosed rest
        if found.group(1):
            self.quote = ""
        return found.end()


def _after(pattern: re.Pattern[str], line: str, at: int) -> int:
    found = pattern.match(line, at)
    return found.end() if found else at


def _sign_finding(sign: str, line: int, at: int) -> ScanFinding:
    code, name = _WORDS[sign]
    hint = f"write the value out, or put text that begins with `{sign}` in quotes"
    return ScanFinding(code, line, at + 1, f"{name} (`{sign}`) is not allowed in a manifest", hint)
