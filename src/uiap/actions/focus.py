"""ui.focus: move the focus to a target and verify that it is there (ACT-11.2)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Focus, Guard
from uiap.actions.primitive import Args, Primitive, Proof, always, ref_to
from uiap.spec.capability import ElementState, ExecutionMode, UIState
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Focus(guard=guard, mode=mode),)


def _proof(element: ElementNode | None, _args: Args) -> Proof:
    return (ElementState(target=ref_to(element), state=UIState(focused=True)),)


ACTION = Primitive(
    id="ui.focus",
    title="Move the focus to an element",
    other_kinds=("scope",),
    affordances=("focus",),
    checks="present",
    modes=("semanticUi",),
    idempotency=always("idempotent"),
    effect=always("none"),
    plan=_plan,
    proof=_proof,
)
