"""Compares two packages: findings that appeared, vanished or changed, matched by meaning and not by number.

It also compares two principals, of one package or of two (DISC-17.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from uiap.spec.base import Struct
from uiap.spec.discovery import DiscoveryPackage

_IGNORED_MEMBERS = frozenset({"discoveredBy", "confidence", "urls", "metadata", "reviewState"})
_COMPARED_METADATA = ("sideEffectClass", "decision", "options", "pattern")


class PackageChange(Struct):
    kind: str
    id: str
    members: tuple[str, ...] = ()


class PackageDiff(Struct):
    appeared: tuple[PackageChange, ...] = ()
    vanished: tuple[PackageChange, ...] = ()
    changed: tuple[PackageChange, ...] = ()


def compare(
    before: DiscoveryPackage, after: DiscoveryPackage, *, one: str | None = None, other: str | None = None
) -> PackageDiff:
    """Return the differences. With principals, compare what `one` found before with what `other` found after."""
    old, new = dict(_findings(before, one)), dict(_findings(after, other))
    appeared = [PackageChange(kind=kind, id=id) for kind, id in new if (kind, id) not in old]
    vanished = [PackageChange(kind=kind, id=id) for kind, id in old if (kind, id) not in new]
    changed = [
        PackageChange(kind=key[0], id=key[1], members=members)
        for key in new
        if key in old and (members := tuple(_changed_members(old[key], new[key])))
    ]
    return PackageDiff(appeared=_sorted(appeared), vanished=_sorted(vanished), changed=_sorted(changed))


def diff_lines(diff: PackageDiff) -> Iterator[str]:
    """Yield the differences as lines for people."""
    for sign, group in (("+", diff.appeared), ("-", diff.vanished), ("~", diff.changed)):
        for change in group:
            members = f" ({', '.join(change.members)})" if change.members else ""
            yield f"{sign} {change.kind} {change.id}{members}"
    if not (diff.appeared or diff.vanished or diff.changed):
        yield "no difference"


def _findings(
    package: DiscoveryPackage, principal: str | None
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    flows = package.workflow_candidates.workflows if package.workflow_candidates else ()
    groups: tuple[tuple[str, Iterable[Struct], str], ...] = (
        ("route", package.route_catalog.routes, "routeId"),
        ("scope", package.scope_catalog.scopes, "scopeId"),
        ("element", package.element_catalog.elements, "semanticKey"),
        ("action", package.action_catalog.actions, "id"),
        ("workflow", flows, "id"),
        ("review", package.review_queue.items, "description"),
    )
    for kind, items, id in groups:
        for item in items:
            plain = msgspec.to_builtins(item)
            principals = (plain.get("metadata") or {}).get("principals")
            if principal is None or (principals is not None and principal in principals):
                yield (kind, plain[id]), plain


def _changed_members(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for member in sorted((old.keys() | new.keys()) - _IGNORED_MEMBERS - {"id", "evidence"}):
        if old.get(member) != new.get(member):
            yield member
    before, after = old.get("metadata") or {}, new.get("metadata") or {}
    for member in _COMPARED_METADATA:
        if before.get(member) != after.get(member):
            yield member


def _sorted(changes: list[PackageChange]) -> tuple[PackageChange, ...]:
    return tuple(sorted(changes, key=lambda change: (change.kind, change.id)))
