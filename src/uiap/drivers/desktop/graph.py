"""From one reading of an application to a PageGraph of the profile `x.uiap.desktop@0.1`. Pure.

The application is the document, its windows and dialogs are the scopes. What only holds others together is left out;
what is not on the screen is too, except the options of a closed list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from uiap.drivers.desktop.snapshot import AccessibleObject, ObjectBox, in_tree_order
from uiap.drivers.desktop.vocabulary import (
    AFFORDANCES,
    APPLICATION,
    COMBO,
    DIALOGS,
    LABEL,
    LAYOUT,
    LISTS,
    PASSWORD,
    RANGES,
    ROLES,
    TEXTS,
    TOGGLE,
    WINDOWS,
)
from uiap.spec.capability import UIAffordance, UIRole
from uiap.spec.web import (
    DocumentNode,
    DOMRectLike,
    ElementNode,
    FocusInfo,
    PageGraph,
    RouteInfo,
    ScopeNode,
    WebElementState,
)

PROFILE = "x.uiap.desktop@0.1"
DOCUMENT = "d1"
_CHECKABLE_ROLES = frozenset({7, 8, 44, 45, 130})


class ObjectTree:
    """The items of one reading, on their way into a graph."""

    def __init__(self, items: Sequence[AccessibleObject]) -> None:
        self.items = in_tree_order(items)
        self.by_ref = {item.ref: item for item in self.items}
        self.labels = [item for item in self.items if item.role == LABEL and item.showing and item.name]
        self.shown = {node_id(item): item for item in self.items if self._is_shown(item)}

    def scopes(self) -> list[AccessibleObject]:
        return [item for item in self.items if item.showing and self.is_scope(item)]

    def scope_of(self, item: AccessibleObject) -> AccessibleObject | None:
        return next((one for one in self.above(item) if self.is_scope(one)), None)

    def is_scope(self, item: AccessibleObject) -> bool:
        """Windows and dialogs, and whatever stands right below the application: a plain widget can be Qt's window."""
        above = self.by_ref.get(item.parent)
        top = above is not None and above is not item and above.role == APPLICATION
        return top or item.role in WINDOWS | DIALOGS

    def parent_of(self, item: AccessibleObject) -> str | None:
        return next((id for one in self.above(item) if (id := node_id(one)) in self.shown), None)

    def list_of(self, item: AccessibleObject) -> AccessibleObject | None:
        """The closed or open list whose option this is."""
        return next((one for one in self.above(item) if one.role == COMBO), None)

    def is_seen(self, item: AccessibleObject) -> bool:
        """On the screen; Qt says so of the options of a closed list too, which has no size then."""
        owner = self.list_of(item)
        inside = [one for one in self.above(item) if owner in self.above(one)] if owner is not None else []
        return item.showing and all(one.place is not None for one in inside)

    def name_of(self, item: AccessibleObject) -> tuple[str, bool]:
        """Its own name, or else the label that stands beside or above it; and whether that was a guess."""
        unnamed = not item.name or self.holds_name(item)
        if not unnamed or item.role not in TEXTS | RANGES | {COMBO} or item.place is None:
            return item.name, False
        near = min(
            (
                (distance, label.name)
                for label in self.labels
                if label.parent == item.parent and label.place is not None
                if (distance := _label_distance(label.place, item.place)) is not None
            ),
            default=(0, ""),
        )
        return near[1] or item.name, bool(near[1])

    def holds_name(self, item: AccessibleObject) -> bool:
        """GTK names a list after the option that is chosen: that is its value."""
        if item.role != COMBO or not item.name:
            return False
        return any(one.name == item.name for one in self.items if self.list_of(one) is item)

    def _is_shown(self, item: AccessibleObject) -> bool:
        if item.role in LAYOUT or item.role in WINDOWS:
            return False
        if item.role not in DIALOGS and self.is_scope(item):
            return False
        if (owner := self.list_of(item)) is not None:
            return owner.showing and bool(item.name) and item.role not in LISTS
        return item.showing and (bool(item.name) or (item.role in ROLES and item.role != LABEL))

    def above(self, item: AccessibleObject) -> list[AccessibleObject]:
        found: list[AccessibleObject] = []
        above = self.by_ref.get(item.parent)
        while above is not None and above not in found and above is not item:
            found.append(above)
            above = self.by_ref.get(above.parent)
        return found


def node_id(item: AccessibleObject) -> str:
    return f"{DOCUMENT}e{item.ref.path.rpartition('/')[2]}"


def scope_id(item: AccessibleObject) -> str:
    return f"{DOCUMENT}s{item.ref.path.rpartition('/')[2]}"


def build_graph(drawing: ObjectTree, *, url: str, title: str, seq: int, now: str) -> PageGraph:
    focused = [id for id, item in drawing.shown.items() if "focused" in item.states and drawing.is_seen(item)]
    modal = [scope_id(item) for item in drawing.scopes() if "modal" in item.states]
    return PageGraph(
        model_version="0.1",
        profile=PROFILE,
        revision=f"rev_{seq}",
        seq=seq,
        captured_at=now,
        route=RouteInfo(url=url, path="/", title=title or UNSET),
        documents=(
            DocumentNode(document_id=DOCUMENT, kind="root", url=url, title=title or UNSET, access="full"),
        ),
        scopes=tuple(_scope(drawing, item) for item in drawing.scopes()),
        elements=tuple(_element(drawing, id, item) for id, item in drawing.shown.items()),
        focus=FocusInfo(target=focused[-1], document_id=DOCUMENT) if focused else UNSET,
        modal_stack=tuple(modal) or UNSET,
    )


def _scope(drawing: ObjectTree, item: AccessibleObject) -> ScopeNode:
    above = drawing.scope_of(item)
    return ScopeNode(
        scope_id=scope_id(item),
        kind="dialog" if item.role in DIALOGS else "region",
        document_id=DOCUMENT,
        parent_scope_id=scope_id(above) if above is not None else UNSET,
        host_instance_id=node_id(item) if node_id(item) in drawing.shown else UNSET,
        name=item.name or UNSET,
        bbox=_box(item.place),
        source="native",
    )


def _element(drawing: ObjectTree, id: str, item: AccessibleObject) -> ElementNode:
    name, guessed = drawing.name_of(item)
    role, scope, parent = _role(drawing, item), drawing.scope_of(item), drawing.parent_of(item)
    known: dict[str, Any] = {"description": item.description, "parent_instance_id": parent, "name": name}
    if item.role == LABEL or (item.role in TEXTS and "editable" not in item.states):
        known["text"] = item.text or item.name
    return ElementNode(
        instance_id=id,
        document_id=DOCUMENT,
        scope_id=scope_id(scope) if scope is not None else UNSET,
        role=role,
        custom_role="x.uiap.desktop.group" if role == "custom" else UNSET,
        state=_state(item, drawing.is_seen(item), item.name if drawing.holds_name(item) else None),
        affordances=_affordances(item, role),
        bbox=_box(item.place if drawing.is_seen(item) else None),
        source="heuristic" if guessed else "native",
        **{member: value for member, value in known.items() if value},
    )


def _role(drawing: ObjectTree, item: AccessibleObject) -> UIRole:
    if item.role in TEXTS and "multi_line" in item.states:
        return "textarea"
    if drawing.list_of(item) is not None and item.role in (32, 35):
        return "option"
    return ROLES.get(item.role, "group")


def _affordances(item: AccessibleObject, role: UIRole) -> tuple[UIAffordance, ...]:
    more = AFFORDANCES.get(role, ())
    if item.role in TEXTS and "editable" not in item.states:
        more = ()
    if item.role == TOGGLE:
        more = (*more, "toggle")
    return ("read", *(("focus",) if "focusable" in item.states else ()), *more)


def _state(item: AccessibleObject, seen: bool, chosen: str | None) -> WebElementState:
    has = item.states.__contains__
    known: dict[str, Any] = {
        "attached": True,
        "visible": seen,
        "enabled": has("enabled") or has("sensitive"),
        "in_viewport": seen and item.place is not None,
    }
    known |= {word: True for word in ("focusable", "busy", "required") if has(word)}
    known |= {"focused": True} if seen and has("focused") else {}
    if item.role in _CHECKABLE_ROLES:
        known["checked"] = "mixed" if has("indeterminate") else has("checked")
    if item.role == TOGGLE:
        known["pressed"] = has("checked") or has("pressed")
    if has("selectable"):
        known["selected"] = has("selected")
    if has("expandable"):
        known["expanded"] = has("expanded")
    if has("invalid_entry"):
        known["invalid"] = True
    if item.role in DIALOGS:
        known |= {"open": True, "modal": has("modal")}
    if item.role in TEXTS:
        known |= _text_state(item)
    elif chosen is not None:
        known["text_value"] = chosen
    if item.range is not None:
        known |= {"numeric_value": simplify_number(item.range.value)}
        known |= {"min": simplify_number(item.range.low), "max": simplify_number(item.range.high)}
        known |= {"step": simplify_number(item.range.step)} if item.range.step > 0 else {}
    return WebElementState(**known)


def _text_state(item: AccessibleObject) -> dict[str, Any]:
    editable = "editable" in item.states
    known: dict[str, Any] = {"editable": editable, "readonly": not editable}
    if item.role == PASSWORD:  # its value never leaves the application
        return {**known, "sensitive": True}
    if "multi_line" in item.states:
        known["multiline"] = True
    return known if item.text is None else {**known, "text_value": item.text}


def simplify_number(value: float) -> int | float:
    """A whole number as one."""
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded


def _box(place: ObjectBox | None) -> Any:
    if place is None:
        return UNSET
    return DOMRectLike(x=place.x, y=place.y, width=place.width, height=place.height)


def _label_distance(label: ObjectBox, field: ObjectBox) -> int | None:
    """How far a label is from the field it could belong to: left of it in its row, or right above it."""
    if label.y < field.y + field.height and field.y < label.y + label.height and label.x < field.x:
        return max(0, field.x - label.x - label.width)
    if (
        label.y + label.height <= field.y
        and label.x < field.x + field.width
        and field.x < label.x + label.width
    ):
        return 1000 + field.y - label.y - label.height
    return None
