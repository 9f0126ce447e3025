"""The type of each primitive action (MDM-5), and the gestures that a driver must support for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

ActionType: TypeAlias = Literal[
    "navigation", "input", "selection", "gesture", "control_adjustment", "reading"
]
"""The types of MDM-5, and `reading`, which changes nothing."""


class ActionTypeInfo(NamedTuple):
    """One row of the table."""

    type: ActionType
    ops: tuple[str, ...] = ()
    """The gestures that the driver must support, all of them."""


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
