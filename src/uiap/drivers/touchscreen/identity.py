"""Which node of this reading is which node of the last one, so that a handle outlives a layout shift (MDM-R2).

A node is known by its own id if it has the only one, else by class, name and row, else by its place in the tree. What
could be two is nobody's: a handle that dies is better than one that means another row.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import count

from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node

MAX_SCREENS = 5
SAME_SCREEN_SIMILARITY = 0.25
"""So much of a screen must be there again for it to be the same one; less, and every handle is a new one."""


class NodeIdentity:
    """What a node is known by."""

    def __init__(self, shown: ScreenElement, drawing: ScreenLayout) -> None:
        node = shown.node
        self.node, self.parent = node, drawing.parent_of(node)
        window = drawing.window_of(node)
        self.window = (window.package, drawing.is_dialog(window))
        self.id, self.role, self.record = node.resource_id, shown.role, shown.record
        self.named = (node.cls, shown.role, shown.name, shown.record, node.resource_id)
        self.place = tuple((one.index, one.cls) for one in (node, *node.above()))


class NodeRegistry:
    """The ids that were given out, and what they stood for on the last few screens."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._numbers = count(1)
        self._screens: deque[dict[str, NodeIdentity]] = deque(maxlen=MAX_SCREENS)

    def names(self, drawing: ScreenLayout) -> dict[Node, str]:
        """An id for every node that is shown."""
        faces = [NodeIdentity(shown, drawing) for shown in drawing.shown.values()]
        base = self._base(faces)
        found = _match(base, faces)
        ids = {face: found.get(face) or f"{self._prefix}{next(self._numbers)}" for face in faces}
        if base:  # it is the same screen, only later
            self._screens.remove(base)
        self._screens.append({id: face for face, id in ids.items()})
        return {face.node: id for face, id in ids.items()}

    def remembers(self, id: str) -> bool:
        """It stood on one of the last screens."""
        return any(id in screen for screen in self._screens)

    def _base(self, faces: Sequence[NodeIdentity]) -> dict[str, NodeIdentity]:
        """The screen that this one is, or was before a list or dialog lay over it; none if it is another."""
        if not self._screens:
            return {}
        now = Counter(map(_by_name, faces)) | Counter(filter(None, map(_by_id, faces)))
        alike = [(_similarity(now, screen.values()), place) for place, screen in enumerate(self._screens)]
        best, place = max(alike)
        return self._screens[place] if best >= SAME_SCREEN_SIMILARITY else {}


def _similarity(now: Counter[Hashable], screen: Iterable[NodeIdentity]) -> float:
    faces = list(screen)
    then = Counter(map(_by_name, faces)) | Counter(filter(None, map(_by_id, faces)))
    return (now & then).total() / max(1, max(now.total(), then.total()))


def _match(known: Mapping[str, NodeIdentity], faces: Sequence[NodeIdentity]) -> dict[NodeIdentity, str]:
    """Round by round, the surest first; each round looks only at who is left on both sides."""
    old, new = dict(known), list(faces)
    found: dict[NodeIdentity, str] = {}
    for key in (_by_id, _by_name, _by_name_and_place, _by_place):
        _pair(old, new, found, key, _is_single)
        new = [face for face in new if face not in found]
    owners = {face.node: id for id, face in known.items()} | {face.node: found[face] for face in found}
    _pair(old, new, found, lambda face: _among_siblings(face, owners), _are_siblings)
    return found


def _pair(
    old: dict[str, NodeIdentity],
    new: Sequence[NodeIdentity],
    found: dict[NodeIdentity, str],
    key: Callable[[NodeIdentity], Hashable],
    fit: Callable[[Sequence[NodeIdentity]], bool],
) -> None:
    ids = {face: id for id, face in old.items()}
    before = _groups(ids, key)
    for value, group in _groups(new, key).items():
        was = before.get(value, [])
        if len(was) == len(group) and fit(group) and fit(was):
            for face, one in zip(group, was, strict=True):
                found[face] = ids[one]
                del old[ids[one]]


def _groups(
    faces: Iterable[NodeIdentity], key: Callable[[NodeIdentity], Hashable]
) -> Mapping[Hashable, list[NodeIdentity]]:
    groups: dict[Hashable, list[NodeIdentity]] = {}
    for face in faces:
        if (value := key(face)) is not None:
            groups.setdefault(value, []).append(face)
    return groups


def _is_single(faces: Sequence[NodeIdentity]) -> bool:
    return len(faces) == 1


def _are_siblings(faces: Sequence[NodeIdentity]) -> bool:
    """They stand in one row of one thing, so their order tells them apart; rows of a list do not."""
    return len({face.node.parent for face in faces}) == 1


def _by_id(face: NodeIdentity) -> Hashable:
    return (face.window, face.id, face.role, face.record) if face.id else None


def _by_name(face: NodeIdentity) -> Hashable:
    return (face.window, face.named)


def _by_name_and_place(face: NodeIdentity) -> Hashable:
    return (face.window, face.named, face.place)


def _by_place(face: NodeIdentity) -> Hashable:
    """Not in a list: there the same place holds another row after a scroll."""
    return (face.window, face.place, face.id, face.role) if face.record is None else None


def _among_siblings(face: NodeIdentity, owners: Mapping[Node, str]) -> Hashable:
    return (face.window, face.named, owners.get(face.parent) if face.parent is not None else None)
