"""Finds effects that a page takes back after their action was reported as succeeded.

The changes that an action caused are remembered for a while. If its own later work undoes all of them, the report was
wrong in hindsight, and a correction says so. A message that disappears and a new document are no corrections.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from uiap.graph.baseline import Baseline
from uiap.graph.store import GraphStore
from uiap.signals.change import Node, NodeDifference, appearance, difference_text, is_content
from uiap.spec.web import CustomSignal, ElementNode

REMEMBERED_S = 30.0
MAX_ACTIONS = 16
CORRECTION = "uiap.action.corrected"
"""The name of the custom signal that reports a correction."""
_VALUES = ("textValue", "numericValue", "checked", "selected", "pressed", "expanded", "open")


class CausedChange(NamedTuple):
    """A node that an action changed for good, as far as its result could say."""

    difference: NodeDifference
    before: Node | None


class ReportedEffect(NamedTuple):
    """The effect of one action whose success was reported."""

    handle: str
    action_id: str
    tokens: frozenset[str]
    changes: tuple[CausedChange, ...]
    at: float


def is_lasting(difference: NodeDifference) -> bool:
    """Return whether a difference is one that stays: content, or the value of a control."""
    is_value = difference.about in _VALUES and isinstance(difference.node, ElementNode)
    return is_value or is_content(difference)


def lasting_changes(
    found: Iterable[NodeDifference], before: Baseline, touched: Mapping[str, str], messages: frozenset[str]
) -> tuple[CausedChange, ...]:
    """Return the lasting changes that our input caused."""
    return tuple(
        CausedChange(one, before[one.group].get(one.key))
        for one in found
        if is_lasting(one) and one.key not in messages and touched.get(one.key) == "caused"
    )


class ReportedEffects:
    """The latest reported effects of one tab."""

    def __init__(self) -> None:
        self._effects: deque[ReportedEffect] = deque(maxlen=MAX_ACTIONS)

    def add(self, effect: ReportedEffect) -> None:
        if effect.changes and effect.tokens:
            self._effects.append(effect)

    def clear(self) -> None:
        """Forget all effects: the document they belong to is gone."""
        self._effects.clear()

    def corrections(self, token: str | None, store: GraphStore, mono: float) -> list[CustomSignal]:
        """Return a signal for each effect that the work of its own input has undone. Each is reported once."""
        found: list[CustomSignal] = []
        for effect in list(self._effects):
            if mono - effect.at > REMEMBERED_S:
                self._effects.remove(effect)
            elif token is not None and all(_is_undone(change, store) for change in effect.changes):
                # a list that another input rendered again is no mistake of the first one
                self._effects.remove(effect)
                found += [_signal(effect)] if token in effect.tokens else []
        return found


def _is_undone(change: CausedChange, store: GraphStore) -> bool:
    group, key = change.difference.group, change.difference.key
    now: Any = getattr(store, group).get(key)
    if now is None and group == "elements":
        now = store.current(key)
    if now is None or change.before is None:
        return now is change.before
    return appearance(now) == appearance(change.before)


def _signal(effect: ReportedEffect) -> CustomSignal:
    undone = ", ".join(difference_text(change.difference) for change in effect.changes[:3])
    return CustomSignal(
        name=CORRECTION,
        payload={
            "actionHandle": effect.handle,
            "actionId": effect.action_id,
            "message": f"the page took its change back after the result was given: {undone}",
        },
    )
