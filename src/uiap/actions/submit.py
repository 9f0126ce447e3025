"""ui.submit: submit a form with valid fields and verify an effect (ACT-11.13)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Submit
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Submit(guard=guard, mode=mode),)


def _is_in_form(element: ElementNode) -> bool:
    """Return whether it may belong to a form: a field or a button."""
    return element.role in ("form", "button") or "edit" in element.affordances


ACTION = Primitive(
    id="ui.submit",
    title="Submit a form, by itself, a field of it or its button",
    other_kinds=("scope",),
    affordances=("submit",),
    suits=_is_in_form,
    checks="present",
    idempotency=always("non_idempotent"),
    effect=always("data_write"),
    plan=_plan,
    proof=always("change"),
)
