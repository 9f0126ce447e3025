"""Where a point of a frame's viewport lies in the tab's viewport.

Input goes to the tab's own session in the tab's coordinates; the browser itself finds the process below them.
"""

from __future__ import annotations

from typing import Any

from uiap.drivers.chromium.frames import Frame
from uiap.drivers.chromium.tab import Tab
from uiap.drivers.errors import TargetGone

Point = tuple[float, float]


async def to_tab(tab: Tab, frame: Frame, point: Point) -> Point:
    """`point` of `frame`, in the root frame's viewport."""
    x, y = point
    while frame.parent is not None:
        # The box of a frame element is told in the viewport of its session's topmost frame, so frames of
        # the same process are already accounted for; what remains is one step per process.
        left, top = await _content_corner(tab, frame)
        x, y = x + left, y + top
        host = frame.parent
        while host.parent is not None and host.session is host.parent.session:
            host = host.parent
        frame = host
    return x, y


async def _content_corner(tab: Tab, frame: Frame) -> Point:
    assert frame.parent is not None
    session = frame.parent.session
    owner = await tab.call(session, "DOM.getFrameOwner", {"frameId": frame.id})
    model: dict[str, Any] = await tab.call(
        session, "DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}
    )
    content = model["model"]["content"]
    if not content:
        raise TargetGone("the frame is not shown")
    return min(content[0::2]), min(content[1::2])
