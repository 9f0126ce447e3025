"""Where a finger goes on a screen: spots, what scrolls, and swipes that start on no slider. Pure."""

from __future__ import annotations

from uiap.drivers.touchscreen.elements import TOUCH_FRACTIONS, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node, ScreenBounds
from uiap.drivers.touchscreen.touch_input import Point


def spot_on_screen(box: ScreenBounds, spot: tuple[float, float]) -> tuple[int, int] | None:
    x, y = round(box.left + spot[0]), round(box.top + spot[1])
    return (x, y) if box.has(x, y) else None


def largest_scrollable(drawing: ScreenLayout) -> Node | None:
    """The largest thing that scrolls."""
    found = [node for node in drawing.hierarchy.nodes() if node.has("scrollable")]
    return max(found, key=lambda one: drawing.seen(one).width * drawing.seen(one).height, default=None)


def swipe_path(drawing: ScreenLayout, box: ScreenBounds, dx: float, dy: float) -> tuple[Point, Point]:
    """A finger goes against the way that the content is to be seen, stays inside the box, and starts on no slider."""
    across = max(-0.4 * box.width, min(0.4 * box.width, dx / 2))
    down = max(-0.4 * box.height, min(0.4 * box.height, dy / 2))
    sliders = [one.node.bounds for one in drawing.shown.values() if one.role == "slider"]
    middle = box.middle
    for part in TOUCH_FRACTIONS:
        x = middle[0] if across else round(box.left + part * (box.width - 1))
        y = round(box.top + part * (box.height - 1)) if across else middle[1]
        start, end = (round(x + across), round(y + down)), (round(x - across), round(y - down))
        if not any(one.has(*start) for one in sliders):
            return start, end
    return (round(middle[0] + across), round(middle[1] + down)), (
        round(middle[0] - across),
        round(middle[1] - down),
    )


def pinch_paths(box: ScreenBounds, scale: float) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Two fingers on the longer side of the box; apart or together by `scale`, as far as there is room."""
    x, y = box.middle
    across = box.width >= box.height
    room = 0.4 * (box.width if across else box.height)
    near = max(1.0, room / max(scale, 1 / scale))
    first, last = (near, room) if scale > 1 else (room, near)

    def at(distance: float) -> Point:
        return (round(x + distance), y) if across else (x, round(y + distance))

    return (at(-first), at(-last)), (at(first), at(last))


def screen_texts(drawing: ScreenLayout) -> list[tuple[str, str, ScreenBounds]]:
    return [(one.name, one.value, one.node.bounds) for one in drawing.shown.values()]
