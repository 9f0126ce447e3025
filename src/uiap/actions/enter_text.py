"""ui.enterText: write text into a field and read it back (ACT-11.5).

The text is typed with keys, so the page can format or refuse it as it does for a person. Nothing commits the value
unless the caller asks for it.
"""

from __future__ import annotations

from uiap.actions.formatting import compare
from uiap.actions.ops import AnyOp, Guard, Holds, Press, Secret, SetText, TypeText
from uiap.actions.primitive import (
    Args,
    GestureReport,
    Idempotency,
    Primitive,
    Proof,
    ValueProof,
    always,
    is_sensitive,
    ref_to,
)
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
    leave = (Press(guard=guard, key="Tab"),) if args.get("commit") else ()
    if not args.get("clear", True):
        return (TypeText(guard=guard, mode=mode, text=written), *leave)
    write = SetText(guard=guard, mode=mode, text=written)
    # the value of a masked field is not published, so the driver compares it inside the page
    return (write, Holds(guard=guard, text=written), *leave) if is_sensitive(element) else (write, *leave)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    if is_sensitive(element):
        return "none"
    if isinstance(args["text"], dict):
        return "change"
    if not args.get("clear", True):
        return _added_proof(element, args["text"])
    return (ValueEquals(target=ref_to(element), value=args["text"]),)


def _added_proof(element: ElementNode | None, text: str) -> Proof:
    """Return the proof that the whole value is the one from before with the text added (ACT-11.5b)."""
    before = None if element is None else element.state.text_value
    if not isinstance(before, str):  # the field publishes no value, so only a change of it can be observed
        return "change"

    def holds(now: ElementNode, _report: GestureReport) -> bool:
        value = now.state.text_value
        return isinstance(value, str) and is_added(before, text, value)

    return ValueProof(description="its value is the one from before and the added text", test=holds)


def is_added(before: str, text: str, value: str) -> bool:
    """Return whether the value is the one from before with the text added at any place, or a formatting of both."""
    at = value.find(text)
    while at >= 0:
        if value[:at] + value[at + len(text) :] == before:
            return True
        at = value.find(text, at + 1)
    return compare(before + text, value) != "different"


def _formatted(args: Args) -> ValueProof | None:
    """Return the test that the field holds what the page made of the typed text."""
    text = args["text"]
    if not isinstance(text, str) or not args.get("clear", True):
        return None

    def holds(now: ElementNode, report: GestureReport) -> bool:
        value = now.state.text_value
        return report.get("typed") is True and isinstance(value, str) and compare(text, value) != "different"

    return ValueProof(description="value formatted by the page", test=holds)


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
        ActionArgDescriptor(
            name="commit", type="boolean", description="Leave the field with Tab afterwards (default false)."
        ),
    ),
    affordances=("edit",),
    checks="text",
    modes=("externalDriver", "semanticUi"),
    idempotency=_idempotency,
    effect=always("draft"),
    fault=_fault,
    plan=_plan,
    proof=_proof,
    equivalent=_formatted,
)
