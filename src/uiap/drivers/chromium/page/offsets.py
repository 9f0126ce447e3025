"""Where a point of a frame's viewport lies in the tab's viewport.

Input goes to the tab's own session in the tab's coordinates; the browser itself finds the process below them.
"""

from __future__ import annotations

from typing import NamedTuple

from uiap.drivers.chromium.page.frames import Frame
from uiap.drivers.chromium.page.tab import Tab

Point = tuple[float, float]


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] < self.right and self.top <= point[1] < self.bottom


async def to_tab(tab: Tab, frame: Frame, point: Point) -> Point | None:
    """`point` of `frame` in the root frame's viewport; None if some frame around it has it scrolled out."""
    if frame.is_root:
        return point
    session = None
    for step in frame.path:
        # Boxes are told in the viewport of their session's topmost frame: frames of one process share it.
        box = await _content(tab, step)
        if session is not step.host_session:
            session = step.host_session
            point = point[0] + box.left, point[1] + box.top
        if not box.holds(point):
            return None
    return point if (await viewport(tab)).holds(point) else None


async def origin(tab: Tab, frame: Frame) -> Point:
    """Where the viewport of `frame` begins in the tab's, whether or not that can be seen."""
    at, session = (0.0, 0.0), None
    for step in () if frame.is_root else frame.path:
        if session is not step.host_session:
            session = step.host_session
            box = await _content(tab, step)
            at = at[0] + box.left, at[1] + box.top
    return at


async def viewport(tab: Tab) -> Box:
    metrics = await tab.call(tab.session, "Page.getLayoutMetrics", {})
    view = metrics["cssLayoutViewport"]
    return Box(0, 0, view["clientWidth"], view["clientHeight"])


async def _content(tab: Tab, frame: Frame) -> Box:
    """The content box of the element that holds `frame`."""
    session = frame.host_session
    owner = await tab.call(session, "DOM.getFrameOwner", {"frameId": frame.id})
    found = await tab.call(session, "DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]})
    xs, ys = found["model"]["content"][0::2], found["model"]["content"][1::2]
    return Box(min(xs), min(ys), max(xs), max(ys))
