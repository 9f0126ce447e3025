"""Recognises the routes of a bundle on a live page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from uiap.graph.names import DECORATED, match_level
from uiap.graph.store import GraphStore
from uiap.signals.route import matches_pattern, route_paths
from uiap.spec.authoring import PathMatcher, RouteBinding, RouteIdMatcher, TitleMatcher, UrlPatternMatcher


class Routes:
    """The route bindings of one bundle, by id."""

    def __init__(self, bindings: Iterable[RouteBinding]) -> None:
        self.by_id: Mapping[str, RouteBinding] = {one.id: one for one in bindings}

    def current(self, store: GraphStore) -> tuple[str, ...]:
        """Return the ids of the routes that the page shows. An exact path excludes patterns that fit it too."""
        fitting = [one for one in self.by_id.values() if is_route(store, one)]
        exact = [one.id for one in fitting if any(_is_exact(store, matcher) for matcher in one.match)]
        return tuple(exact or [one.id for one in fitting])

    def includes(self, store: GraphStore, ids: Any) -> bool:
        """Return whether the page is on one of the routes. Without known routes, every page is."""
        known = [id for id in ids or () if id in self.by_id]
        return not known or not set(known).isdisjoint(self.current(store))


def is_route(store: GraphStore, route: RouteBinding) -> bool:
    return any(_fits(store, matcher) for matcher in route.match)


def _is_exact(store: GraphStore, matcher: Any) -> bool:
    return isinstance(matcher, PathMatcher | RouteIdMatcher) and _fits(store, matcher)


def _fits(store: GraphStore, matcher: Any) -> bool:
    path, _ = route_paths(store.route)
    match matcher:
        case PathMatcher(value=value):
            return path.rstrip("/") == value.rstrip("/")
        case UrlPatternMatcher(value=value):
            return matches_pattern(value, path)
        case RouteIdMatcher(value=value):
            return store.route.route_id == value
        case TitleMatcher(value=value):
            title = store.route.title
            return isinstance(title, str) and match_level(title, value) >= DECORATED
    return False
