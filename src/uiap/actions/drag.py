"""x.uiap.drag: drag a target onto another element or by a distance."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Drag, Guard
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    to = Guard(node=args["to"]) if "to" in args else None
    return (Drag(guard=guard, mode=mode, to=to, dx=args.get("dx", 0), dy=args.get("dy", 0)),)


ACTION = Primitive(
    id="x.uiap.drag",
    title="Drag an element onto another, or by a distance",
    args=(
        ActionArgDescriptor(name="to", type="string", description="The reference of the element to drop on."),
        ActionArgDescriptor(name="dx", type="number", description="Pixels to the right, without `to`."),
        ActionArgDescriptor(name="dy", type="number", description="Pixels down, without `to`."),
    ),
    affordances=("drag",),
    modes=("externalDriver",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=_plan,
    proof=always("change"),
)
