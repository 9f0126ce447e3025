"""x.uiap.pinch: move two fingers on a target apart or together."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Pinch
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    return (Pinch(guard=guard, mode=mode, scale=args["scale"]),)


ACTION = Primitive(
    id="x.uiap.pinch",
    title="Pinch with two fingers",
    args=(
        ActionArgDescriptor(
            name="scale", type="number", required=True, description="Above 1 apart, below 1 together."
        ),
    ),
    affordances=("activate",),
    modes=("externalDriver",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=_plan,
    proof=always("change"),
)
