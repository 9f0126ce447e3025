"""Scrolling by the bars of a window: set to a value and read back, as any other control that holds a number."""

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
    bus: Bus, op: Scroll, item: AccessibleObject | None, drawing: ObjectTree
) -> PerformRefused | dict[str, Any]:
    """Move the bar of what holds the element, or of the window's largest part."""
    sideways = op.to is None and bool(op.dx) and not op.dy
    bar = _find_bar(item, drawing, "horizontal" if sideways else "vertical")
    if bar is None:
        return PerformRefused("unsupported", "nothing there has a scroll bar in that direction")
    before = await range_of(bus, bar.ref)
    wanted = _target_value(op, before, op.dx if sideways else op.dy)
    await bus.set(bar.ref, "Value", "CurrentValue", Variant("d", wanted))
    after = await range_of(bus, bar.ref)
    at_end = op.to is not None and wanted == before.value
    return {"held": at_end or after.value != before.value, "value": simplify_number(after.value)}


def _target_value(op: Scroll, held: ValueRange, distance: float) -> float:
    if op.to is not None:
        return held.low if op.to == "top" else held.high
    return min(max(held.value + distance, held.low), held.high)


def _find_bar(item: AccessibleObject | None, drawing: ObjectTree, direction: str) -> AccessibleObject | None:
    bars = [
        one
        for one in drawing.items
        if one.role == SCROLL_BAR and one.showing and one.place is not None and direction in one.states
    ]
    holders = [one.ref for one in drawing.above(item)] if item is not None else []
    near = [bar for ref in holders for bar in bars if bar.parent == ref]
    if item is not None:
        return near[0] if near else None
    return max(bars, key=lambda bar: max(bar.place[2:]) if bar.place else 0, default=None)
