"""Build a PageGraph from one snapshot of the screen, in the profile of its driver. Pure.

The foreground application is the document, its windows are the scopes. Every attribute of a dump becomes a state or
metadata. The text of a password field is never included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node, ScreenBounds
from uiap.drivers.touchscreen.vocabulary import (
    AFFORDANCES,
    FIELDS,
    LISTS,
    expanded_state,
    parse_number,
    says_busy,
)
from uiap.spec.capability import UIAffordance
from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    DOMRectLike,
    ElementNode,
    FocusInfo,
    PageGraph,
    RouteInfo,
    ScopeNode,
    ViewportInfo,
    WebElementState,
)

DOCUMENT = "d1"
METADATA_FLAGS = ("clickable", "long-clickable", "scrollable", "checkable", "focusable", "password")


class ForegroundApp(NamedTuple):
    """The application and activity in the foreground: `com.example/.Main`."""

    package: str = ""
    activity: str = ""

    @property
    def path(self) -> str:
        return f"{self.package}/{self.activity}" if self.activity else self.package


def build_graph(
    layout: ScreenLayout,
    ids: Mapping[Node, str],
    *,
    profile: str,
    url: str,
    foreground: ForegroundApp,
    seq: int,
    now: str,
) -> PageGraph:
    """Return the graph of a layout; `ids` are the ids of its elements."""
    windows = {root: f"{DOCUMENT}s{number}" for number, root in enumerate(layout.hierarchy.roots, 1)}
    unique_ids = _unique_resource_ids(layout)
    elements = tuple(
        _element(
            layout, element, ids, windows[layout.window_of(node)], element.node.resource_id in unique_ids
        )
        for node, element in layout.elements.items()
    )
    focused = [one.instance_id for one in elements if one.state.focused is True]
    modal = tuple(windows[root] for root in windows if layout.is_dialog(root))
    width, height = layout.screen
    return PageGraph(
        model_version="0.1",
        profile=profile,
        revision=f"rev_{seq}",
        seq=seq,
        captured_at=now,
        route=RouteInfo(url=url, path=f"/{foreground.activity}", title=foreground.path or UNSET),
        viewport=ViewportInfo(width=width, height=height),
        documents=(DocumentNode(document_id=DOCUMENT, kind="root", url=url, access="full"),),
        scopes=tuple(_scope(layout, root, id, foreground) for root, id in windows.items()),
        elements=elements,
        collections=tuple(_collections(layout, ids)) or UNSET,
        focus=FocusInfo(target=focused[-1], document_id=DOCUMENT) if focused else UNSET,
        modal_stack=modal or UNSET,
        metadata={"rotation": layout.hierarchy.rotation},
    )


def _unique_resource_ids(layout: ScreenLayout) -> set[str]:
    """Return the resource ids that only one node has: they are the application's own names for it."""
    ids = [node.resource_id for node in layout.elements if node.resource_id]
    return {id for id in ids if ids.count(id) == 1}


def _scope(layout: ScreenLayout, root: Node, id: str, foreground: ForegroundApp) -> ScopeNode:
    dialog = layout.is_dialog(root)
    titles = (one.text for one in root.walk() if one.resource_id.endswith("/alertTitle"))
    return ScopeNode(
        scope_id=id,
        kind="dialog" if dialog else "region",
        document_id=DOCUMENT,
        name=next(titles, "") or (root.package or foreground.package) or UNSET,
        bbox=_box(root.bounds),
        source="heuristic" if dialog else "native",
        metadata={"package": root.package} if root.package else UNSET,
    )


def _collections(layout: ScreenLayout, ids: Mapping[Node, str]) -> list[CollectionNode]:
    return [
        CollectionNode(
            collection_id=f"{ids[node]}c",
            owner_instance_id=ids[node],
            role="grid" if element.role == "grid" else "list",
            count=len(node.children),
        )
        for node, element in layout.elements.items()
        if element.role in ("list", "grid")
    ]


def _element(
    layout: ScreenLayout, element: ScreenElement, ids: Mapping[Node, str], scope: str, own_id: bool
) -> ElementNode:
    node, parent = element.node, layout.parent_of(element.node)
    text = node.description or node.text
    members: dict[str, Any] = {"name": element.name}
    if element.role in ("label", "status") and not node.has("password"):
        members["text"] = text
    secret = node.has("password") or node.class_name in FIELDS
    if element.name and text not in ("", element.name, element.value) and not secret:
        members["description"] = text
    return ElementNode(
        instance_id=ids[node],
        stable_id=node.resource_id if own_id else UNSET,
        document_id=DOCUMENT,
        scope_id=scope,
        parent_instance_id=ids[parent] if parent is not None else UNSET,
        role=element.role,
        state=_state(layout, element),
        affordances=_affordances(element),
        bbox=_box(node.bounds),
        source=element.source,
        metadata=_metadata(element),
        **{member: value for member, value in members.items() if value},
    )


def _affordances(element: ScreenElement) -> tuple[UIAffordance, ...]:
    node = element.node
    found: dict[UIAffordance, None] = {"read": None}
    if node.has("focusable"):
        found["focus"] = None
    found |= dict.fromkeys(AFFORDANCES.get(element.role, ()))
    if element.pressable and "edit" not in found:
        found["activate"] = None
    if node.has("scrollable") or node.class_name in LISTS:
        found["scroll"] = None
    if element.pressable:
        found["drag"] = None
    return tuple(found)


def _state(layout: ScreenLayout, element: ScreenElement) -> WebElementState:
    node, visible = element.node, layout.visible_bounds(element.node)
    displayed = node.extra_attributes.get("visible-to-user", node.extra_attributes.get("displayed"))
    state: dict[str, Any] = {
        "attached": True,
        "visible": not node.bounds.is_empty and displayed != "false",
        "enabled": node.has("enabled"),
        "in_viewport": not visible.is_empty,
        "focusable": node.has("focusable"),
        "focused": node.has("focused"),
        "selected": node.has("selected"),
    }
    if node.has("checkable") or element.role in ("checkbox", "switch", "radio"):
        state["checked"] = node.has("checked")
    if (expanded := expanded_state(node.description)) is not None:
        state["expanded"] = expanded
    if node.class_name in FIELDS:
        state |= _field_state(node)
    elif element.value:
        state |= _value_state(element)
    if element.role == "spinner" or (element.role == "label" and says_busy(element.name)):
        state["busy"] = True
    return WebElementState(**state)


def _field_state(node: Node) -> dict[str, Any]:
    state: dict[str, Any] = {"editable": node.has("enabled"), "readonly": not node.has("enabled")}
    hint = node.extra_attributes.get("hint", "")
    if hint:
        state["placeholder"] = hint
    if node.has("password"):  # the value never leaves the device
        return {**state, "sensitive": True}
    return {**state, "text_value": node.field_text}


def _value_state(element: ScreenElement) -> dict[str, Any]:
    state: dict[str, Any] = {"text_value": element.value}
    if (
        element.role in ("slider", "progress", "spinbutton")
        and (parsed := parse_number(element.value)) is not None
    ):
        state["numeric_value"] = parsed.value
        state |= {"min": parsed.low} if parsed.low is not None else {}
        state |= {"max": parsed.high} if parsed.high is not None else {}
    return state


def _metadata(element: ScreenElement) -> dict[str, Any]:
    node = element.node
    metadata: dict[str, Any] = {"class": node.cls, "index": node.index, "resourceId": node.resource_id}
    metadata["flags"] = [flag for flag in METADATA_FLAGS if node.has(flag)]
    metadata |= {"more": dict(node.extra_attributes)} if node.extra_attributes else {}
    metadata |= {"record": element.record} if element.record is not None else {}
    metadata |= {"package": node.package} if node.package else {}
    return {name: value for name, value in metadata.items() if value not in ("", [], None)}


def _box(bounds: ScreenBounds) -> DOMRectLike:
    return DOMRectLike(x=bounds.left, y=bounds.top, width=bounds.width, height=bounds.height)
