"""ui.scroll: scroll an element or the page and read the new position back (ACT-11.12).

A distance that cannot be scrolled fails. Scrolling to an end succeeds if the position is already there.
"""

from __future__ import annotations

from uiap.actions.ops import AnyOp, Guard, Scroll
from uiap.actions.primitive import Args, Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode

DEFAULT_DISTANCE_PX = 600


def _plan(
    mode: ExecutionMode, guard: Guard | None, _element: ElementNode | None, args: Args
) -> tuple[AnyOp, ...]:
    if "to" in args:
        return (Scroll(guard=guard, mode=mode, to=args["to"]),)
    down = 0 if "dx" in args else DEFAULT_DISTANCE_PX
    return (Scroll(guard=guard, mode=mode, dx=args.get("dx", 0), dy=args.get("dy", down)),)


ACTION = Primitive(
    id="ui.scroll",
    title="Scroll an element or the page",
    args=(
        ActionArgDescriptor(name="dx", type="number", description="Pixels to the right."),
        ActionArgDescriptor(name="dy", type="number", description="Pixels down; default 600."),
        ActionArgDescriptor(
            name="to", type="enum", enum=("top", "bottom"), description="Scroll to this end."
        ),
    ),
    needs_target=False,
    other_kinds=("scope",),
    affordances=("scroll",),
    checks="present",
    modes=("semanticUi",),
    idempotency=always("conditional"),
    effect=always("none"),
    plan=_plan,
    proof=always("reported"),
)
