"""ui.choose: pick an option, of a native list by value or label, or by the option itself (ACT-11.7)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Click, Guard, Select
from uiap.actions.primitive import Args, Primitive, Proof, always, itself
from uiap.spec.capability import ActionArgDescriptor, ElementState, ExecutionMode, UIState, ValueEquals
from uiap.spec.web import ElementNode

_ITSELF = frozenset({"option", "tab", "treeitem"})


def _wanted(args: Args) -> tuple[str, ...]:
    given = args.get("label", args.get("value"))
    return () if given is None else (str(given),)


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    if not _wanted(args):
        return (Click(guard=guard, mode=mode),)
    return (Select(guard=guard, mode=mode, values=_wanted(args)),)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    """The chosen option. A list shows the label of what it holds; which value that is, it does not say."""
    assert element is not None
    if _wanted(args):
        return (ValueEquals(target=itself(element), value=args["label"]),) if "label" in args else "change"
    state = UIState(selected=True) if element.role in _ITSELF else UIState(checked=True)
    return (ElementState(target=itself(element), state=state),)


ACTION = Primitive(
    id="ui.choose",
    title="Pick an option",
    args=(
        ActionArgDescriptor(name="value", type="string", description="The option's value."),
        ActionArgDescriptor(name="label", type="string", description="The option's text."),
    ),
    affordances=("choose",),
    checks="present",
    modes=("semanticUi", "externalDriver"),
    idempotency=always("idempotent"),
    effect=always("draft"),
    plan=_plan,
    proof=_proof,
)
