"""UIAP, the UI Agent Protocol: agents act on real user interfaces, and every success is verified by observation.

    async with uiap.open("http://localhost:8000") as ui:
        print((await ui.observe()).outline())
        await ui.fill("Title", "My first video")
        result = await ui.click("Create video", expect=[uiap.route_changed("/videos/:id")])

This module exports the public names. Each is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uiap.api import sync as sync
    from uiap.api.attach_session import attach as attach
    from uiap.api.begun import PersonNeeded as PersonNeeded
    from uiap.api.graph import Graph as Graph
    from uiap.api.open_session import connect as connect
    from uiap.api.open_session import open as open
    from uiap.api.result import ActionFailed as ActionFailed
    from uiap.api.result import Result as Result
    from uiap.api.signals import clipboard_written as clipboard_written
    from uiap.api.signals import collection_count as collection_count
    from uiap.api.signals import dialog_closed as dialog_closed
    from uiap.api.signals import dialog_opened as dialog_opened
    from uiap.api.signals import download_completed as download_completed
    from uiap.api.signals import element_appeared as element_appeared
    from uiap.api.signals import element_disappeared as element_disappeared
    from uiap.api.signals import element_state as element_state
    from uiap.api.signals import entity_created as entity_created
    from uiap.api.signals import entity_deleted as entity_deleted
    from uiap.api.signals import entity_updated as entity_updated
    from uiap.api.signals import network_response as network_response
    from uiap.api.signals import page_restyled as page_restyled
    from uiap.api.signals import print_requested as print_requested
    from uiap.api.signals import route_changed as route_changed
    from uiap.api.signals import status_contains as status_contains
    from uiap.api.signals import tab_opened as tab_opened
    from uiap.api.signals import target as target
    from uiap.api.signals import text_appeared as text_appeared
    from uiap.api.signals import text_disappeared as text_disappeared
    from uiap.api.signals import toast_contains as toast_contains
    from uiap.api.signals import validation_none as validation_none
    from uiap.api.signals import value_equals as value_equals
    from uiap.api.ui import Ui as Ui
    from uiap.errors import UiapError as UiapError

__version__ = "0.1.0.dev0"

_HOMES = {
    "ActionFailed": "uiap.api.result",
    "Graph": "uiap.api.graph",
    "PersonNeeded": "uiap.api.begun",
    "Result": "uiap.api.result",
    "Ui": "uiap.api.ui",
    "UiapError": "uiap.errors",
    "attach": "uiap.api.attach_session",
    "connect": "uiap.api.open_session",
    "open": "uiap.api.open_session",
    **dict.fromkeys(
        (
            "clipboard_written",
            "collection_count",
            "dialog_closed",
            "dialog_opened",
            "download_completed",
            "element_appeared",
            "element_disappeared",
            "element_state",
            "entity_created",
            "entity_deleted",
            "entity_updated",
            "network_response",
            "page_restyled",
            "print_requested",
            "route_changed",
            "status_contains",
            "tab_opened",
            "target",
            "text_appeared",
            "text_disappeared",
            "toast_contains",
            "validation_none",
            "value_equals",
        ),
        "uiap.api.signals",
    ),
}
__all__ = ["__version__", "sync", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name == "sync":
        return import_module("uiap.api.sync")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'uiap' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), "sync", *_HOMES})
