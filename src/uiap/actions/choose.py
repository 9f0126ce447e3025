"""ui.choose: pick an option of a native list by value or label (ACT-11.7)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Select
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    wanted = args.get("value", args.get("label"))
    values = tuple(wanted) if isinstance(wanted, list) else (str(wanted),)
    return (Select(guard=guard, mode=mode, values=values),)


ACTION = Primitive(
    id="ui.choose",
    title="Pick an option",
    args=(
        ActionArgDescriptor(name="value", type="string", description="The option's value."),
        ActionArgDescriptor(name="label", type="string", description="The option's text."),
    ),
    affordances=("choose",),
    checks="present",
    modes=("semanticUi",),
    idempotency=always("idempotent"),
    effect=always("draft"),
    plan=_plan,
    proof=always("change"),
)
