"""From one reading of the screen to a PageGraph, of the profile that its driver says. Pure.

The application in front is the document, its windows are the scopes. Every attribute that a dump carries is either a
state or stands in the metadata; the text of a password field stands nowhere.
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
    """What stands in front: `com.example/.Main`."""

    package: str = ""
    activity: str = ""

    @property
    def path(self) -> str:
        return f"{self.package}/{self.activity}" if self.activity else self.package


def build_graph(
    drawing: ScreenLayout,
    ids: Mapping[Node, str],
    *,
    profile: str,
    url: str,
    front: ForegroundApp,
    seq: int,
    now: str,
) -> PageGraph:
    windows = {root: f"{DOCUMENT}s{place}" for place, root in enumerate(drawing.hierarchy.roots, 1)}
    unique = _unique_resource_ids(drawing)
    elements = tuple(
        _element(drawing, shown, ids, windows[drawing.window_of(node)], shown.node.resource_id in unique)
        for node, shown in drawing.shown.items()
    )
    focused = [one.instance_id for one in elements if one.state.focused is True]
    modal = tuple(windows[root] for root in windows if drawing.is_dialog(root))
    width, height = drawing.screen
    return PageGraph(
        model_version="0.1",
        profile=profile,
        revision=f"rev_{seq}",
        seq=seq,
        captured_at=now,
        route=RouteInfo(url=url, path=f"/{front.activity}", title=front.path or UNSET),
        viewport=ViewportInfo(width=width, height=height),
        documents=(DocumentNode(document_id=DOCUMENT, kind="root", url=url, access="full"),),
        scopes=tuple(_scope(drawing, root, id, front) for root, id in windows.items()),
        elements=elements,
        collections=tuple(_collections(drawing, ids)) or UNSET,
        focus=FocusInfo(target=focused[-1], document_id=DOCUMENT) if focused else UNSET,
        modal_stack=modal or UNSET,
        metadata={"rotation": drawing.hierarchy.rotation},
    )


def _unique_resource_ids(drawing: ScreenLayout) -> set[str]:
    """Ids that one node alone has: those are the application's own names for it."""
    seen = [node.resource_id for node in drawing.shown if node.resource_id]
    return {one for one in seen if seen.count(one) == 1}


def _scope(drawing: ScreenLayout, root: Node, id: str, front: ForegroundApp) -> ScopeNode:
    dialog = drawing.is_dialog(root)
    titles = (one.text for one in root.walk() if one.resource_id.endswith("/alertTitle"))
    return ScopeNode(
        scope_id=id,
        kind="dialog" if dialog else "region",
        document_id=DOCUMENT,
        name=next(titles, "") or (root.package or front.package) or UNSET,
        bbox=_box(root.bounds),
        source="heuristic" if dialog else "native",
        metadata={"package": root.package} if root.package else UNSET,
    )


def _collections(drawing: ScreenLayout, ids: Mapping[Node, str]) -> list[CollectionNode]:
    return [
        CollectionNode(
            collection_id=f"{ids[node]}c",
            owner_instance_id=ids[node],
            role="grid" if shown.role == "grid" else "list",
            count=len(node.children),
        )
        for node, shown in drawing.shown.items()
        if shown.role in ("list", "grid")
    ]


def _element(
    drawing: ScreenLayout, shown: ScreenElement, ids: Mapping[Node, str], scope: str, own_id: bool
) -> ElementNode:
    node, parent = shown.node, drawing.parent_of(shown.node)
    said = node.description or node.text
    known: dict[str, Any] = {"name": shown.name}
    if shown.role in ("label", "status") and not node.has("password"):
        known["text"] = said
    secret = node.has("password") or node.kind in FIELDS
    if shown.name and said not in ("", shown.name, shown.value) and not secret:
        known["description"] = said
    return ElementNode(
        instance_id=ids[node],
        stable_id=node.resource_id if own_id else UNSET,
        document_id=DOCUMENT,
        scope_id=scope,
        parent_instance_id=ids[parent] if parent is not None else UNSET,
        role=shown.role,
        state=_state(drawing, shown),
        affordances=_affordances(shown),
        bbox=_box(node.bounds),
        source=shown.source,
        metadata=_metadata(shown),
        **{member: value for member, value in known.items() if value},
    )


def _affordances(shown: ScreenElement) -> tuple[UIAffordance, ...]:
    node = shown.node
    more: dict[UIAffordance, None] = {"read": None}
    if node.has("focusable"):
        more["focus"] = None
    more |= dict.fromkeys(AFFORDANCES.get(shown.role, ()))
    if shown.pressable and "edit" not in more:
        more["activate"] = None
    if node.has("scrollable") or node.kind in LISTS:
        more["scroll"] = None
    if shown.pressable:
        more["drag"] = None
    return tuple(more)


def _state(drawing: ScreenLayout, shown: ScreenElement) -> WebElementState:
    node, seen = shown.node, drawing.seen(shown.node)
    told = node.more.get("visible-to-user", node.more.get("displayed"))
    known: dict[str, Any] = {
        "attached": True,
        "visible": not node.bounds.empty and told != "false",
        "enabled": node.has("enabled"),
        "in_viewport": not seen.empty,
        "focusable": node.has("focusable"),
        "focused": node.has("focused"),
        "selected": node.has("selected"),
    }
    if node.has("checkable") or shown.role in ("checkbox", "switch", "radio"):
        known["checked"] = node.has("checked")
    if (open := expanded_state(node.description)) is not None:
        known["expanded"] = open
    if node.kind in FIELDS:
        known |= _field_state(node)
    elif shown.value:
        known |= _value_state(shown)
    if shown.role == "spinner" or (shown.role == "label" and says_busy(shown.name)):
        known["busy"] = True
    return WebElementState(**known)


def _field_state(node: Node) -> dict[str, Any]:
    known: dict[str, Any] = {"editable": node.has("enabled"), "readonly": not node.has("enabled")}
    hint = node.more.get("hint", "")
    if hint:
        known["placeholder"] = hint
    if node.has("password"):  # its value never leaves the device
        return {**known, "sensitive": True}
    return {**known, "text_value": node.held}


def _value_state(shown: ScreenElement) -> dict[str, Any]:
    known: dict[str, Any] = {"text_value": shown.value}
    if shown.role in ("slider", "progress", "spinbutton") and (held := parse_number(shown.value)) is not None:
        known["numeric_value"] = held.value
        known |= {"min": held.low} if held.low is not None else {}
        known |= {"max": held.high} if held.high is not None else {}
    return known


def _metadata(shown: ScreenElement) -> dict[str, Any]:
    node = shown.node
    known: dict[str, Any] = {"class": node.cls, "index": node.index, "resourceId": node.resource_id}
    known["flags"] = [flag for flag in METADATA_FLAGS if node.has(flag)]
    known |= {"more": dict(node.more)} if node.more else {}
    known |= {"record": shown.record} if shown.record is not None else {}
    known |= {"package": node.package} if node.package else {}
    return {name: value for name, value in known.items() if value not in ("", [], None)}


def _box(bounds: ScreenBounds) -> DOMRectLike:
    return DOMRectLike(x=bounds.left, y=bounds.top, width=bounds.width, height=bounds.height)
