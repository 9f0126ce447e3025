"""app.invoke: run a function that the application declared as an action (ACT-11.15).

`app.invoke` with an `actionId` and a request for that id itself are one operation (companions §12.6): `domain_action`
makes the action that both stand for. It does not know where the function is, nor how it is called.
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
"""Who declared it: the program that opened the session, or a script of the page, which nobody vouches for."""

ACTION = Primitive(
    id="app.invoke",
    title="Run an action that the application declared",
    args=(
        ActionArgDescriptor(name="actionId", type="string", required=True, description="Which one."),
        ActionArgDescriptor(name="args", type="object", description="Its own arguments."),
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
    """A domain action, and who declared it."""

    descriptor: ActionDescriptor
    source: Source = "program"
    number_or_text: frozenset[str] = frozenset()
    """Arguments that may be a number or a text."""


def domain_action(declared: DeclaredAction) -> Primitive:
    """The declared action with a contract like every other. A page's own word never makes it laxer (P7)."""
    told, trusted = declared.descriptor, declared.source == "program"
    kinds = told.target_kinds
    success = told.success if trusted and told.success is not UNSET else ()
    idempotency = told.idempotency if trusted and told.idempotency is not UNSET else "non_idempotent"
    return Primitive(
        id=told.id,
        title=told.title or told.id if trusted else told.id,
        kind="domain",
        args=() if told.args is UNSET else told.args,
        needs_target="element" in kinds and "none" not in kinds,
        takes_target="element" in kinds,
        affordances=() if told.required_affordances is UNSET else told.required_affordances,
        checks="present",
        modes=("appAction",),
        idempotency=always(idempotency),
        effect=always(_effect(told) if trusted else "unknown"),
        number_or_text=declared.number_or_text,
        plan=_plan(told.id, declared.source),
        proof=always(success or "change"),
        risk=told.risk,
        trusted=trusted,
        traceable=not trusted,
    )


def _plan(id: str, source: Source) -> Any:
    def plan(mode: Any, guard: Any, _element: Any, args: Any) -> tuple[AnyOp, ...]:
        return (Invoke(guard=guard, mode=mode, action=id, args=dict(args), source=source),)

    return plan


def _effect(told: ActionDescriptor) -> SideEffectClass:
    said = None if told.metadata is UNSET else told.metadata.get("sideEffect")
    return said if said in get_args(SideEffectClass) else "unknown"  # type: ignore[return-value]
