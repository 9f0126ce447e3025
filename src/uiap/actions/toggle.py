"""ui.toggle: switch a checkbox, switch or toggle button, to a wanted state if there is one (ACT-11.8)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Idempotency, Primitive, Proof, always, ref_to
from uiap.spec.capability import ActionArgDescriptor, ElementState, ExecutionMode, UIState
from uiap.spec.web import ElementNode


def _idempotency(args: Args) -> Idempotency:
    return "idempotent" if "checked" in args else "non_idempotent"


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, _args: Args) -> tuple[AnyOp, ...]:
    return (Click(guard=guard, mode=mode),)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    """Return the wanted state, or the opposite of the current one."""
    assert element is not None
    state = element.state
    wanted = args.get("checked", state.checked is not True)
    if isinstance(state.pressed, bool):
        wanted = args.get("checked", not state.pressed)
        return (ElementState(target=ref_to(element), state=UIState(pressed=wanted)),)
    return (ElementState(target=ref_to(element), state=UIState(checked=wanted)),)


def _has_two_states(element: ElementNode) -> bool:
    return isinstance(element.state.checked, bool) or isinstance(element.state.pressed, bool)


ACTION = Primitive(
    id="ui.toggle",
    title="Switch a checkbox, switch or toggle button",
    args=(
        ActionArgDescriptor(
            name="checked",
            type="boolean",
            description="The wanted state; default: the opposite of the current one.",
        ),
    ),
    affordances=("toggle",),
    suits=_has_two_states,
    idempotency=_idempotency,
    effect=always("draft"),
    plan=_plan,
    proof=_proof,
)
