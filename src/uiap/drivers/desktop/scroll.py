"""Scroll by the scroll bars of a window: set a bar to a value and read it back."""

from __future__ import annotations

from typing import Any

from dbus_fast import Variant

from uiap.actions.ops import Scroll
from uiap.drivers.desktop.bus import Bus
from uiap.drivers.desktop.graph import ObjectTree, simplify_number
from uiap.drivers.desktop.snapshot import AccessibleObject, ValueRange, range_of
from uiap.drivers.desktop.vocabulary import SCROLL_BAR
from uiap.drivers.driver import PerformRefused


async def scroll_by_bar(
    bus: Bus, op: Scroll, item: AccessibleObject | None, tree: ObjectTree
) -> PerformRefused | dict[str, Any]:
    """Move the scroll bar of the element's container, or the longest bar of the window."""
    horizontal = op.to is None and bool(op.dx) and not op.dy
    bar = _find_bar(item, tree, "horizontal" if horizontal else "vertical")
    if bar is None:
        return PerformRefused("unsupported", "there is no scroll bar in this direction")
    before = await range_of(bus, bar.ref)
    target = _target_value(op, before, op.dx if horizontal else op.dy)
    await bus.set(bar.ref, "Value", "CurrentValue", Variant("d", target))
    after = await range_of(bus, bar.ref)
    at_end = op.to is not None and target == before.value
    return {"held": at_end or after.value != before.value, "value": simplify_number(after.value)}


def _target_value(op: Scroll, current: ValueRange, distance: float) -> float:
    if op.to is not None:
        return current.low if op.to == "top" else current.high
    return min(max(current.value + distance, current.low), current.high)


def _find_bar(item: AccessibleObject | None, tree: ObjectTree, direction: str) -> AccessibleObject | None:
    bars = [
        one
        for one in tree.items
        if one.role == SCROLL_BAR and one.showing and one.box is not None and direction in one.states
    ]
    containers = [one.ref for one in tree.ancestors(item)] if item is not None else []
    near = [bar for ref in containers for bar in bars if bar.parent == ref]
    if item is not None:
        return near[0] if near else None
    return max(bars, key=lambda bar: max(bar.box[2:]) if bar.box else 0, default=None)
