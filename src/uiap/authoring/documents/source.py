"""Parse the text of one manifest file into plain JSON values, or into diagnostics.

YAML 1.2 and JSON are parsed strictly, and no tag builds an object. Kinds and schemas are checked elsewhere.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import msgspec
import ryaml
from msgspec import UNSET

from uiap.authoring.diagnostic import Diagnostic
from uiap.authoring.documents.position import duplicate_key
from uiap.authoring.documents.scan import MAX_DEPTH, scan
from uiap.authoring.pointer import render
from uiap.protocol.duplicates import scan_for_duplicate_member

MAX_BYTES = 1024 * 1024
MAX_DISCOVERY_BYTES = 64 * 1024 * 1024
SAFE_INTEGER = 2**53 - 1  # JSON parsers disagree about larger values
MANIFEST_SUFFIXES = (".uiap.yaml", ".uiap.yml", ".uiap.json")

_AT = re.compile(r"(?: at)? line (\d+)(?:,)? column (\d+)")
_TO_ZERO = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdigit() else byte for byte in range(256))
_NEXT_DOCUMENT = re.compile(r"^(?:---|\.\.\.)(?:\s|$)", re.MULTILINE)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class ParsedSource(NamedTuple):
    """The value of a file, or its faults; never both."""

    value: Any
    faults: tuple[Diagnostic, ...] = ()


class Unreadable(Exception):
    """A text that cannot be parsed as a manifest; the message says why."""

    def __init__(
        self, code: str, message: str, *, line: int = 0, column: int = 0, pointer: str = "", hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code, self.line, self.column, self.pointer, self.hint = code, line, column, pointer, hint

    def diagnostic(self, file: str) -> Diagnostic:
        return Diagnostic(
            code=self.code,
            severity="error",
            message=str(self),
            file=file,
            line=self.line or UNSET,
            column=self.column or UNSET,
            pointer=self.pointer,
            hint=self.hint or UNSET,
        )


def read(file: str, content: str | bytes) -> ParsedSource:
    """Parse one manifest. Every fault has the file and, if known, the line."""
    try:
        text = decode_text(content, MAX_BYTES)
        value = _json(text.encode()) if file.endswith(".json") else _yaml(text)
        _check_values(value, text)
    except Unreadable as fault:
        return ParsedSource(None, (fault.diagnostic(file),))
    return ParsedSource(value)


def read_discovery(file: str, content: str | bytes) -> ParsedSource:
    """Parse a discovery package: JSON that may be larger than a manifest."""
    try:
        return ParsedSource(_json(decode_text(content, MAX_DISCOVERY_BYTES).encode()))
    except Unreadable as fault:
        return ParsedSource(None, (fault.diagnostic(file),))


def decode_text(content: str | bytes, limit: int) -> str:
    if len(content) > limit:
        size = f"{len(content):,} bytes, more than the {limit:,} allowed"
        raise Unreadable("file_too_large", f"the file has {size}", line=1, hint="split it")
    if isinstance(content, bytes):
        content = _utf8(content)
    if content.startswith("\ufeff"):
        raise Unreadable(
            "not_utf8", "the file begins with a byte order mark", line=1, hint="save as plain UTF-8"
        )
    if "\x00" in content:
        line = content.count("\n", 0, content.index("\x00")) + 1
        raise Unreadable(
            "not_utf8", "the file contains NUL characters", line=line, hint="save as plain UTF-8"
        )
    return content


def _utf8(content: bytes) -> str:
    if content.startswith(_BOMS):
        raise Unreadable(
            "not_utf8", "the file begins with a byte order mark", line=1, hint="save as plain UTF-8"
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable("not_utf8", "the file is not UTF-8", line=line, hint="save as plain UTF-8") from None


def _yaml(text: str) -> Any:
    found = scan(text)
    if found is not None:
        raise Unreadable(found.code, found.message, line=found.line, column=found.column, hint=found.hint)
    try:
        return ryaml.loads(text)
    except (ryaml.InvalidYamlError, ValueError, RecursionError) as error:
        raise _yaml_fault(text, str(error)) from None


def _yaml_fault(text: str, reason: str) -> Unreadable:
    if "duplicate entry" in reason:
        position = duplicate_key(text)
        return Unreadable(
            "duplicate_key",
            f"the key `{position.key}` occurs twice",
            line=position.line,
            column=position.column,
            pointer=position.pointer,
            hint="keep one of them",
        )
    if "more than one document" in reason:
        marks = [m.start() for m in _NEXT_DOCUMENT.finditer(text)]
        at = marks[1] if text.lstrip().startswith("---") and len(marks) > 1 else (marks or [0])[0]
        line = text.count("\n", 0, at) + 1
        return Unreadable(
            "yaml_documents", "the file contains more than one document", line=line, hint="split the file"
        )
    if "unhashable" in reason:
        return Unreadable(
            "key_not_text", "a key is a list or an object", line=1, hint="use plain text as key"
        )
    found = _AT.search(reason)
    line, column = (int(n) for n in found.groups()) if found else (_control_line(text, reason), 0)
    message = _AT.sub("", reason).split(", while")[0].strip()
    return Unreadable("yaml_syntax", message, line=line, column=column)


def _control_line(text: str, reason: str) -> int:
    position = re.search(r"position (\d+)", reason)
    if position is None:
        return 1
    return text.encode()[: int(position.group(1))].count(b"\n") + 1


def _json(data: bytes) -> Any:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        at = re.search(r"byte (\d+)", str(error))
        line = data.count(b"\n", 0, int(at.group(1)) if at else 0) + 1
        raise Unreadable("json_syntax", str(error) or "nested too deeply", line=line) from None
    if scan_for_duplicate_member(data):
        raise Unreadable(
            "duplicate_key", "an object has the same member twice", line=1, hint="keep one of them"
        )
    return value


def _check_values(value: Any, text: str) -> None:
    """Check the values if the text may contain a merge key or a number that JSON cannot represent."""
    lower = text.lower()
    has_long_number = b"0" * 16 in text.encode().translate(_TO_ZERO)  # 16 digits may exceed a float
    if has_long_number or "<<" in text or ".inf" in lower or ".nan" in lower:
        _walk(value, (), MAX_DEPTH)


def _walk(value: Any, path: tuple[str | int, ...], left: int) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "<<":
                raise Unreadable(
                    "yaml_merge_key",
                    "merge keys (`<<`) are not allowed in a manifest",
                    pointer=render(path),
                    hint="write the members out, or use an overlay",
                )
            _walk(item, (*path, key), left - 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, (*path, index), left - 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Unreadable("number_range", "infinity and NaN are not JSON numbers", pointer=render(path))
    elif isinstance(value, int) and abs(value) > SAFE_INTEGER:
        hint = "write it as text, in quotes"
        raise Unreadable("number_range", f"{value} is too large to be exact", pointer=render(path), hint=hint)
