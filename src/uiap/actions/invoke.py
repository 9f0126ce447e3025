"""app.invoke: run a function that the application declared as an action (ACT-11.15).

`app.invoke` with an `actionId` and a request for that id itself are one operation. `domain_action` returns the action
for both. The host knows where the function is and how to call it.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET

from uiap.actions.ops import AnyOp, Invoke
from uiap.actions.primitive import Primitive, always
from uiap.spec.capability import ActionArgDescriptor, ActionDescriptor
from uiap.spec.policy import SideEffectClass

Source: TypeAlias = Literal["program", "page"]
"""Who declared the action: the program that opened the session, or a script of the page, which is not trusted."""

ACTION = Primitive(
    id="app.invoke",
    title="Run an action that the application declared",
    args=(
        ActionArgDescriptor(
            name="actionId", type="string", required=True, description="The id of the declared action."
        ),
        ActionArgDescriptor(name="args", type="object", description="The arguments of the declared action."),
    ),
    needs_target=False,
    affordances=("invoke",),
    checks="present",
    modes=("appAction",),
    idempotency=always("non_idempotent"),
    effect=always("unknown"),
    plan=lambda mode, guard, _element, args: (
        Invoke(guard=guard, mode=mode, action=str(args.get("actionId", "")), args=args.get("args", {})),
    ),
    proof=always("change"),
)


class DeclaredAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action of the application, and who declared it."""

    descriptor: ActionDescriptor
    source: Source = "program"
    number_or_text: frozenset[str] = frozenset()
    """The names of arguments that may be a number or a text."""


def domain_action(declared: DeclaredAction) -> Primitive:
    """Return the declared action as a primitive. A declaration of the page cannot lower its risk."""
    descriptor, trusted = declared.descriptor, declared.source == "program"
    kinds = descriptor.target_kinds
    success = descriptor.success if trusted and descriptor.success is not UNSET else ()
    idempotency = (
        descriptor.idempotency if trusted and descriptor.idempotency is not UNSET else "non_idempotent"
    )
    return Primitive(
        id=descriptor.id,
        title=descriptor.title or descriptor.id if trusted else descriptor.id,
        kind="domain",
        args=() if descriptor.args is UNSET else descriptor.args,
        needs_target="element" in kinds and "none" not in kinds,
        takes_target="element" in kinds,
        affordances=() if descriptor.required_affordances is UNSET else descriptor.required_affordances,
        checks="present",
        modes=("appAction",),
        idempotency=always(idempotency),
        effect=always(_effect(descriptor) if trusted else "unknown"),
        number_or_text=declared.number_or_text,
        plan=_plan(descriptor.id, declared.source),
        proof=always(success or "change"),
        risk=descriptor.risk,
        trusted=trusted,
        traceable=not trusted,
    )


def _plan(id: str, source: Source) -> Any:
    def plan(mode: Any, guard: Any, _element: Any, args: Any) -> tuple[AnyOp, ...]:
        return (Invoke(guard=guard, mode=mode, action=id, args=dict(args), source=source),)

    return plan


def _effect(descriptor: ActionDescriptor) -> SideEffectClass:
    declared_effect = None if descriptor.metadata is UNSET else descriptor.metadata.get("sideEffect")
    return declared_effect if declared_effect in get_args(SideEffectClass) else "unknown"  # type: ignore[return-value]
