"""nav.navigate: go to a URL of the application (ACT-11.14)."""

from __future__ import annotations

from uiap.actions.primitive import Primitive, always
from uiap.spec.capability import ActionArgDescriptor

ACTION = Primitive(
    id="nav.navigate",
    title="Go to a URL",
    args=(
        ActionArgDescriptor(
            name="url",
            type="string",
            required=True,
            description="Absolute, or from the root; or history:back, history:forward, history:reload.",
        ),
    ),
    needs_target=False,
    takes_target=False,
    checks="none",
    modes=("externalDriver",),
    idempotency=always("idempotent"),
    effect=always("navigation"),
    plan=always(()),
    proof=always("route"),
)
