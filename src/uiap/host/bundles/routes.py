"""Recognises the routes of a bundle on a live page, and returns their addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from uiap.graph.names import DECORATED, match_level
from uiap.graph.store import GraphStore
from uiap.host.bundles.adapters import RouteProvider
from uiap.signals.route import matches_pattern, route_paths
from uiap.spec.authoring import PathMatcher, RouteBinding, RouteIdMatcher, TitleMatcher, UrlPatternMatcher
from uiap.spec.text import AuthoredMessage
from uiap.spec.web import RouteInfo

_PARAMETER = re.compile(r":(\w+)")
_MAX_KNOWN = 64


class Routes:
    """The route bindings of one bundle, by id. `mode` is the routing mode of the app: history, hash or custom."""

    def __init__(self, bindings: Iterable[RouteBinding], mode: object = UNSET) -> None:
        self.by_id: Mapping[str, RouteBinding] = {one.id: one for one in bindings}
        self._mode = mode
        self._provider: RouteProvider | None = None
        self._known: dict[tuple[Any, ...], tuple[str, ...]] = {}
        """The answers for the last routes. Every binding of a page asks for the same one."""

    def use_provider(self, provider: RouteProvider | None) -> None:
        """Read and write paths by the functions of a program, or by the routing mode again (RUN-32)."""
        self._provider = provider
        self._known.clear()

    def current(self, store: GraphStore) -> tuple[str, ...]:
        """Return the ids of the routes that the page shows. An exact path excludes patterns that fit it too."""
        return self.of(store.route)

    def of(self, route: RouteInfo) -> tuple[str, ...]:
        key = (route.url, route.path, route.title, route.route_id)
        if key not in self._known:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[key] = self._recognise(route)
        return self._known[key]

    def _recognise(self, route: RouteInfo) -> tuple[str, ...]:
        path = self.path_of(route)
        fitting = [one for one in self.by_id.values() if any(_fits(route, path, m) for m in one.match)]
        exact = [one.id for one in fitting if any(_is_exact(route, path, matcher) for matcher in one.match)]
        return tuple(exact or [one.id for one in fitting])

    def path_of(self, route: RouteInfo) -> str:
        """Return the path as the route provider reads it, else by the routing mode: of the address or its fragment."""
        if self._provider is not None:
            return self._provider.path(route.url)
        split = urlsplit(route.url)
        if self._mode == "history":
            return split.path or "/"
        if self._mode == "hash":
            return "/" + split.fragment.removeprefix("!").strip("/").partition("?")[0]
        return route_paths(route)[0]

    def name(self, route: RouteInfo) -> RouteInfo:
        """Return the route with the id of the one binding that fits, where the page publishes no id (RUN-7)."""
        if route.route_id is not UNSET:
            return route
        found = self.of(route)
        if len(found) != 1:
            return route
        title = route.title or _title(self.by_id[found[0]])
        return replace(route, route_id=found[0], path=self.path_of(route), title=title)

    def includes(self, store: GraphStore, ids: Any) -> bool:
        """Return whether the page is on one of the routes or below it. Without known routes, every page is."""
        known = [id for id in ids or () if id in self.by_id]
        return not known or not set(known).isdisjoint(self._with_parents(self.current(store)))

    def _with_parents(self, ids: Iterable[str]) -> Iterator[str]:
        for id in ids:
            seen: set[str] = set()
            up: object = id
            while isinstance(up, str) and up in self.by_id and up not in seen:
                seen.add(up)
                yield up
                up = self.by_id[up].parent_route_id

    def address(self, id: str, params: Mapping[str, Any]) -> str:
        """Return the address of a route with its parameters filled in. Raise ValueError where there is none."""
        route = self.by_id.get(id)
        if route is None:
            raise ValueError(f"`{id}` is no route of the bundle; there are {', '.join(sorted(self.by_id))}")
        patterns = [m.value for m in route.match if isinstance(m, PathMatcher | UrlPatternMatcher)]
        path = next((one for one in patterns if "*" not in one), None)
        if path is None:
            raise ValueError(f"the route `{id}` has no address; add a path or urlPattern matcher")
        missing = [name for name in _PARAMETER.findall(path) if name not in params]
        if missing:
            raise ValueError(f"the route `{id}` needs params: {', '.join(missing)}")
        filled = _PARAMETER.sub(lambda found: quote(str(params[found[1]]), safe=""), path)
        if self._provider is not None:
            return self._provider.address(filled)
        return f"#{filled}" if self._mode == "hash" else filled


def _title(binding: RouteBinding) -> str | UnsetType:
    """Return the title that the bundle gives the route, for a page that has none."""
    title = binding.title
    return title.default if isinstance(title, AuthoredMessage) else title


def _is_exact(route: RouteInfo, path: str, matcher: Any) -> bool:
    return isinstance(matcher, PathMatcher | RouteIdMatcher) and _fits(route, path, matcher)


def _fits(route: RouteInfo, path: str, matcher: Any) -> bool:
    match matcher:
        case PathMatcher(value=value):
            return path.rstrip("/") == value.rstrip("/")
        case UrlPatternMatcher(value=value):
            return matches_pattern(value, path)
        case RouteIdMatcher(value=value):
            return route.route_id == value
        case TitleMatcher(value=value):
            title = route.title
            return isinstance(title, str) and match_level(title, value) >= DECORATED
    return False
