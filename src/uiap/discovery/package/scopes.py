"""Scopes whose name is data: the title of a video on the page of that video. Their ids leave the name out."""

from __future__ import annotations

from uiap.discovery.knowledge.findings import Findings, ScopeFinding
from uiap.graph.scope_names import slug

RECORD = ".record"


def scopes_without_data(findings: Findings) -> dict[str, str]:
    """Map the id of each scope that is named after a record, and of the scopes inside it, to an id without the name."""
    renamed = {one.id: _without_name(one) for one in _named_after_records(findings)}
    for id in findings.scopes:
        if id not in renamed:
            inside = next((outer for outer in renamed if id.startswith(f"{outer}/")), None)
            if inside is not None:
                renamed[id] = renamed[inside] + id.removeprefix(inside)
    return renamed


def _without_name(one: ScopeFinding) -> str:
    outer, slash, _ = one.id.rpartition("/")
    return f"{outer}{slash}{one.kind}{RECORD}"


def _named_after_records(findings: Findings) -> list[ScopeFinding]:
    families: dict[tuple[str | None, str, frozenset[str]], list[ScopeFinding]] = {}
    for one in findings.scopes.values():
        if one.names and one.source != "annotation" and not one.stable_ids and _is_about_a_record(one):
            families.setdefault((one.parent, one.kind, frozenset(one.routes)), []).append(one)
    return [
        one
        for family in families.values()
        for one in family
        if _is_data(one, family) or _is_in_title(one, findings)
    ]


def _is_about_a_record(one: ScopeFinding) -> bool:
    """Return whether the scope occurs only on routes with a parameter."""
    return all("/:" in route for route in one.routes)


def _is_data(one: ScopeFinding, family: list[ScopeFinding]) -> bool:
    """Return whether another scope takes its place in every other state of the same route."""
    others = [other for other in family if other is not one]
    return bool(others) and all(one.states.keys().isdisjoint(other.states) for other in others)


def _is_in_title(one: ScopeFinding, findings: Findings) -> bool:
    names = {slug(name) for name in one.names}
    titles = (slug(title, 200) for route in one.routes for title in findings.routes[route].titles)
    return any(name and name in title for title in titles for name in names)
