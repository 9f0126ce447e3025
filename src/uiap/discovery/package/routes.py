"""Merges routes into patterns: siblings whose pages offer the same controls differ only in a parameter (DISC-15.1).

Numeric ids are recognised in the path. Names are recognised by the shape of their pages.
"""

from __future__ import annotations

from collections.abc import Iterable

from uiap.discovery.knowledge.findings import RouteFinding

PATTERN_SIBLINGS = 3


def merged_routes(routes: Iterable[RouteFinding]) -> dict[str, str]:
    """Map each route id to the id of its pattern. Routes that the application declares keep their ids."""
    families: dict[tuple[str, int, frozenset[str]], list[RouteFinding]] = {}
    for route in routes:
        if not route.declared and route.shapes and route.id.startswith("/") and route.id.count("/") > 1:
            parent, _, last = route.id.rpartition("/")
            if last and not last.startswith(":"):
                key = (parent, route.id.count("/"), frozenset(route.shapes))
                families.setdefault(key, []).append(route)
    renamed: dict[str, str] = {}
    for (parent, _, _), members in families.items():
        if len(members) >= PATTERN_SIBLINGS:
            renamed |= {one.id: f"{parent}/:name" for one in members}
    return renamed
