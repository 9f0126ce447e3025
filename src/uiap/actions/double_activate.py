"""x.uiap.doubleActivate: a double click."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode, count=2),)


ACTION = Primitive(
    id="x.uiap.doubleActivate",
    title="Press twice in a row",
    affordances=("activate",),
    modes=("externalDriver",),
    on_request=("inputSynthesis",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=_plan,
    proof=always("change"),
)
