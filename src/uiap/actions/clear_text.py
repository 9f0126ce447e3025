"""ui.clearText: empty a field (ACT-11.6)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, SetText
from uiap.actions.primitive import Args, Primitive, Proof, always, is_sensitive, ref_to
from uiap.spec.capability import ExecutionMode, ValueEquals
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (SetText(guard=guard, mode=mode, text=""),)


def _proof(element: ElementNode | None, _args: Args) -> Proof:
    if is_sensitive(element):
        return "none"
    return (ValueEquals(target=ref_to(element), value=""),)


ACTION = Primitive(
    id="ui.clearText",
    title="Empty a field",
    affordances=("edit",),
    checks="text",
    modes=("externalDriver", "semanticUi"),
    idempotency=always("idempotent"),
    effect=always("draft"),
    plan=_plan,
    proof=_proof,
)
