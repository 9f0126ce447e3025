"""ui.setValue: bring a slider, spin button, date, time or colour to a value and read it back (CAP-7, MDM-R5).

The nearest value the control can hold is aimed at where it lies within the tolerance; else the exact one is tried, and
the read-back says what became of it.
"""

from __future__ import annotations

from uiap.actions.ops import Adjust, AnyOp, Guard
from uiap.actions.primitive import Args, GestureReport, Primitive, Proof, ValueProof, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def nearest_value(element: ElementNode, args: Args) -> int | float | str:
    """On the control's own grid: from its minimum in its steps."""
    wanted, state = args["value"], element.state
    if isinstance(wanted, str):
        return wanted
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


def is_within_tolerance(element: ElementNode, args: Args) -> bool:
    """What it holds is what was wanted, give or take the tolerance."""
    wanted, state = args["value"], element.state
    if isinstance(wanted, str):
        return isinstance(state.text_value, str) and state.text_value.lower() == wanted.lower()
    held = state.numeric_value if isinstance(state.numeric_value, int | float) else _number(state.text_value)
    return held is not None and abs(held - wanted) <= args.get("tolerance", 0) + 1e-9


def _number(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    aim, tolerance = nearest_value(element, args), args.get("tolerance", 0)
    if not isinstance(aim, str) and tolerance:  # so far off the aim it may still end
        tolerance = max(0, tolerance - abs(aim - args["value"]))
    return (Adjust(guard=guard, mode=mode, value=aim, tolerance=tolerance),)


def _proof(_element: ElementNode | None, args: Args) -> Proof:
    def holds(now: ElementNode, _told: GestureReport) -> bool:
        return is_within_tolerance(now, args)

    near = f" within {args['tolerance']}" if args.get("tolerance") else ""
    return ValueProof(description=f"it holds {args['value']}{near}", test=holds)


ACTION = Primitive(
    id="ui.setValue",
    title="Set a slider, number, date, time or colour",
    args=(
        ActionArgDescriptor(
            name="value",
            type="number",
            required=True,
            description="The value wanted; a date, time or colour as text.",
        ),
        ActionArgDescriptor(name="tolerance", type="number", description="How far off it may be; default 0."),
    ),
    affordances=("edit",),
    modes=("semanticUi", "externalDriver"),
    idempotency=always("idempotent"),
    effect=always("draft"),
    number_or_text=frozenset({"value"}),
    plan=_plan,
    proof=_proof,
)
