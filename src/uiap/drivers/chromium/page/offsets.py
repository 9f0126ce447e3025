"""Convert points of a frame's viewport to the tab's viewport.

Input is sent to the tab's own session in the tab's coordinates; the browser finds the right process itself.
"""

from __future__ import annotations

from typing import NamedTuple

from uiap.drivers.chromium.page.frames import Frame
from uiap.drivers.chromium.page.tab import Tab

Point = tuple[float, float]


class PixelBox(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def contains(self, point: Point) -> bool:
        return self.left <= point[0] < self.right and self.top <= point[1] < self.bottom


async def to_tab(tab: Tab, frame: Frame, point: Point) -> Point | None:
    """Convert a point of `frame` to the root frame's viewport; None if an outer frame has scrolled it out of view."""
    if frame.is_root:
        return point
    session = None
    for step in frame.path:
        # CDP reports boxes in the viewport of the session's topmost frame, which frames of one process share.
        box = await _content_box(tab, step)
        if session is not step.host_session:
            session = step.host_session
            point = point[0] + box.left, point[1] + box.top
        if not box.contains(point):
            return None
    return point if (await viewport(tab)).contains(point) else None


async def viewport(tab: Tab) -> PixelBox:
    metrics = await tab.call(tab.session, "Page.getLayoutMetrics", {})
    view = metrics["cssLayoutViewport"]
    return PixelBox(0, 0, view["clientWidth"], view["clientHeight"])


async def _content_box(tab: Tab, frame: Frame) -> PixelBox:
    """Return the content box of the element that contains `frame`."""
    session = frame.host_session
    owner = await tab.call(session, "DOM.getFrameOwner", {"frameId": frame.id})
    found = await tab.call(session, "DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]})
    xs, ys = found["model"]["content"][0::2], found["model"]["content"][1::2]
    return PixelBox(min(xs), min(ys), max(xs), max(ys))
