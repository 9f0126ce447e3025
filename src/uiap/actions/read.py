"""ui.read: read the state, text, value, description or rows of a target (ACT-11.1)."""

from __future__ import annotations

from uiap.actions.primitive import Primitive, always
from uiap.spec.capability import ActionArgDescriptor

READABLE = ("state", "text", "value", "description", "rows")

ACTION = Primitive(
    id="ui.read",
    title="Read an element's state, text, value, description or rows",
    args=(ActionArgDescriptor(name="what", type="enum", enum=READABLE, description="Default: state."),),
    other_kinds=("scope",),
    affordances=("read",),
    checks="present",
    modes=("semanticUi",),
    idempotency=always("idempotent"),
    effect=always("none"),
    plan=always(()),
    proof=always("none"),
)
