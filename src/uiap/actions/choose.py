"""ui.choose: pick options of a list by value, label or index, or pick the target option itself (ACT-11.7).

A native list is set directly. Any other list is opened and its option is pressed, and then its value is read back.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET

from uiap.actions.ops import AnyOp, Click, Guard, Select
from uiap.actions.primitive import (
    Args,
    GestureReport,
    Primitive,
    Proof,
    ValueProof,
    always,
    opens_and_closes,
    ref_to,
)
from uiap.spec.capability import ActionArgDescriptor, ElementState, ExecutionMode, UIState
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

_SELECTABLE_ROLES = frozenset({"option", "tab", "treeitem"})
_ITEMS = frozenset({"option", "treeitem", "menuitem"})
"""Items of lists that may close after a choice."""
_CHOICES = _ITEMS | {"radio", "tab"}
_OPEN_LISTS = frozenset({"menu", "group", "tablist", "tree", "list", "grid", "toolbar"})
"""Lists that show their options. They are never pressed."""
_VALUE_LISTS = frozenset({"combobox", "listbox", "group", "tablist", "tree", "grid"})
"""Lists of values. The options of all others are commands, which policy judges as presses."""
By = Literal["value", "label", "index"]
SELECTORS: tuple[By, ...] = ("label", "value", "index")


def _wanted_options(args: Args) -> tuple[tuple[str, ...], By | None]:
    """Return the wanted options and the selector that names them. `multiple` names several."""
    by = next((selector for selector in SELECTORS if selector in args), None)
    if "multiple" in args:
        return tuple(str(one) for one in args["multiple"]), by
    return ((str(args[by]),), by) if by is not None else ((), None)


def _options_in(element: ElementNode | None, args: Args) -> tuple[tuple[str, ...], By | None]:
    """Return the wanted options of a list; none if the target is the option that its own label names."""
    values, by = _wanted_options(args)
    if element is not None and element.role in _CHOICES and by == "label" and values == (element.name,):
        return (), None
    return values, by


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    values, by = _options_in(element, args)
    if not values:
        return (Click(guard=guard, mode=mode, picks=True if element.role in _ITEMS else None),)
    return (
        Select(
            guard=guard,
            mode=mode,
            values=values,
            by=by,
            judged=values if by in (None, "label") else (),
            opens=element.role not in _OPEN_LISTS,
            menu=element.role not in _VALUE_LISTS,
        ),
    )


def _can_be_chosen(element: ElementNode) -> bool:
    """Return whether the element is a menu item with a state, or may be a list.

    A box without a role may be one, and policy judges it as a press.
    """
    if element.role == "menuitem" and isinstance(element.state.checked, bool):
        return True
    box = element.role == "custom" and "activate" in element.affordances
    return box or element.role in _OPEN_LISTS | _VALUE_LISTS or opens_and_closes(element)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    assert element is not None
    values, _ = _options_in(element, args)
    if values:
        return ValueProof(description=f"its value is {', '.join(values)}", test=_has_chosen_value)
    by_check = element.role not in _SELECTABLE_ROLES or isinstance(element.state.checked, bool)
    state = UIState(checked=True) if by_check else UIState(selected=True)
    return (ElementState(target=ref_to(element), state=state),)


def _has_chosen_value(now: ElementNode, report: GestureReport) -> bool:
    """Return whether the control has the chosen value: as it shows it, or as the driver read it back."""
    if report.get("native") or report.get("how") == "value":
        return now.state.text_value == report.get("label")
    return report.get("held") is True


def _is_press(element: ElementNode | None, args: Args) -> bool:
    """Return whether the option is chosen by a press on it. An option of a closed native list is set instead."""
    in_closed_list = element is not None and element.role == "option" and element.state.visible is UNSET
    return not in_closed_list and not _options_in(element, args)[0]


def _effect(element: ElementNode | None, _args: Args) -> SideEffectClass:
    return "ui_state" if element is not None and element.role in ("tab", "tablist") else "draft"


ACTION = Primitive(
    id="ui.choose",
    title="Pick an option of a list, or the option itself",
    args=(
        ActionArgDescriptor(name="value", type="string", description="The option's value."),
        ActionArgDescriptor(name="label", type="string", description="The option's text."),
        ActionArgDescriptor(name="index", type="number", description="The option's index, from 0."),
        ActionArgDescriptor(name="multiple", type="array", description="Several, by value or text."),
    ),
    affordances=("choose",),
    suits=_can_be_chosen,
    modes=("semanticUi", "externalDriver"),
    presses=_is_press,
    idempotency=always("idempotent"),
    effect=_effect,
    plan=_plan,
    proof=_proof,
)
