"""ui.close: close a dialog, menu, popover or section, directly or by the control that opened it (ACT-11.10).

A surface is dismissed, never confirmed: the action does not agree to what a dialog asks.
"""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Dismiss, Guard
from uiap.actions.primitive import Args, Primitive, Proof, always, open_state_proof, opens_and_closes, ref_to
from uiap.spec.capability import ElementDisappeared, ExecutionMode
from uiap.spec.web import ElementNode

SURFACE_ROLES = frozenset({"dialog", "drawer", "popover", "menu", "listbox", "alert", "toast"})


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    if element.role in SURFACE_ROLES:
        return (Dismiss(guard=guard, mode=mode),)
    return (Click(guard=guard, mode=mode),)


def _proof(element: ElementNode | None, _args: Args) -> Proof:
    assert element is not None
    if element.role in SURFACE_ROLES:
        return (ElementDisappeared(target=ref_to(element)),)
    if isinstance(element.state.open, bool) or isinstance(element.state.expanded, bool):
        return open_state_proof(element, False)
    return "change"


def _is_surface(element: ElementNode) -> bool:
    return element.role in SURFACE_ROLES or opens_and_closes(element)


ACTION = Primitive(
    id="ui.close",
    title="Close a dialog, menu, popover or section",
    other_kinds=("scope",),
    affordances=("close", "dismiss", "collapse"),
    suits=_is_surface,
    checks="present",
    idempotency=always("idempotent"),
    effect=always("ui_state"),
    plan=_plan,
    proof=_proof,
)
