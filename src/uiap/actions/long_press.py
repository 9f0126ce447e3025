"""x.uiap.longPress: press a target and hold it."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, LongPress
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    return (LongPress(guard=guard, mode=mode, duration_ms=args.get("durationMs", 700)),)


ACTION = Primitive(
    id="x.uiap.longPress",
    title="Press and hold",
    args=(ActionArgDescriptor(name="durationMs", type="number", description="Duration; default 700."),),
    affordances=("activate",),
    modes=("externalDriver",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=_plan,
    proof=always("change"),
)
