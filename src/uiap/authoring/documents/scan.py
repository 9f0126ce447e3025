"""Scan YAML text before it is parsed, and find constructs that a manifest may not contain.

Anchors, aliases, tags, directives and nesting beyond MAX_DEPTH are refused, because they make a small text large, slow
or ambiguous. Texts that YAML parsers read differently are refused too, so that a reviewer and the build see the same.
This is not a parser: a text that passes is still parsed strictly.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
_NESTED_MARKS = ("- " * MAX_DEPTH, "? " * MAX_DEPTH)
_SUSPECT = re.compile(r"(?:^|[\s\[{,:?-])[&*!]|^%", re.MULTILINE)
_BLOCK = re.compile(r"[|>][+-]?[1-9]?[+-]?[ \t]*(?:#.*)?$")
_BLOCK_WITH_COMMENT = re.compile(r"[|>][+-]?[1-9]?[+-]?#")
_BEFORE_COMMENT = re.compile(r"[\]}\"',|>0-9+-]#")
_SINGLE_DASH = re.compile(r"-\s*(?:[,\]}]|$)")
_DOCUMENT = re.compile(r"---(?:[ \t]|$)")
_NO_END = re.compile(r"\n[ \t]+\Z")
_QUOTED = {'"': re.compile(r'(?:[^"\\]|\\.|\\$)*("|$)'), "'": re.compile(r"(?:[^']|'')*('|$)")}
_PLAIN = re.compile(r"(?:[^:#]|:(?=\S)|(?<=\S)#)*")
_PLAIN_IN_FLOW = re.compile(r"(?:[^:#,\[\]{}]|:(?=[^\s,\[\]{}])|(?<=\S)#)*")
_SPACE = re.compile(r"[ \t]*")
_FORBIDDEN = {
    "&": ("yaml_anchor", "an anchor"),
    "*": ("yaml_alias", "an alias"),
    "!": ("yaml_tag", "a tag"),
    "%": ("yaml_directive", "a directive"),
}


_AMBIGUITIES = {
    "#": "a comment begins without a space before it",
    "|": "a comment begins without a space before it",
    ">": "a comment begins without a space before it",
    "?": "a word inside brackets begins with `?`",
    "-": "a single dash is inside brackets",
}


class ScanFinding(NamedTuple):
    """A forbidden construct, with its position."""

    code: str
    line: int
    column: int
    message: str
    hint: str


def scan(text: str) -> ScanFinding | None:
    """Return the first forbidden construct in the text, or None."""
    has_signs = any(sign in text for sign in "&*!%")  # a cheap check; most texts have none
    deep = _too_deep(text) or _unterminated_last_line(text)
    if deep is not None:
        return deep
    is_suspect = (has_signs and _SUSPECT.search(text)) or _may_be_ambiguous(text)
    return _LineScanner(text).first() if is_suspect else None


def _may_be_ambiguous(text: str) -> bool:
    """Return whether the text may contain a construct that YAML parsers read differently; a cheap check."""
    if "#" in text and _BEFORE_COMMENT.search(text):
        return True
    flows = "[" in text or "{" in text
    return flows and ("?" in text or any(end in text for end in ("-,", "-]", "-}", "- ]", "- ,", "- }")))


def _unterminated_last_line(text: str) -> ScanFinding | None:
    found = _NO_END.search(text)
    if found is None:
        return None
    line = text.count("\n") + 1
    message = "the last line has only spaces and no line break"
    return ScanFinding("yaml_ambiguous", line, 1, message, "end the file with a line break")


def _too_deep(text: str) -> ScanFinding | None:
    """Find nesting beyond MAX_DEPTH by counting brackets, also in quotes."""
    depth = 0
    for marks in _NESTED_MARKS:
        if marks in text:
            return _depth_finding(text, text.index(marks))
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
    """Scans the lines of a text, and tracks quotes, block texts and brackets."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.quote = ""
        self.block: int | None = None  # lines with a deeper indent are text
        self.flow = 0

    def first(self) -> ScanFinding | None:
        for number, line in enumerate(self.lines, 1):
            found = self._scan_line(number, line)
            if found is not None:
                return found
        return None

    def _scan_line(self, number: int, line: str) -> ScanFinding | None:
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
            at = 3  # the rest of this line belongs to the document
        return self._scan_tokens(number, line, at)

    def _scan_tokens(self, number: int, line: str, at: int) -> ScanFinding | None:
        owner = 0  # column of the key or dash that owns the value
        while (at := _end_of(_SPACE, line, at)) < len(line):
            sign, start = line[at], at
            if sign == "#" and (at == 0 or line[at - 1] in " \t"):
                return None
            if self._is_ambiguous(line, at):
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
                at = max(_end_of(_PLAIN_IN_FLOW if self.flow else _PLAIN, line, at), at + 1)
        return None

    def _is_ambiguous(self, line: str, at: int) -> bool:
        """Return whether common parsers read this character differently than YAML 1.2."""
        sign, after = line[at], line[at + 1 : at + 2]
        if sign == "#":
            return True  # not after white space, and not inside a word
        if sign in "|>":
            return not self.flow and _BLOCK_WITH_COMMENT.match(line, at) is not None
        if sign == "?":
            return self.flow > 0 and after not in ("", " ", "\t")
        return sign == "-" and self.flow > 0 and _SINGLE_DASH.match(line, at) is not None

    def _end_of_quote(self, line: str, at: int) -> int:
        found = _QUOTED[self.quote].match(line, at)
        assert found is not None  # the pattern also matches an unclosed rest
        if found.group(1):
            self.quote = ""
        return found.end()


def _end_of(pattern: re.Pattern[str], line: str, at: int) -> int:
    found = pattern.match(line, at)
    return found.end() if found else at


def _sign_finding(sign: str, line: int, at: int) -> ScanFinding:
    code, name = _FORBIDDEN[sign]
    hint = f"write the value out, or put text that begins with `{sign}` in quotes"
    return ScanFinding(code, line, at + 1, f"{name} (`{sign}`) is not allowed in a manifest", hint)
