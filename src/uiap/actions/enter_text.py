"""ui.enterText: write text into a field and read it back (ACT-11.5)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Holds, Secret, SetText, TypeText
from uiap.actions.primitive import Args, Idempotency, Primitive, Proof, always, is_sensitive, ref_to
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode, ValueEquals
from uiap.spec.web import ElementNode


def _idempotency(args: Args) -> Idempotency:
    return "idempotent" if args.get("clear", True) else "non_idempotent"


def _plan(mode: ExecutionMode, guard: Guard, element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    text = args["text"]
    written = Secret(name=text["secret"]) if isinstance(text, dict) else text
    if not args.get("clear", True):
        return (TypeText(guard=guard, mode=mode, text=written),)
    write = SetText(guard=guard, mode=mode, text=written)
    # the value of a masked field is not published, so the driver compares it inside the page
    return (write, Holds(guard=guard, text=written)) if is_sensitive(element) else (write,)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    if is_sensitive(element):
        return "none"
    if isinstance(args["text"], dict) or not args.get("clear", True):
        return "change"
    return (ValueEquals(target=ref_to(element), value=args["text"]),)


ACTION = Primitive(
    id="ui.enterText",
    title="Write text into a field",
    args=(
        ActionArgDescriptor(name="text", type="string", required=True, description="The text to write."),
        ActionArgDescriptor(
            name="clear", type="boolean", description="Replace the current text (default true)."
        ),
    ),
    affordances=("edit",),
    checks="text",
    modes=("semanticUi", "externalDriver"),
    idempotency=_idempotency,
    effect=always("draft"),
    plan=_plan,
    proof=_proof,
)
