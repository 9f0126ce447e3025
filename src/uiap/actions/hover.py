"""ui.hover: move the pointer over a target and verify that it is hovered (CAP-7)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Hover
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Hover(guard=guard, mode=mode),)


ACTION = Primitive(
    id="ui.hover",
    title="Bring the pointer over an element",
    affordances=("read",),
    modes=("externalDriver",),
    idempotency=always("idempotent"),
    effect=always("none"),
    plan=_plan,
    proof=always("hovered"),
)
