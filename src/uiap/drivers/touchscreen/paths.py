"""Where a finger goes on a screen: spots, what scrolls, and swipes that start on no slider. Pure."""

from __future__ import annotations

from uiap.drivers.touchscreen.elements import POINTS, Drawing
from uiap.drivers.touchscreen.fingers import Point
from uiap.drivers.touchscreen.hierarchy import Bounds, Node


def spot(box: Bounds, spot: tuple[float, float]) -> tuple[int, int] | None:
    x, y = round(box.left + spot[0]), round(box.top + spot[1])
    return (x, y) if box.has(x, y) else None


def scrollable(drawing: Drawing) -> Node | None:
    """The largest thing that scrolls."""
    found = [node for node in drawing.hierarchy.nodes() if node.has("scrollable")]
    return max(found, key=lambda one: drawing.seen(one).width * drawing.seen(one).height, default=None)


def swipe(drawing: Drawing, box: Bounds, dx: float, dy: float) -> tuple[Point, Point]:
    """A finger goes against the way that the content is to be seen, stays inside the box, and starts on no slider."""
    across = max(-0.4 * box.width, min(0.4 * box.width, dx / 2))
    down = max(-0.4 * box.height, min(0.4 * box.height, dy / 2))
    sliders = [one.node.bounds for one in drawing.shown.values() if one.role == "slider"]
    middle = box.middle
    for part in POINTS:
        x = middle[0] if across else round(box.left + part * (box.width - 1))
        y = round(box.top + part * (box.height - 1)) if across else middle[1]
        start, end = (round(x + across), round(y + down)), (round(x - across), round(y - down))
        if not any(one.has(*start) for one in sliders):
            return start, end
    return (round(middle[0] + across), round(middle[1] + down)), (
        round(middle[0] - across),
        round(middle[1] - down),
    )


def pinch(box: Bounds, scale: float) -> tuple[tuple[Point, Point], tuple[Point, Point]]:
    """Two fingers on the longer side of the box; apart or together by `scale`, as far as there is room."""
    x, y = box.middle
    across = box.width >= box.height
    room = 0.4 * (box.width if across else box.height)
    near = max(1.0, room / max(scale, 1 / scale))
    first, last = (near, room) if scale > 1 else (room, near)

    def at(distance: float) -> Point:
        return (round(x + distance), y) if across else (x, round(y + distance))

    return (at(-first), at(-last)), (at(first), at(last))


def texts(drawing: Drawing) -> list[tuple[str, str, Bounds]]:
    return [(one.name, one.value, one.node.bounds) for one in drawing.shown.values()]
