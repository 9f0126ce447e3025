"""route.changed: the route differs from the one before dispatch, and fits the pattern if there is one."""

from __future__ import annotations

from urllib.parse import urlsplit

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.verdict import NOT_MET, Verdict
from uiap.spec.capability import RouteChanged
from uiap.spec.web import RouteInfo

RoutePaths = tuple[str, str]
"""The path, and the path with its query."""


def route_paths(route: RouteInfo) -> RoutePaths:
    """Return the path of a route, without and with its query."""
    split = urlsplit(route.url)
    path = route.path if isinstance(route.path, str) else split.path
    return path, f"{path}?{split.query}" if split.query else path


def read(_signal: RouteChanged, store: GraphStore) -> tuple[str, RoutePaths]:
    return store.route.url, route_paths(store.route)


def judge(
    signal: RouteChanged, before: tuple[str, RoutePaths], now: tuple[str, RoutePaths], log: SignalLog
) -> Verdict:
    if before[0] == now[0]:
        return NOT_MET
    path, full = now[1]
    if isinstance(signal.exact, str):
        fits = signal.exact == (full if "?" in signal.exact else path)
    else:
        fits = not isinstance(signal.pattern, str) or matches_pattern(signal.pattern, path)
    return Verdict(True, attribution=log.route or "coincident") if fits else NOT_MET


def matches_pattern(pattern: str, path: str) -> bool:
    """Return whether a path fits: `:name` and `*` are one segment, `a*` is one that begins so, `**` is any rest."""
    wanted, got = pattern.strip("/").split("/"), path.strip("/").split("/")
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        if len(got) < len(wanted):
            return False
        got = got[: len(wanted)]
    if len(wanted) != len(got):
        return False
    return all(_fits(w, g) for w, g in zip(wanted, got, strict=True))


def _fits(wanted: str, got: str) -> bool:
    if wanted.startswith(":"):
        return got != ""
    if wanted.endswith("*"):
        return got.startswith(wanted[:-1]) and got != wanted[:-1]
    return wanted == got
