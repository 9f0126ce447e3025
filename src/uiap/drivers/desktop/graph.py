"""Build a PageGraph of the profile `x.uiap.desktop@0.1` from one reading of an application. Pure.

The application is the document; its windows and dialogs are the scopes. Pure containers are left out, and so are
objects outside of the screen, except the options of a closed list.
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
    """The accessible objects of one reading, with their structure and names."""

    def __init__(self, items: Sequence[AccessibleObject]) -> None:
        self.items = in_tree_order(items)
        self.by_ref = {item.ref: item for item in self.items}
        self.labels = [item for item in self.items if item.role == LABEL and item.showing and item.name]
        self.elements = {node_id(item): item for item in self.items if self._is_element(item)}

    def scopes(self) -> list[AccessibleObject]:
        return [item for item in self.items if item.showing and self.is_scope(item)]

    def scope_of(self, item: AccessibleObject) -> AccessibleObject | None:
        return next((one for one in self.ancestors(item) if self.is_scope(one)), None)

    def is_scope(self, item: AccessibleObject) -> bool:
        """Return whether this is a window, a dialog, or a direct child of the application.

        A plain widget can be a window of Qt.
        """
        parent = self.by_ref.get(item.parent)
        is_top_level = parent is not None and parent is not item and parent.role == APPLICATION
        return is_top_level or item.role in WINDOWS | DIALOGS

    def parent_of(self, item: AccessibleObject) -> str | None:
        return next((id for one in self.ancestors(item) if (id := node_id(one)) in self.elements), None)

    def owning_list(self, item: AccessibleObject) -> AccessibleObject | None:
        """Return the drop-down list that contains this option."""
        return next((one for one in self.ancestors(item) if one.role == COMBO), None)

    def is_on_screen(self, item: AccessibleObject) -> bool:
        """Return whether the object is on the screen.

        Qt also reports options of a closed list as showing, but their containers have no size.
        """
        owner = self.owning_list(item)
        inside = (
            [one for one in self.ancestors(item) if owner in self.ancestors(one)] if owner is not None else []
        )
        return item.showing and all(one.box is not None for one in inside)

    def name_of(self, item: AccessibleObject) -> tuple[str, bool]:
        """Return the name of an object, or of a label next to it, and whether that was a guess."""
        is_unnamed = not item.name or self.is_named_after_value(item)
        if not is_unnamed or item.role not in TEXTS | RANGES | {COMBO} or item.box is None:
            return item.name, False
        nearest = min(
            (
                (distance, label.name)
                for label in self.labels
                if label.parent == item.parent and label.box is not None
                if (distance := _label_distance(label.box, item.box)) is not None
            ),
            default=(0, ""),
        )
        return nearest[1] or item.name, bool(nearest[1])

    def is_named_after_value(self, item: AccessibleObject) -> bool:
        """Return whether the name of a list is its value: GTK names a list after the chosen option."""
        if item.role != COMBO or not item.name:
            return False
        return any(one.name == item.name for one in self.items if self.owning_list(one) is item)

    def _is_element(self, item: AccessibleObject) -> bool:
        if item.role in LAYOUT or item.role in WINDOWS:
            return False
        if item.role not in DIALOGS and self.is_scope(item):
            return False
        if (owner := self.owning_list(item)) is not None:
            return owner.showing and bool(item.name) and item.role not in LISTS
        return item.showing and (bool(item.name) or (item.role in ROLES and item.role != LABEL))

    def ancestors(self, item: AccessibleObject) -> list[AccessibleObject]:
        found: list[AccessibleObject] = []
        parent = self.by_ref.get(item.parent)
        while parent is not None and parent not in found and parent is not item:
            found.append(parent)
            parent = self.by_ref.get(parent.parent)
        return found


def node_id(item: AccessibleObject) -> str:
    return f"{DOCUMENT}e{item.ref.path.rpartition('/')[2]}"


def scope_id(item: AccessibleObject) -> str:
    return f"{DOCUMENT}s{item.ref.path.rpartition('/')[2]}"


def build_graph(tree: ObjectTree, *, url: str, title: str, seq: int, now: str) -> PageGraph:
    """Return the graph of one reading."""
    focused = [
        id for id, item in tree.elements.items() if "focused" in item.states and tree.is_on_screen(item)
    ]
    modal = [scope_id(item) for item in tree.scopes() if "modal" in item.states]
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
        scopes=tuple(_scope(tree, item) for item in tree.scopes()),
        elements=tuple(_element(tree, id, item) for id, item in tree.elements.items()),
        focus=FocusInfo(target=focused[-1], document_id=DOCUMENT) if focused else UNSET,
        modal_stack=tuple(modal) or UNSET,
    )


def _scope(tree: ObjectTree, item: AccessibleObject) -> ScopeNode:
    parent = tree.scope_of(item)
    return ScopeNode(
        scope_id=scope_id(item),
        kind="dialog" if item.role in DIALOGS else "region",
        document_id=DOCUMENT,
        parent_scope_id=scope_id(parent) if parent is not None else UNSET,
        host_instance_id=node_id(item) if node_id(item) in tree.elements else UNSET,
        name=item.name or UNSET,
        bbox=_rect(item.box),
        source="native",
    )


def _element(tree: ObjectTree, id: str, item: AccessibleObject) -> ElementNode:
    name, is_guessed = tree.name_of(item)
    role, scope, parent = _role(tree, item), tree.scope_of(item), tree.parent_of(item)
    members: dict[str, Any] = {"description": item.description, "parent_instance_id": parent, "name": name}
    if item.role == LABEL or (item.role in TEXTS and "editable" not in item.states):
        members["text"] = item.text or item.name
    return ElementNode(
        instance_id=id,
        document_id=DOCUMENT,
        scope_id=scope_id(scope) if scope is not None else UNSET,
        role=role,
        custom_role="x.uiap.desktop.group" if role == "custom" else UNSET,
        state=_state(item, tree.is_on_screen(item), item.name if tree.is_named_after_value(item) else None),
        affordances=_affordances(item, role),
        bbox=_rect(item.box if tree.is_on_screen(item) else None),
        source="heuristic" if is_guessed else "native",
        **{member: value for member, value in members.items() if value},
    )


def _role(tree: ObjectTree, item: AccessibleObject) -> UIRole:
    if item.role in TEXTS and "multi_line" in item.states:
        return "textarea"
    if tree.owning_list(item) is not None and item.role in (32, 35):
        return "option"
    return ROLES.get(item.role, "group")


def _affordances(item: AccessibleObject, role: UIRole) -> tuple[UIAffordance, ...]:
    found = AFFORDANCES.get(role, ())
    if item.role in TEXTS and "editable" not in item.states:
        found = ()
    if item.role == TOGGLE:
        found = (*found, "toggle")
    return ("read", *(("focus",) if "focusable" in item.states else ()), *found)


def _state(item: AccessibleObject, on_screen: bool, chosen: str | None) -> WebElementState:
    has = item.states.__contains__
    state: dict[str, Any] = {
        "attached": True,
        "visible": on_screen,
        "enabled": has("enabled") or has("sensitive"),
        "in_viewport": on_screen and item.box is not None,
    }
    state |= {name: True for name in ("focusable", "busy", "required") if has(name)}
    state |= {"focused": True} if on_screen and has("focused") else {}
    if item.role in _CHECKABLE_ROLES:
        state["checked"] = "mixed" if has("indeterminate") else has("checked")
    if item.role == TOGGLE:
        state["pressed"] = has("checked") or has("pressed")
    if has("selectable"):
        state["selected"] = has("selected")
    if has("expandable"):
        state["expanded"] = has("expanded")
    if has("invalid_entry"):
        state["invalid"] = True
    if item.role in DIALOGS:
        state |= {"open": True, "modal": has("modal")}
    if item.role in TEXTS:
        state |= _text_state(item)
    elif chosen is not None:
        state["text_value"] = chosen
    if item.range is not None:
        state |= {"numeric_value": simplify_number(item.range.value)}
        state |= {"min": simplify_number(item.range.low), "max": simplify_number(item.range.high)}
        state |= {"step": simplify_number(item.range.step)} if item.range.step > 0 else {}
    return WebElementState(**state)


def _text_state(item: AccessibleObject) -> dict[str, Any]:
    editable = "editable" in item.states
    state: dict[str, Any] = {"editable": editable, "readonly": not editable}
    if item.role == PASSWORD:  # the value never leaves the application
        return {**state, "sensitive": True}
    if "multi_line" in item.states:
        state["multiline"] = True
    return state if item.text is None else {**state, "text_value": item.text}


def simplify_number(value: float) -> int | float:
    """Return a float without a fraction as an integer."""
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded


def _rect(box: ObjectBox | None) -> Any:
    if box is None:
        return UNSET
    return DOMRectLike(x=box.x, y=box.y, width=box.width, height=box.height)


def _label_distance(label: ObjectBox, field: ObjectBox) -> int | None:
    """Return the distance of a label from a field on its right or directly below it, else None."""
    if label.y < field.y + field.height and field.y < label.y + label.height and label.x < field.x:
        return max(0, field.x - label.x - label.width)
    if (
        label.y + label.height <= field.y
        and label.x < field.x + field.width
        and field.x < label.x + label.width
    ):
        return 1000 + field.y - label.y - label.height
    return None
