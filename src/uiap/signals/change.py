"""Which changes of a graph are plausible effects of an activation (ACT-12.2).

Presence, role, name, text, value, checked, selected, pressed, expanded, open, invalid and counts are. Focus, hover,
busy, position and style are not: a click on a button without a function moves the focus and changes nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.spec.web import CollectionNode, ElementNode, PageGraphDelta, ScopeNode

EFFECT_MEMBERS = ("role", "name", "text", "meaning", "kind", "count", "total_count", "signature")
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
NODE_GROUPS = ("elements", "scopes", "collections")
KEY_OF_GROUP = {"elements": "instance_id", "scopes": "scope_id", "collections": "collection_id"}
MAX_SHOWN = 20
LABEL_ROLES = ("button", "link")
MESSAGE_ROLES = ("status", "alert", "toast")
MAX_MESSAGE_TEXT = 80
PROGRESS_ROLES = frozenset({"progress", "spinner"})

CONTENT_ROLES = frozenset(
    {
        "link", "button", "listitem", "row", "cell", "treeitem", "option", "menuitem", "tab", "textbox", "textarea",
        "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider", "spinbutton", "image", "video",
    }
)  # fmt: skip
"""Roles of elements that stay, unlike messages and signs of progress."""

Node = ElementNode | ScopeNode | CollectionNode


class TouchedNode(NamedTuple):
    """A node that a delta added, removed or updated, and its position."""

    group: str
    key: str
    position: str


class NodeDifference(NamedTuple):
    """A node that differs from the baseline, and the member that differs."""

    group: str
    key: str
    about: str
    node: Node


def touched_nodes(delta: PageGraphDelta, before: Baseline | None) -> Iterator[TouchedNode]:
    """Yield every node of the delta, without updates of irrelevant members alone."""
    for group in NODE_GROUPS:
        part = getattr(delta, group)
        if part is UNSET:
            continue
        for key in _or_empty(part.removed):
            yield TouchedNode(
                group, key, position_key(before[group].get(key) if before is not None else None)
            )
        for node in _or_empty(part.added):
            yield TouchedNode(group, getattr(node, KEY_OF_GROUP[group]), position_key(node))
        for patch in _or_empty(part.updated):
            if _is_relevant(patch.patch):
                yield TouchedNode(group, patch.key, "")


def _is_relevant(patch: dict[str, Any]) -> bool:
    state = patch.get("state")
    members = any(_wire_name(member) in patch for member in EFFECT_MEMBERS)
    facts = patch.get("metadata")
    if isinstance(facts, dict) and "sort" in facts:
        return True
    return members or (
        isinstance(state, dict) and any(_wire_name(name) in state for name in (*STATES, "busy", "loading"))
    )


_Appearance: TypeAlias = tuple[tuple[Any, ...], NodeDifference]


def _wire_name(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def position_key(node: Node | None) -> str:
    """Return the parent and role of an element. A node that is created again has a new key and the same position."""
    if not isinstance(node, ElementNode):
        return ""
    return f"{node.parent_instance_id or node.scope_id or node.document_id}>{node.role}"


def differences(
    touched: Iterable[tuple[str, str]], before: Baseline, now: Mapping[str, Mapping[str, Node]]
) -> list[NodeDifference]:
    """Return the net differences of the touched nodes. A node replaced by an equal one is no difference."""
    removed: list[NodeDifference] = []
    added: list[NodeDifference] = []
    other: list[NodeDifference] = []
    for group, key in touched:
        before_node, now_node = before[group].get(key), now[group].get(key)
        if before_node is not None and now_node is not None:
            about = _changed_member(before_node, now_node)
            other += [NodeDifference(group, key, about, now_node)] if about else []
        elif before_node is not None:
            removed.append(NodeDifference(group, key, "removed", before_node))
        elif now_node is not None:
            added.append(NodeDifference(group, key, "added", now_node))
    return other + _without_lookalikes(added, removed)


def _without_lookalikes(added: list[NodeDifference], removed: list[NodeDifference]) -> list[NodeDifference]:
    """Return the added and removed nodes, without pairs that look the same."""
    if not added or not removed:
        return added + removed
    added_looks, removed_looks = [[(appearance(d.node), d) for d in side] for side in (added, removed)]
    return _unmatched(added_looks, removed_looks) + _unmatched(removed_looks, added_looks)


def _unmatched(pairs: list[_Appearance], others: list[_Appearance]) -> list[NodeDifference]:
    counts = Counter(looks for looks, _ in others)
    left_over = []
    for looks, difference in pairs:
        if counts[looks]:
            counts[looks] -= 1
        else:
            left_over.append(difference)
    return left_over


def _changed_member(before_node: Node, now: Node) -> str | None:
    if before_node is now:
        return None
    for member in EFFECT_MEMBERS:
        if getattr(before_node, member, None) != getattr(now, member, None):
            return member
    if _sort_order(before_node) != _sort_order(now):
        return "sort"
    before, after = getattr(before_node, "state", UNSET), getattr(now, "state", UNSET)
    for name in STATES:
        if _state_value(before, name) != _state_value(after, name):
            return _wire_name(name)
    return None


def _sort_order(node: Node) -> Any:
    """Return the sort order of a column. It may change although the rows already have that order."""
    facts = getattr(node, "metadata", UNSET)
    return None if facts is UNSET else facts.get("sort")


def _state_value(state: Any, name: str) -> Any:
    """Return a state's value, None for false. An unpublished state counts as false."""
    value = getattr(state, name, UNSET)
    return None if value is UNSET or value is False else value


def appearance(node: Node) -> tuple[Any, ...]:
    """Return everything that a person can see of a node, without its identity."""
    state = getattr(node, "state", UNSET)
    members = tuple(getattr(node, member, None) or None for member in EFFECT_MEMBERS)
    return members + tuple(_state_value(state, name) for name in STATES)


def shows_progress(node: Node | None) -> bool:
    """Return whether the node says that something is under way: busy, loading, or a spinner."""
    if node is None or isinstance(node, CollectionNode):
        return False
    state = node.state
    if state is not UNSET and state.visible is False:
        return False  # nobody sees it, such as the bar of a field that is not loading
    if state is not UNSET and (state.busy is True or state.loading is True):
        return True
    return isinstance(node, ElementNode) and node.role in PROGRESS_ROLES and node.state.numeric_value is UNSET


def busy_node(
    touched: Iterable[tuple[str, str]], before: Baseline, store: Any, attributions: Mapping[str, str]
) -> str | None:
    """Return a node that an action made busy. Other parts of the page may be busy all the time."""
    for group, key in touched:
        node: Node | None = getattr(store, group).get(key)
        new = shows_progress(node) and not shows_progress(before[group].get(key))
        if node is not None and new and attributions.get(key) == "caused":
            return node_text(node)
    return None


def is_content(difference: NodeDifference) -> bool:
    """Return whether content was added or removed, which a page does not do only to report something."""
    present = difference.about in ("added", "removed")
    return present and isinstance(difference.node, ElementNode) and difference.node.role in CONTENT_ROLES


def content_differences(found: Iterable[NodeDifference]) -> list[NodeDifference]:
    """Return the content that was added or removed.

    An element that was created again with another state, such as a pressed button, is not new content.
    """
    content = [one for one in found if is_content(one)]
    added, removed = (
        [(label_of_node(d.node), d) for d in content if d.about == way] for way in ("added", "removed")
    )
    return _without_new_labels(_unmatched(added, removed) + _unmatched(removed, added))


def _without_new_labels(found: list[NodeDifference]) -> list[NodeDifference]:
    """Return the differences without buttons and icons that were created again in their place with another label."""
    places: dict[str, set[str]] = {}
    for one in found:
        if getattr(one.node, "role", "") in (*LABEL_ROLES, "image"):
            places.setdefault(position_key(one.node), set()).add(one.about)
    return [one for one in found if len(places.get(position_key(one.node), ())) < 2]


def texts_of(found: Iterable[NodeDifference], touched: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts and names of the elements that our input added or changed."""
    nodes = (
        one.node
        for one in found
        if one.about != "removed" and touched.get(one.key) == "caused" and isinstance(one.node, ElementNode)
    )
    texts = (text for node in nodes for text in (node.text, node.name) if isinstance(text, str) and text)
    return tuple(islice(texts, MAX_SHOWN))


def label_of_node(node: Node) -> tuple[Any, ...]:
    """Return the role, name and text by which a person would call two nodes the same."""
    return (
        getattr(node, "role", None),
        getattr(node, "name", None) or None,
        getattr(node, "text", None) or None,
    )


def difference_text(difference: NodeDifference) -> str:
    """Return a difference in words, such as `button "Save" added` or `region: text changed`."""
    if difference.about in ("added", "removed"):
        return f"{node_text(difference.node)} {difference.about}"
    return f"{node_text(difference.node)}: {difference.about} changed"


def node_text(node: Node) -> str:
    """Return the role and name of a node; a message has its text instead. An element without a role is a box."""
    name = getattr(node, "name", UNSET) or (message_text(node) if isinstance(node, ElementNode) else UNSET)
    noun = node.role if isinstance(node, ElementNode) else getattr(node, "kind", "collection")
    noun = "box" if noun == "custom" else noun
    return f'{noun} "{name}"' if isinstance(name, str) and name else str(noun)


def message_text(node: ElementNode) -> str:
    """Return the beginning of the text of a message, or nothing if the node is none."""
    text = node.text if node.role in MESSAGE_ROLES and isinstance(node.text, str) else ""
    return text if len(text) <= MAX_MESSAGE_TEXT else text[: MAX_MESSAGE_TEXT - 1] + "…"


def _or_empty(part: Any) -> Any:
    return () if part is UNSET or part is None else part
