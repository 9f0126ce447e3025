"""File names that a package may contain: plain relative paths inside its folder.

Only names are checked here; the code that reads files checks for links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_LENGTH = 240
_PART = re.compile(r"[^\x00-\x1f\x7f<>:\"|?*\\/]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def path_fault(path: str) -> str | None:
    """Return why a path may not be used, or None if it may."""
    if not path or len(path) > MAX_LENGTH:
        return "it is empty or too long"
    if _SCHEME.match(path):
        return "it is a URL or names a drive; a manifest is read only from the package folder"
    if path.startswith(("/", "\\", "~")):
        return "it is not relative to the package folder"
    if "\\" in path:
        return "it has a backslash; write `/` between folders"
    return next((fault for part in path.split("/") if (fault := _part_fault(part))), None)


def _part_fault(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "it has an empty, `.` or `..` part and could lead outside the package"
    if not _PART.fullmatch(part) or part != part.strip() or part.endswith("."):
        return "it has characters that not every file system supports"
    if _DEVICES.fullmatch(part):
        return f"`{part}` names a device on some systems"
    return None


def collisions(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs that differ only in case: one file on some systems, two on others."""
    seen: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for path in sorted(paths):
        first = seen.setdefault(path.casefold(), path)
        if first != path:
            found.append((first, path))
    return found
