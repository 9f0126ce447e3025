"""ui.choose: pick an option, of a list by value, label or place, or by the option itself (ACT-11.7).

Of a native list through its setter; of any other by opening it and pressing the option, and then reading back what
it says it holds.
"""

from __future__ import annotations

from typing import Literal

from uiap.actions.ops import AnyOp, Click, Guard, Select
from uiap.actions.primitive import Args, GestureReport, Primitive, Proof, ValueProof, always, ref_to
from uiap.spec.capability import ActionArgDescriptor, ElementState, ExecutionMode, UIState
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

_ITSELF = frozenset({"option", "tab", "treeitem"})
By = Literal["value", "label", "index"]
SELECTORS: tuple[By, ...] = ("label", "value", "index")


def _wanted(args: Args) -> tuple[tuple[str, ...], By | None]:
    """The options asked for, and by what; several at once as `multiple`."""
    by = next((way for way in SELECTORS if way in args), None)
    if "multiple" in args:
        return tuple(str(one) for one in args["multiple"]), by
    return ((str(args[by]),), by) if by is not None else ((), None)


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    values, by = _wanted(args)
    if not values:
        return (Click(guard=guard, mode=mode),)
    return (Select(guard=guard, mode=mode, values=values, by=by),)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    assert element is not None
    values, _ = _wanted(args)
    if values:
        return ValueProof(description=f"it holds {', '.join(values)}", test=_holds)
    state = UIState(selected=True) if element.role in _ITSELF else UIState(checked=True)
    return (ElementState(target=ref_to(element), state=state),)


def _holds(now: ElementNode, told: GestureReport) -> bool:
    """A control that shows what it holds must go on showing it; what any other says was read back in the page."""
    if told.get("native") or told.get("how") == "value":
        return now.state.text_value == told.get("label")
    return told.get("held") is True


def _effect(element: ElementNode | None, _args: Args) -> SideEffectClass:
    return "ui_state" if element is not None and element.role in ("tab", "tablist") else "draft"


ACTION = Primitive(
    id="ui.choose",
    title="Pick an option of a list, or the option itself",
    args=(
        ActionArgDescriptor(name="value", type="string", description="The option's value."),
        ActionArgDescriptor(name="label", type="string", description="The option's text."),
        ActionArgDescriptor(name="index", type="number", description="Its place, from 0."),
        ActionArgDescriptor(name="multiple", type="array", description="Several, by value or text."),
    ),
    affordances=("choose",),
    checks="present",
    modes=("semanticUi", "externalDriver"),
    idempotency=always("idempotent"),
    effect=_effect,
    plan=_plan,
    proof=_proof,
)
