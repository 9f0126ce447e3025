"""ui.scrollIntoView: scroll all containers of a target until it is in view, and verify that (ACT-11.11)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, ScrollIntoView
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (ScrollIntoView(guard=guard, mode=mode),)


ACTION = Primitive(
    id="ui.scrollIntoView",
    title="Bring an element into view",
    other_kinds=("scope",),
    affordances=("read",),
    checks="present",
    modes=("semanticUi",),
    idempotency=always("idempotent"),
    effect=always("none"),
    plan=_plan,
    proof=always("in_view"),
)
