"""Names of scopes that stay the same after a reload and with other data: kinds and names along the scope path."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import UNSET

from uiap.graph.fingerprint import stable_text
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.graph.view import scope_path
from uiap.spec.web import ScopeNode

_NOT_WORDS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d[\d.,]*")
_GENERATED_ID = re.compile(r"([df]\d+)?s\d+")
_LAYOUT = frozenset({"app", "route", "region", "group", "frame", "custom"})
"""Kinds that say nothing about their content. Without a name they are left out of a longer path."""


@lru_cache(4096)
def slug(text: str, limit: int = 40) -> str:
    """Return the words of a text, lower case and joined by hyphens."""
    return _NOT_WORDS.sub("-", normalised(stable_text(text))).strip("-")[:limit].strip("-")


@lru_cache(4096)
def name_slug(name: str) -> str:
    """Return the slug of a name with `n` for each number, because numbers in names are mostly counts."""
    return slug(_NUMBER.sub("n", name))


def is_generated(scope_id: str) -> bool:
    """Return whether the page script made up the id of a scope. Such an id changes with every load."""
    return _GENERATED_ID.fullmatch(scope_id) is not None


def derived_scope_id(store: GraphStore, scope: ScopeNode) -> str:
    """Return the annotated id of a scope, else the kinds and names along its path, such as `dialog.new-video/form`."""
    if not is_generated(scope.scope_id):
        return scope.scope_id
    parts: list[str] = []
    for one in scope_path(store, scope.scope_id):
        if not is_generated(one.scope_id):
            parts = [one.scope_id]
        elif one.stable_id is not UNSET:
            parts.append(one.stable_id)
        elif one.name or one.kind not in _LAYOUT:
            parts.append(f"{one.kind}.{name_slug(one.name)}" if one.name else str(one.kind))
    return "/".join(parts) or str(scope.kind)
