"""ReviewSet: review decisions and waivers. It never changes content."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered


class BadTimestamp(ValueError):
    """A text that is not a date and time with a time zone."""


def parse_timestamp(text: str) -> datetime:
    """Return the time of a text with an offset; without one it would depend on the machine."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise BadTimestamp(f"`{text}` is not a date and time like 2026-03-26T17:00:00Z") from None
    if parsed.tzinfo is None:
        raise BadTimestamp(f"`{text}` has no time zone; end it with `Z`")
    return parsed


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for section in ("decisions", "waivers"):
        for index, entry in numbered(spec, section):
            for member in ("at", "expiresAt"):
                if member in entry:
                    _check_timestamp(entry[member], (section, index, member), facts)
            if not entry["by"].strip():
                facts.lint(
                    "error",
                    "no_reviewer",
                    (section, index, "by"),
                    "`by` is empty; name the person who decided",
                )


def _check_timestamp(text: str, where: tuple[str | int, ...], facts: FactCollector) -> None:
    try:
        parse_timestamp(text)
    except BadTimestamp as error:
        facts.lint("error", "bad_time", where, str(error))


KIND = ManifestKind("ReviewSet", _inspect)
