"""ui.open: open the dialog, menu, popover, tab or section that a target controls (ACT-11.10)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Primitive, Proof, always, open_state_proof, ref_to
from uiap.spec.capability import DialogOpened, ElementState, ExecutionMode, UIState
from uiap.spec.web import ElementNode


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode),)


def _proof(element: ElementNode | None, _args: Args) -> Proof:
    """Return the open state of the target if it has one. Otherwise a dialog or another change must appear."""
    assert element is not None
    state = element.state
    if isinstance(state.open, bool) or isinstance(state.expanded, bool):
        return open_state_proof(element, True)
    if element.role == "tab":
        return (ElementState(target=ref_to(element), state=UIState(selected=True)),)
    return (DialogOpened(),) if state.has_popup == "dialog" else "change"


ACTION = Primitive(
    id="ui.open",
    title="Open a dialog, menu, popover, tab or section by what opens it",
    other_kinds=("scope",),
    affordances=("open", "expand", "activate"),
    refuses_text=True,
    idempotency=always("idempotent"),
    effect=always("ui_state"),
    plan=_plan,
    proof=_proof,
)
