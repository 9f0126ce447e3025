"""Versions and version ranges in the style of semver; missing parts count as 0.

The rules differ from npm: `^0.y.z` is `>=0.y.z <0.(y+1).0`, and `<=0.1` is `<=0.1.0`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple, TypeAlias

MAX_LENGTH = 200
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_LABELS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION = re.compile(rf"v?({_NUMBER})(?:\.({_NUMBER}))?(?:\.({_NUMBER}))?(?:-({_LABELS}))?(?:\+{_LABELS})?")
_TERM = re.compile(
    rf"(>=|<=|>|<|=|\^|~)?\s*v?([xX*]|{_NUMBER})(?:\.([xX*]|{_NUMBER}))?(?:\.([xX*]|{_NUMBER}))?"
    rf"(?:-({_LABELS}))?(?:\+{_LABELS})?(?=\s|$)"
)
_WILD = ("x", "X", "*")


class BadVersion(ValueError):
    """A text that is not a version or not a range; the message quotes it."""


class Version(NamedTuple):
    major: int
    minor: int
    patch: int
    labels: tuple[str, ...] = ()

    @property
    def triple(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    @property
    def order(self) -> tuple[tuple[int, int, int], bool, tuple[tuple[bool, int, str], ...]]:
        """The sort key: a pre-release sorts before its release, numbers before words."""
        parts = tuple((not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in self.labels)
        return self.triple, not self.labels, parts

    def __str__(self) -> str:
        labels = "-" + ".".join(self.labels) if self.labels else ""
        return f"{self.major}.{self.minor}.{self.patch}{labels}"


class Bound(NamedTuple):
    op: str  # one of >= > < <= =
    version: Version

    def admits(self, version: Version) -> bool:
        left, right = version.order, self.version.order
        match self.op:
            case ">=":
                return left >= right
            case ">":
                return left > right
            case "<":
                return left < right
            case "<=":
                return left <= right
        return left == right


Range: TypeAlias = tuple[tuple[Bound, ...], ...]  # any of the inner tuples, all bounds of it


@cache
def parse_version(text: str) -> Version:
    """Return the version in a text; raise BadVersion."""
    found = _VERSION.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if found is None:
        raise BadVersion(f"`{text[:40]}` is not a version like 1.2.0")
    major, minor, patch, labels = found.groups()
    return Version(int(major), int(minor or 0), int(patch or 0), tuple(labels.split(".")) if labels else ())


@cache
def parse_range(text: str) -> Range:
    """Return the range in a text such as `>=0.1 <0.2`, `^1.2 || ~2.0.1`, `1.x` or `*`; raise BadVersion."""
    if not text.strip() or len(text) > MAX_LENGTH:
        raise BadVersion(f"`{text[:40]}` is not a version range like `>=0.1 <0.2`")
    return tuple(_all_of(part.strip(), text) for part in text.split("||"))


def satisfies(version: Version, wanted: Range) -> bool:
    """Return whether a version is in a range."""
    return any(_satisfies_all(version, bounds) for bounds in wanted)


def _satisfies_all(version: Version, bounds: tuple[Bound, ...]) -> bool:
    if not all(bound.admits(version) for bound in bounds):
        return False
    # A pre-release matches only a range that names a pre-release of the same triple.
    return not version.labels or any(b.version.labels and b.version.triple == version.triple for b in bounds)


def _all_of(part: str, whole: str) -> tuple[Bound, ...]:
    bounds: list[Bound] = []
    at = 0
    while at < len(part) or not part:
        term = _TERM.match(part, at)
        if term is None:
            raise BadVersion(f"`{whole}` is not a version range like `>=0.1 <0.2`")
        bounds.extend(_bounds(*term.groups()))
        at = term.end()
        while at < len(part) and part[at].isspace():
            at += 1
    return tuple(bounds)


def _bounds(
    op: str | None, major: str, minor: str | None, patch: str | None, labels: str | None
) -> list[Bound]:
    parts = (major, minor, patch)
    wild = next((i for i, part in enumerate(parts) if part in _WILD), None)
    known = [
        0 if part is None or (wild is not None and i >= wild) else int(part) for i, part in enumerate(parts)
    ]
    low = Version(known[0], known[1], known[2], tuple(labels.split(".")) if labels else ())
    if wild is not None:
        return _wildcard_bounds(op, low, wild)
    match op:
        case "^":
            return [Bound(">=", low), Bound("<", _after(low, 0 if low.major else 1))]
        case "~":
            return [Bound(">=", low), Bound("<", _after(low, 1))]
    return [Bound(op or "=", low)]


def _wildcard_bounds(op: str | None, low: Version, part: int) -> list[Bound]:
    """Return the bounds of a wildcard: `1.x` is every 1; `>` and `<=` refer to the whole block."""
    if part == 0:
        return [Bound("<", Version(0, 0, 0))] if op in ("<", ">") else []
    high = _after(low, part - 1)
    match op:
        case ">":
            return [Bound(">=", high)]
        case ">=":
            return [Bound(">=", low)]
        case "<":
            return [Bound("<", low)]
        case "<=":
            return [Bound("<", high)]
        case "^":
            return [Bound(">=", low), Bound("<", _after(low, 0 if low.major or part == 1 else 1))]
    return [Bound(">=", low), Bound("<", high)]


def _after(version: Version, part: int) -> Version:
    """Return the first version after all versions that begin like `version` up to and including `part`."""
    parts = [*version.triple[:part], version.triple[part] + 1, 0, 0]
    return Version(parts[0], parts[1], parts[2])
