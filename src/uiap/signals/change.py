"""Which changes of a graph are plausible effects of an activation (companions §12.5, ACT-12.2).

Presence, role, name, text, value, checked, selected, pressed, expanded, open, invalid and counts are. Focus, hover,
position and style never are: a trusted click on a dead button moves the focus and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.spec.web import PageGraphDelta

MEMBERS = frozenset({"role", "name", "text", "meaning"})
STATES = frozenset(
    {
        "textValue",
        "numericValue",
        "checked",
        "selected",
        "pressed",
        "expanded",
        "open",
        "invalid",
        "current",
        "busy",
    }
)


class Change(NamedTuple):
    """One plausible effect: what kind of node, which one, what about it."""

    what: str
    key: str
    about: str


def changes(delta: PageGraphDelta) -> Iterator[Change]:
    """Everything in the delta that counts, in its order."""
    for group, noun in (("elements", "element"), ("scopes", "scope"), ("collections", "collection")):
        part = getattr(delta, group)
        if part is UNSET:
            continue
        for key in _or_none(part.removed):
            yield Change(noun, key, "removed")
        for node in _or_none(part.added):
            yield Change(noun, _key(node), "added")
        for patch in _or_none(part.updated):
            for about in _counted(noun, patch.patch):
                yield Change(noun, patch.key, about)


def _counted(noun: str, patch: dict[str, Any]) -> Iterator[str]:
    if noun == "collection":
        yield from (member for member in ("count", "totalCount", "signature") if member in patch)
        return
    yield from sorted(MEMBERS & patch.keys())
    state = patch.get("state")
    if isinstance(state, dict):
        yield from sorted(STATES & state.keys())


def _key(node: Any) -> str:
    for name in ("instance_id", "scope_id", "collection_id"):
        value = getattr(node, name, None)
        if isinstance(value, str) and name in type(node).__struct_fields__:
            return value
    return ""


def _or_none(part: Any) -> Any:
    return () if part is UNSET or part is None else part
