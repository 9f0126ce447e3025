"""ui.expand: expand a section, tree item or accordion and verify that it is expanded (ACT-11.9)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Primitive, Proof, always, open_state_proof, opens_and_closes
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode, opens=True),)


def _proof(element: ElementNode | None, _args: Args) -> Proof:
    return open_state_proof(element, True)


ACTION = Primitive(
    id="ui.expand",
    title="Open a section, tree item or accordion",
    other_kinds=("scope",),
    affordances=("expand",),
    suits=opens_and_closes,
    idempotency=always("idempotent"),
    effect=always("ui_state"),
    plan=_plan,
    proof=_proof,
)
