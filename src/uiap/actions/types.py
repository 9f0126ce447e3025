"""What sort of action each primitive is (MDM-5), and the gestures a driver must know for it. A table alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

ActionType: TypeAlias = Literal[
    "navigation", "input", "selection", "gesture", "control_adjustment", "reading"
]
"""Reading changes nothing, which is why MDM-5 has no word for it."""


class ActionTypeInfo(NamedTuple):
    type: ActionType
    ops: tuple[str, ...] = ()
    """Every one of them is needed."""


ACTION_TYPES: Mapping[str, ActionTypeInfo] = MappingProxyType(
    {
        "nav.navigate": ActionTypeInfo("navigation"),
        "ui.activate": ActionTypeInfo("selection", ("click",)),
        "ui.choose": ActionTypeInfo("selection", ("select",)),
        "ui.clearText": ActionTypeInfo("input", ("setText",)),
        "ui.close": ActionTypeInfo("navigation", ("click",)),
        "ui.collapse": ActionTypeInfo("selection", ("click",)),
        "ui.enterText": ActionTypeInfo("input", ("setText",)),
        "ui.expand": ActionTypeInfo("selection", ("click",)),
        "ui.focus": ActionTypeInfo("selection", ("focus",)),
        "ui.highlight": ActionTypeInfo("reading", ("highlight",)),
        "ui.hover": ActionTypeInfo("gesture", ("hover",)),
        "ui.open": ActionTypeInfo("selection", ("click",)),
        "ui.read": ActionTypeInfo("reading"),
        "ui.scroll": ActionTypeInfo("gesture", ("scroll",)),
        "ui.scrollIntoView": ActionTypeInfo("gesture", ("scrollIntoView",)),
        "ui.setValue": ActionTypeInfo("control_adjustment", ("adjust",)),
        "ui.submit": ActionTypeInfo("input", ("submit",)),
        "ui.toggle": ActionTypeInfo("control_adjustment", ("click",)),
        "ui.upload": ActionTypeInfo("input", ("setFiles",)),
        "app.invoke": ActionTypeInfo("input"),
        "x.uiap.doubleActivate": ActionTypeInfo("selection", ("click",)),
        "x.uiap.drag": ActionTypeInfo("gesture", ("drag",)),
        "x.uiap.longPress": ActionTypeInfo("gesture", ("longPress",)),
        "x.uiap.pinch": ActionTypeInfo("gesture", ("pinch",)),
        "x.uiap.press": ActionTypeInfo("input", ("press",)),
        "x.uiap.secondaryActivate": ActionTypeInfo("selection", ("click",)),
    }
)
