"""ui.highlight: show a person where a target is (ACT-11.3). It changes nothing and needs no proof."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Highlight
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    return (Highlight(guard=guard, mode=mode, duration_ms=args.get("durationMs", 1500)),)


ACTION = Primitive(
    id="ui.highlight",
    title="Show a person where an element is",
    args=(ActionArgDescriptor(name="durationMs", type="number", description="Duration; default 1500."),),
    other_kinds=("scope",),
    affordances=("read",),
    checks="present",
    modes=("externalDriver",),
    idempotency=always("idempotent"),
    effect=always("none"),
    plan=_plan,
    proof=always("none"),
)
