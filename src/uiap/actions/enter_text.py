"""ui.enterText: write text into a field and read it back (ACT-11.5)."""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Holds, Secret, SetText, TypeText
from uiap.actions.primitive import Args, Idempotency, Primitive, Proof, always, is_sensitive, ref_to
from uiap.policy.control import is_multiline
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode, ValueEquals
from uiap.spec.policy import PrincipalType
from uiap.spec.web import ElementNode

LINE_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


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


def _fault(element: ElementNode | None, args: Args, _principal: PrincipalType) -> str | None:
    """Return why the text is refused: a line break is text only in a field of several lines."""
    text = args.get("text")
    if element is None or not isinstance(text, str) or LINE_BREAKS.isdisjoint(text) or is_multiline(element):
        return None
    return "a line break is text only in a field of several lines; to send the field, press Enter with x.uiap.press"


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
    fault=_fault,
    plan=_plan,
    proof=_proof,
)
