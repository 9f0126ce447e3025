"""x.uiap.secondaryActivate: press with the secondary button, which opens a context menu."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode, button="right"),)


ACTION = Primitive(
    id="x.uiap.secondaryActivate",
    title="Press with the secondary button",
    affordances=("activate",),
    modes=("externalDriver",),
    on_request=("inputSynthesis",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=_plan,
    proof=always("change"),
)
