"""Match the nodes of this snapshot with those of the last one, so that an id survives a layout shift (MDM-R2).

A node is identified by its resource id if that is unique, else by class, name and row, else by its position in the
tree. An ambiguous match is dropped: a lost id is better than one that means another row.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import count

from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node

MAX_SCREENS = 5
SAME_SCREEN_SIMILARITY = 0.25
"""The least similarity of two snapshots of the same screen. Below it, every element gets a new id."""


class NodeIdentity:
    """The properties by which a node is recognized."""

    def __init__(self, element: ScreenElement, layout: ScreenLayout) -> None:
        node = element.node
        self.node, self.parent = node, layout.parent_of(node)
        window = layout.window_of(node)
        self.window = (window.package, layout.is_dialog(window))
        self.resource_id, self.role, self.record = node.resource_id, element.role, element.record
        self.signature = (node.cls, element.role, element.name, element.record, node.resource_id)
        self.position = tuple((one.index, one.cls) for one in (node, *node.ancestors()))


class NodeRegistry:
    """The assigned ids, and the nodes that had them on the last few screens."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._numbers = count(1)
        self._screens: deque[dict[str, NodeIdentity]] = deque(maxlen=MAX_SCREENS)

    def assign_ids(self, layout: ScreenLayout) -> dict[Node, str]:
        """Return an id for every element: its earlier one if it is recognized, else a new one."""
        identities = [NodeIdentity(element, layout) for element in layout.elements.values()]
        base = self._same_screen(identities)
        matches = _match(base, identities)
        ids = {one: matches.get(one) or f"{self._prefix}{next(self._numbers)}" for one in identities}
        if base:  # a later snapshot of the same screen replaces the earlier one
            self._screens.remove(base)
        self._screens.append({id: one for one, id in ids.items()})
        return {one.node: id for one, id in ids.items()}

    def is_recent(self, id: str) -> bool:
        """Return whether the id was on one of the last screens."""
        return any(id in screen for screen in self._screens)

    def _same_screen(self, identities: Sequence[NodeIdentity]) -> dict[str, NodeIdentity]:
        """Return the recent screen that this one shows again, or an empty mapping if it is a new one.

        A screen also counts as the same after a list or dialog covered it for a while.
        """
        if not self._screens:
            return {}
        now = _features(identities)
        similarities = [
            (_similarity(now, screen.values()), index) for index, screen in enumerate(self._screens)
        ]
        best, index = max(similarities)
        return self._screens[index] if best >= SAME_SCREEN_SIMILARITY else {}


def _features(identities: Sequence[NodeIdentity]) -> Counter[Hashable]:
    return Counter(map(_by_name, identities)) | Counter(filter(None, map(_by_resource_id, identities)))


def _similarity(now: Counter[Hashable], screen: Iterable[NodeIdentity]) -> float:
    then = _features(list(screen))
    return (now & then).total() / max(1, max(now.total(), then.total()))


def _match(
    earlier: Mapping[str, NodeIdentity], identities: Sequence[NodeIdentity]
) -> dict[NodeIdentity, str]:
    """Match round by round, the most reliable key first; each round sees only nodes without a match."""
    old, new = dict(earlier), list(identities)
    found: dict[NodeIdentity, str] = {}
    for key in (_by_resource_id, _by_name, _by_name_and_position, _by_position):
        _pair(old, new, found, key, _is_single)
        new = [one for one in new if one not in found]
    owners = {one.node: id for id, one in earlier.items()} | {one.node: found[one] for one in found}
    _pair(old, new, found, lambda one: _among_siblings(one, owners), _are_siblings)
    return found


def _pair(
    old: dict[str, NodeIdentity],
    new: Sequence[NodeIdentity],
    found: dict[NodeIdentity, str],
    key: Callable[[NodeIdentity], Hashable],
    is_distinct: Callable[[Sequence[NodeIdentity]], bool],
) -> None:
    """Move every pair with equal keys from `old` to `found`, if the group is distinct on both sides."""
    ids = {one: id for id, one in old.items()}
    before = _groups(ids, key)
    for value, group in _groups(new, key).items():
        earlier = before.get(value, [])
        if len(earlier) == len(group) and is_distinct(group) and is_distinct(earlier):
            for now, then in zip(group, earlier, strict=True):
                found[now] = ids[then]
                del old[ids[then]]


def _groups(
    identities: Iterable[NodeIdentity], key: Callable[[NodeIdentity], Hashable]
) -> Mapping[Hashable, list[NodeIdentity]]:
    groups: dict[Hashable, list[NodeIdentity]] = {}
    for one in identities:
        if (value := key(one)) is not None:
            groups.setdefault(value, []).append(one)
    return groups


def _is_single(identities: Sequence[NodeIdentity]) -> bool:
    return len(identities) == 1


def _are_siblings(identities: Sequence[NodeIdentity]) -> bool:
    """Return whether all have the same parent, so that their order distinguishes them. Rows of a list do not."""
    return len({one.node.parent for one in identities}) == 1


def _by_resource_id(one: NodeIdentity) -> Hashable:
    return (one.window, one.resource_id, one.role, one.record) if one.resource_id else None


def _by_name(one: NodeIdentity) -> Hashable:
    return (one.window, one.signature)


def _by_name_and_position(one: NodeIdentity) -> Hashable:
    return (one.window, one.signature, one.position)


def _by_position(one: NodeIdentity) -> Hashable:
    """Return a key for nodes outside of lists: in a list the same position holds another row after a scroll."""
    return (one.window, one.position, one.resource_id, one.role) if one.record is None else None


def _among_siblings(one: NodeIdentity, owners: Mapping[Node, str]) -> Hashable:
    return (one.window, one.signature, owners.get(one.parent) if one.parent is not None else None)
