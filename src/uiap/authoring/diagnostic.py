"""Diagnostics of a build: every problem is a value, not an exception.

A diagnostic has a file and a JSON Pointer. `documents.position` adds line and column later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from uiap.spec.base import Struct

Severity: TypeAlias = Literal["error", "refusal", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "refusal", "warning", "info")


class Diagnostic(Struct):
    """One problem. A `refusal` is valid content that may not be published."""

    code: str
    severity: Severity
    message: str
    file: str = ""
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    pointer: str = ""
    hint: str | UnsetType = UNSET

    def __str__(self) -> str:
        line = "" if self.line is UNSET else f":{self.line}"
        column = "" if self.column is UNSET else f":{self.column}"
        at = f" at `{self.pointer}`" if self.pointer else ""
        where = f"{self.file}{line}{column}: " if self.file else ""
        hint = "" if self.hint is UNSET else f" ({self.hint})"
        return f"{where}{self.severity} {self.code}{at}: {self.message}{hint}"


class Problems:
    """Collects diagnostics in order; equal ones count once."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}
        self._unreadable: dict[str, str] = {}

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def error(self, code: str, message: str, file: str = "", pointer: str = "", hint: str = "") -> None:
        self._add("error", code, message, file, pointer, hint)

    def warning(self, code: str, message: str, file: str = "", pointer: str = "", hint: str = "") -> None:
        self._add("warning", code, message, file, pointer, hint)

    def info(self, code: str, message: str, file: str = "", pointer: str = "", hint: str = "") -> None:
        self._add("info", code, message, file, pointer, hint)

    def refusal(self, code: str, message: str, file: str = "", pointer: str = "", hint: str = "") -> None:
        self._add("refusal", code, message, file, pointer, hint)

    def mark_unreadable(self, manifest_id: str, kind: str) -> None:
        """Record a listed manifest that cannot be read, so that items missing because of it are not reported."""
        self._unreadable[manifest_id] = kind

    def is_unreadable(self, manifest_id: str) -> bool:
        return manifest_id in self._unreadable

    def has_unreadable_kind(self, *kinds: str) -> bool:
        return any(kind in kinds for kind in self._unreadable.values())

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._found.update(dict.fromkeys(diagnostics))

    def has(self, severity: Severity) -> bool:
        return any(d.severity == severity for d in self._found)

    def _add(self, severity: Severity, code: str, message: str, file: str, pointer: str, hint: str) -> None:
        found = Diagnostic(
            code=code, severity=severity, message=message, file=file, pointer=pointer, hint=hint or UNSET
        )
        self._found[found] = None


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics by severity, then by position, independent of the order of files."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda d: (
                SEVERITIES.index(d.severity),
                d.file,
                0 if d.line is UNSET else d.line,
                d.pointer,
                d.code,
                d.message,
            ),
        )
    )


def warnings_as_errors(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics with warnings turned into errors (`BuildSpec.strict`)."""
    for found in diagnostics:
        yield replace(found, severity="error") if found.severity == "warning" else found
