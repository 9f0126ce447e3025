"""ui.activate: press a button, link or menu item (ACT-11.4)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ExecutionMode
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

_EFFECTS: dict[str, SideEffectClass] = {"link": "navigation", "tab": "ui_state", "menuitem": "ui_state"}


def _effect(element: ElementNode | None, _args: Args) -> SideEffectClass:
    return "unknown" if element is None else _EFFECTS.get(element.role, "unknown")


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode),)


ACTION = Primitive(
    id="ui.activate",
    title="Press a button, follow a link, pick a menu item",
    affordances=("activate",),
    refuses_text=True,
    on_request=("inputSynthesis", "visionAssist"),
    idempotency=always("non_idempotent"),
    effect=_effect,
    plan=_plan,
    proof=always("change"),
)
