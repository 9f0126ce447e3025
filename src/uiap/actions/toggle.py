"""ui.toggle: switch a checkbox, switch or toggle button, to a wanted state if there is one (ACT-11.8)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard
from uiap.actions.primitive import Args, Idempotency, Primitive, Proof, always, ref_to
from uiap.spec.capability import ActionArgDescriptor, ElementState, ExecutionMode, UIState
from uiap.spec.web import ElementNode

_ITEMS = frozenset({"menuitem", "option", "treeitem"})
"""Items of lists that may close after a press."""


def _idempotency(args: Args) -> Idempotency:
    return "idempotent" if "checked" in args else "non_idempotent"


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    picks = _wanted(element, args) if element.role in _ITEMS else None
    return (Click(guard=guard, mode=mode, picks=picks),)


def _wanted(element: ElementNode, args: Args) -> bool:
    """Return the wanted state, or the opposite of the current one."""
    state = element.state
    now = state.pressed if isinstance(state.pressed, bool) else state.checked
    return bool(args.get("checked", now is not True))


def _proof(element: ElementNode | None, args: Args) -> Proof:
    assert element is not None
    wanted = _wanted(element, args)
    state = UIState(pressed=wanted) if isinstance(element.state.pressed, bool) else UIState(checked=wanted)
    return (ElementState(target=ref_to(element), state=state),)


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
