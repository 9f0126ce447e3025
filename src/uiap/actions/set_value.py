"""ui.setValue: put a number into a slider or number field and read it back (CAP-7, MDM-9).

The nearest value the control can hold is set where it lies within the tolerance; else the exact one is tried, and the
read-back says what became of it.
"""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, SetText
from uiap.actions.primitive import Args, Primitive, Proof, always, itself
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode, ValueEquals
from uiap.spec.web import ElementNode


def nearest(element: ElementNode, args: Args) -> int | float:
    """On the control's own grid: from its minimum in its steps."""
    wanted, state = args["value"], element.state
    step = state.step if isinstance(state.step, int | float) and state.step > 0 else 1
    low = state.min if isinstance(state.min, int | float) else 0
    held = low + round((wanted - low) / step) * step
    if isinstance(state.max, int | float):
        held = min(held, state.max)
    close = abs(held - wanted) <= args.get("tolerance", 0)
    return _plain(held if close else wanted)


def _plain(value: float) -> int | float:
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    return (SetText(guard=guard, mode=mode, text=str(nearest(element, args))),)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    assert element is not None
    return (ValueEquals(target=itself(element), value=nearest(element, args)),)


ACTION = Primitive(
    id="ui.setValue",
    title="Set a slider or number field",
    args=(
        ActionArgDescriptor(name="value", type="number", required=True, description="The value wanted."),
        ActionArgDescriptor(name="tolerance", type="number", description="How far off it may be; default 0."),
    ),
    affordances=("edit",),
    modes=("semanticUi",),
    idempotency=always("idempotent"),
    effect=always("draft"),
    plan=_plan,
    proof=_proof,
)
