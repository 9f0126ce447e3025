"""ui.submit: submit a form with valid fields and verify an effect (ACT-11.13)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Submit
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Submit(guard=guard, mode=mode),)


ACTION = Primitive(
    id="ui.submit",
    title="Submit a form, by itself, a field of it or its button",
    affordances=("submit",),
    checks="present",
    idempotency=always("non_idempotent"),
    effect=always("data_write"),
    plan=_plan,
    proof=always("change"),
)
