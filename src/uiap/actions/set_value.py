"""ui.setValue: set a slider, spin button, date, time or colour and read the value back (CAP-7, MDM-R5).

A control accepts only the values of its steps. The nearest of them is set if it is within the tolerance, else the exact
value is tried.
"""

from __future__ import annotations

import math

from uiap.actions.ops import Adjust, AnyOp, Guard
from uiap.actions.primitive import Args, GestureReport, Primitive, Proof, ValueProof, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def nearest_value(element: ElementNode, args: Args) -> int | float | str:
    """Return the nearest value that the control accepts, or the wanted value if that is not within the tolerance."""
    wanted, state = args["value"], element.state
    if isinstance(wanted, str):
        return wanted
    step = state.step if isinstance(state.step, int | float) and state.step > 0 else 1
    low = state.min if isinstance(state.min, int | float) else 0
    value = low + round((wanted - low) / step) * step
    if isinstance(state.max, int | float):
        value = min(value, state.max)
    close = abs(value - wanted) <= args.get("tolerance", 0)
    return _plain(value if close else wanted)


def reachable_values(element: ElementNode | None, args: Args) -> tuple[float, ...]:
    """Return the steps below and above the wanted value; none if it is a step itself, or no number."""
    wanted = args["value"]
    if element is None or isinstance(wanted, str):
        return ()
    state = element.state
    step = state.step if isinstance(state.step, int | float) and state.step > 0 else 1
    low = state.min if isinstance(state.min, int | float) else 0
    below = low + math.floor((wanted - low) / step) * step
    limits = [
        one for one in (below, below + step) if not isinstance(state.max, int | float) or one <= state.max
    ]
    return () if wanted in limits else tuple(_plain(one) for one in limits)


def _plain(value: float) -> int | float:
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded


def is_within_tolerance(element: ElementNode, args: Args) -> bool:
    """Return whether the control has the wanted value, within the tolerance."""
    wanted, state = args["value"], element.state
    if isinstance(wanted, str):
        return isinstance(state.text_value, str) and state.text_value.lower() == wanted.lower()
    value = state.numeric_value if isinstance(state.numeric_value, int | float) else _number(state.text_value)
    return value is not None and abs(value - wanted) <= args.get("tolerance", 0) + 1e-9


def _number(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    aim, tolerance = nearest_value(element, args), args.get("tolerance", 0)
    if not isinstance(aim, str) and tolerance:  # the rest of the tolerance, measured from the aim
        tolerance = max(0, tolerance - abs(aim - args["value"]))
    return (Adjust(guard=guard, mode=mode, value=aim, tolerance=tolerance),)


def _proof(_element: ElementNode | None, args: Args) -> Proof:
    def holds(now: ElementNode, _report: GestureReport) -> bool:
        return is_within_tolerance(now, args)

    tolerance_text = f" within {args['tolerance']}" if args.get("tolerance") else ""
    return ValueProof(description=f"its value is {args['value']}{tolerance_text}", test=holds)


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
        ActionArgDescriptor(
            name="tolerance", type="number", description="The permitted difference; default 0."
        ),
    ),
    affordances=("edit",),
    checks="value",
    modes=("semanticUi", "externalDriver"),
    idempotency=always("idempotent"),
    effect=always("draft"),
    number_or_text=frozenset({"value"}),
    plan=_plan,
    proof=_proof,
    reachable=reachable_values,
)
