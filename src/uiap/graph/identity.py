"""Keys that identify an element across page loads: route pattern, semantic key, record key (MDM-R2).

An instance id is valid only until the page is loaded again. Works on nodes and strings, without a store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.record_segments import is_record_segment
from uiap.spec.web import ElementNode, RouteInfo, ScopeNode

RECORD_ROLES = frozenset({"row", "listitem", "treeitem"})
_KEY_SOURCE = re.compile(r"(data-id|data-key|id|link|text):")


def route_pattern(path: str) -> str:
    """Return the path with `:id` for each segment that names a record, without query and fragment."""
    hash_route = path.startswith(("#/", "#!/"))
    clean = path.lstrip("#!") if hash_route else urlsplit(path).path
    segments = [segment for segment in clean.partition("?")[0].split("/") if segment]
    return "/" + "/".join(":id" if is_record_segment(segment) else segment for segment in segments)


def route_key(route: RouteInfo) -> str:
    """Return the declared route id, or the pattern of the path."""
    if route.route_id is not UNSET and route.route_id:
        return route.route_id
    return route_pattern(route.path if route.path is not UNSET else route.url)


def scope_label(scope: ScopeNode) -> str:
    """Return one part of a scope path: the app's own id, or kind and name."""
    if scope.stable_id is not UNSET:
        return scope.stable_id
    return f"{scope.kind}:{normalised(scope.name)}" if scope.name else scope.kind


def element_label(element: ElementNode) -> str:
    """Return the declared meaning, or the normalised name."""
    if element.meaning is not UNSET and element.meaning:
        return element.meaning
    return normalised(element.name) if element.name else ""


def semantic_key(route: RouteInfo, scopes: Iterable[ScopeNode], element: ElementNode) -> str:
    """Return `route|scope path|role|label`. Scopes are given from the outside in."""
    role = element.custom_role if element.role == "custom" and element.custom_role else element.role
    path = ">".join(map(scope_label, scopes))
    return f"{route_key(route)}|{path}|{role}|{element_label(element)}"


def enclosing_record_key(element: ElementNode) -> str | None:
    """Return the key of the record around the element, as the publisher named it, or None."""
    key = element.metadata.get("record") if element.metadata is not UNSET else None
    return key if isinstance(key, str) else None


def published_record_key(element: ElementNode) -> str | None:
    """Return the published key of the element's own entity, or that of the record around it, or None."""
    if element.metadata is UNSET:
        return None
    for member in ("entity", "record"):
        key = element.metadata.get(member)
        if isinstance(key, str) and key:
            return key
    return None


def display_key(key: str) -> str:
    """Return a record key for people: without the prefix that says where it was read."""
    source = _KEY_SOURCE.match(key)
    return key[source.end() :] if source else key


def record_key(record: ElementNode, inside: Iterable[ElementNode]) -> str | None:
    """Return the key of a row, card or item: as published, or its name, or its first cell with text."""
    key = published_record_key(record)
    if key is not None:
        return key
    if record.name:
        return normalised(record.name)
    for element in inside:
        words = element.text or element.name
        if element.role in ("cell", "label") and words:
            return normalised(words)
    return None
