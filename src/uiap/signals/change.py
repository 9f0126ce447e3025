"""Which changes of a graph are plausible effects of an activation (companions §12.5, ACT-12.2).

Presence, role, name, text, value, checked, selected, pressed, expanded, open, invalid and counts are. Focus, hover,
busy, position and style never are: a trusted click on a dead button moves the focus and changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.spec.web import CollectionNode, ElementNode, PageGraphDelta, ScopeNode

MEMBERS = ("role", "name", "text", "meaning", "kind", "count", "total_count", "signature")
STATES = (
    "text_value",
    "numeric_value",
    "checked",
    "selected",
    "pressed",
    "expanded",
    "open",
    "invalid",
    "current",
)
GROUPS = ("elements", "scopes", "collections")
KEYS = {"elements": "instance_id", "scopes": "scope_id", "collections": "collection_id"}
PROGRESS_ROLES = frozenset({"progressbar", "spinner"})

Node = ElementNode | ScopeNode | CollectionNode


class TouchedNode(NamedTuple):
    """A node that a delta added, removed or updated, and the place it stands in."""

    group: str
    key: str
    position: str


class NodeDifference(NamedTuple):
    """What is different now from the baseline, about one node."""

    group: str
    key: str
    about: str
    node: Node


def touched_nodes(delta: PageGraphDelta, before: Baseline | None) -> Iterator[TouchedNode]:
    """Every node of the delta. An update that changes nothing that counts is none."""
    for group in GROUPS:
        part = getattr(delta, group)
        if part is UNSET:
            continue
        for key in _or_none(part.removed):
            yield TouchedNode(
                group, key, position_key(before[group].get(key) if before is not None else None)
            )
        for node in _or_none(part.added):
            yield TouchedNode(group, getattr(node, KEYS[group]), position_key(node))
        for patch in _or_none(part.updated):
            if _counts(patch.patch):
                yield TouchedNode(group, patch.key, "")


def _counts(patch: dict[str, Any]) -> bool:
    state = patch.get("state")
    members = any(_camel(member) in patch for member in MEMBERS)
    facts = patch.get("metadata")
    if isinstance(facts, dict) and "sort" in facts:
        return True
    return members or (
        isinstance(state, dict) and any(_camel(name) in state for name in (*STATES, "busy", "loading"))
    )


_Seen: TypeAlias = tuple[tuple[Any, ...], NodeDifference]


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def position_key(node: Node | None) -> str:
    """Where it stands: what is made anew there every second has a new key each time, but the same place."""
    if not isinstance(node, ElementNode):
        return ""
    return f"{node.parent_instance_id or node.scope_id or node.document_id}>{node.role}"


def differences(
    touched: Iterable[tuple[str, str]], before: Baseline, now: Mapping[str, Mapping[str, Node]]
) -> list[NodeDifference]:
    """Net, over everything touched: what went and came back equal is no difference, nor is an equal new node."""
    gone: list[NodeDifference] = []
    come: list[NodeDifference] = []
    other: list[NodeDifference] = []
    for group, key in touched:
        was, is_ = before[group].get(key), now[group].get(key)
        if was is not None and is_ is not None:
            about = _differs(was, is_)
            other += [NodeDifference(group, key, about, is_)] if about else []
        elif was is not None:
            gone.append(NodeDifference(group, key, "removed", was))
        elif is_ is not None:
            come.append(NodeDifference(group, key, "added", is_))
    return other + _apart(come, gone)


def _apart(come: list[NodeDifference], gone: list[NodeDifference]) -> list[NodeDifference]:
    """Without those that look alike on both sides."""
    if not come or not gone:
        return come + gone
    came, went = [[(appearance(d.node), d) for d in side] for side in (come, gone)]
    return _without(came, went) + _without(went, came)


def _without(some: list[_Seen], twins: list[_Seen]) -> list[NodeDifference]:
    left = Counter(look for look, _ in twins)
    kept = []
    for look, difference in some:
        if left[look]:
            left[look] -= 1
        else:
            kept.append(difference)
    return kept


def _differs(was: Node, now: Node) -> str | None:
    if was is now:
        return None
    for member in MEMBERS:
        if getattr(was, member, None) != getattr(now, member, None):
            return member
    if _sorted(was) != _sorted(now):
        return "sort"
    before, after = getattr(was, "state", UNSET), getattr(now, "state", UNSET)
    for name in STATES:
        if _truth(before, name) != _truth(after, name):
            return _camel(name)
    return None


def _sorted(node: Node) -> Any:
    """How a column says that it is sorted; a table may have been in that order before."""
    facts = getattr(node, "metadata", UNSET)
    return None if facts is UNSET else facts.get("sort")


def _truth(state: Any, name: str) -> Any:
    """An absent truth is false: nothing says `checked: false` on a plain button."""
    value = getattr(state, name, UNSET)
    return None if value is UNSET or value is False else value


def appearance(node: Node) -> tuple[Any, ...]:
    """What a person would see of it, without who it is."""
    state = getattr(node, "state", UNSET)
    members = tuple(getattr(node, member, None) or None for member in MEMBERS)
    return members + tuple(_truth(state, name) for name in STATES)


def shows_progress(node: Node | None) -> bool:
    """It says that something is under way."""
    if node is None or isinstance(node, CollectionNode):
        return False
    state = node.state
    if state is not UNSET and (state.busy is True or state.loading is True):
        return True
    return isinstance(node, ElementNode) and node.role in PROGRESS_ROLES and node.state.numeric_value is UNSET


def _or_none(part: Any) -> Any:
    return () if part is UNSET or part is None else part
