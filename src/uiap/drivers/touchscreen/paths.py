"""Compute where fingers touch and move on a screen: points, swipes that start on no slider, and pinches. Pure."""

from __future__ import annotations

from uiap.drivers.touchscreen.elements import TOUCH_FRACTIONS, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node, ScreenBounds
from uiap.drivers.touchscreen.touch_input import Point


def spot_on_screen(box: ScreenBounds, spot: tuple[float, float]) -> tuple[int, int] | None:
    """Return a spot of the box in screen coordinates, or None if it is outside the box."""
    x, y = round(box.left + spot[0]), round(box.top + spot[1])
    return (x, y) if box.contains(x, y) else None


def largest_scrollable(layout: ScreenLayout) -> Node | None:
    """Return the scrollable node with the largest visible area."""

    def visible_area(node: Node) -> int:
        box = layout.visible_bounds(node)
        return box.width * box.height

    return max(
        (node for node in layout.hierarchy.nodes() if node.has("scrollable")), key=visible_area, default=None
    )


def swipe_path(layout: ScreenLayout, box: ScreenBounds, dx: float, dy: float) -> tuple[Point, Point]:
    """Return the start and end of a swipe that scrolls by (dx, dy).

    The finger moves against the scroll direction, stays inside the box, and starts on no slider.
    """
    across = max(-0.4 * box.width, min(0.4 * box.width, dx / 2))
    down = max(-0.4 * box.height, min(0.4 * box.height, dy / 2))
    sliders = [one.node.bounds for one in layout.elements.values() if one.role == "slider"]
    center = box.center
    for fraction in TOUCH_FRACTIONS:
        x = center[0] if across else round(box.left + fraction * (box.width - 1))
        y = round(box.top + fraction * (box.height - 1)) if across else center[1]
        start, end = (round(x + across), round(y + down)), (round(x - across), round(y - down))
        if not any(one.contains(*start) for one in sliders):
            return start, end
    return (round(center[0] + across), round(center[1] + down)), (
        round(center[0] - across),
        round(center[1] - down),
    )


def pinch_paths(box: ScreenBounds, scale: float) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Return the paths of two fingers along the longer side of the box.

    They move apart or together by `scale`, as far as the box has room.
    """
    x, y = box.center
    across = box.width >= box.height
    room = 0.4 * (box.width if across else box.height)
    near = max(1.0, room / max(scale, 1 / scale))
    first, last = (near, room) if scale > 1 else (room, near)

    def at(distance: float) -> Point:
        return (round(x + distance), y) if across else (x, round(y + distance))

    return (at(-first), at(-last)), (at(first), at(last))


def screen_texts(layout: ScreenLayout) -> list[tuple[str, str, ScreenBounds]]:
    """Return name, value and bounds of every element; two equal lists mean that nothing moved."""
    return [(one.name, one.value, one.node.bounds) for one in layout.elements.values()]
