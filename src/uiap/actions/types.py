"""What sort of action each primitive is (MDM-5), and the gestures a driver must know for it. A table alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

ActionType: TypeAlias = Literal[
    "navigation", "input", "selection", "gesture", "control_adjustment", "reading"
]
"""Reading changes nothing, which is why MDM-5 has no word for it."""


class Sort(NamedTuple):
    type: ActionType
    ops: tuple[str, ...] = ()
    """Every one of them is needed."""


SORTS: Mapping[str, Sort] = MappingProxyType(
    {
        "nav.navigate": Sort("navigation"),
        "ui.activate": Sort("selection", ("click",)),
        "ui.choose": Sort("selection", ("select",)),
        "ui.clearText": Sort("input", ("setText",)),
        "ui.close": Sort("navigation", ("click",)),
        "ui.collapse": Sort("selection", ("click",)),
        "ui.enterText": Sort("input", ("setText",)),
        "ui.expand": Sort("selection", ("click",)),
        "ui.focus": Sort("selection", ("focus",)),
        "ui.highlight": Sort("reading", ("highlight",)),
        "ui.hover": Sort("gesture", ("hover",)),
        "ui.open": Sort("selection", ("click",)),
        "ui.read": Sort("reading"),
        "ui.scroll": Sort("gesture", ("scroll",)),
        "ui.scrollIntoView": Sort("gesture", ("scrollIntoView",)),
        "ui.setValue": Sort("control_adjustment", ("adjust",)),
        "ui.submit": Sort("input", ("submit",)),
        "ui.toggle": Sort("control_adjustment", ("click",)),
        "ui.upload": Sort("input", ("setFiles",)),
        "app.invoke": Sort("input"),
        "x.uiap.doubleActivate": Sort("selection", ("click",)),
        "x.uiap.drag": Sort("gesture", ("drag",)),
        "x.uiap.longPress": Sort("gesture", ("longPress",)),
        "x.uiap.pinch": Sort("gesture", ("pinch",)),
        "x.uiap.press": Sort("input", ("press",)),
        "x.uiap.secondaryActivate": Sort("selection", ("click",)),
    }
)
