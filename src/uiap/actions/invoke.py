"""app.invoke: run an action that the application declared (ACT-11.15).

`app.invoke` with an `actionId` and a request for that id itself are one operation. `domain_action` returns the action
for both. It runs a function, presses an element of the bundle, calls an endpoint, or runs a workflow. The host knows
where each of them is.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET

from uiap.actions.activate import ACTION as ACTIVATE
from uiap.actions.ops import AnyOp, Invoke
from uiap.actions.primitive import Primitive, always
from uiap.spec.capability import (
    ActionArgDescriptor,
    ActionDescriptor,
    ExecutionMode,
    Idempotency,
    RiskDescriptor,
    SuccessSignal,
    WebTargetRef,
)
from uiap.spec.policy import PrincipalType, SideEffectClass
from uiap.spec.web import ElementNode

Source: TypeAlias = Literal["program", "page", "element", "server", "workflow"]
"""The carrier of the action: a function of the program that opened the session, a function of the page, which is not
trusted, an element of the bundle that is pressed, an endpoint of the application, or a workflow of the bundle."""

ENDPOINT = re.compile(r"(?P<method>GET|POST|PUT|PATCH|DELETE) (?P<path>/(?![/\\])[^\s?#\\]*)")
"""A method and a path of the application itself, such as `POST /api/videos/{id}/publish`."""


def is_endpoint(ref: str) -> bool:
    return ENDPOINT.fullmatch(ref) is not None


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
    """An action of the application, and what carries it out."""

    descriptor: ActionDescriptor
    source: Source = "program"
    number_or_text: frozenset[str] = frozenset()
    """The names of arguments that may be a number or a text."""
    ref: str = ""
    """The function, element, endpoint or workflow that carries it out, if it is not called like the action."""
    own_risk: RiskDescriptor | None = None
    """The risk that the function itself declares, if it does."""
    authored: bool = False
    """A bundle describes the action, so its success signals count."""
    target: WebTargetRef | None = None
    """The scope, route, entity or session of the request. The function gets it as `target`."""
    vouched: bool = False
    """A trusted key signed that bundle, so its risk and idempotency count as they are."""

    @property
    def trusted(self) -> bool:
        return self.vouched or (self.source == "program" and not self.authored)

    @property
    def runs(self) -> str:
        return self.ref or self.descriptor.id


def domain_action(declared: DeclaredAction) -> Primitive:
    """Return the declared action as a primitive. A declaration that is not trusted cannot lower its risk."""
    if declared.source == "element":
        return _press(declared)
    descriptor, kinds = declared.descriptor, declared.descriptor.target_kinds
    others = tuple(one for one in kinds if one not in ("element", "none"))
    ours = declared.source == "program" or declared.trusted
    return Primitive(
        id=descriptor.id,
        title=descriptor.title or descriptor.id if ours else descriptor.id,
        description=descriptor.description or "" if ours else "",
        kind="domain",
        args=() if descriptor.args is UNSET else descriptor.args,
        needs_target="none" not in kinds,
        takes_target="element" in kinds,
        other_kinds=others,
        affordances=() if descriptor.required_affordances is UNSET else descriptor.required_affordances,
        checks="present",
        modes=_function_modes(declared),
        idempotency=always(_idempotency(declared)),
        effect=always(_effect(descriptor) if ours else "unknown"),
        number_or_text=declared.number_or_text,
        plan=_plan(declared),
        proof=always("reported" if declared.source == "workflow" else _success(declared) or "change"),
        risk=descriptor.risk,
        trusted=ours,
        traceable=declared.source in ("page", "server"),
    )


def _press(declared: DeclaredAction) -> Primitive:
    """Return the press of an element of the bundle, with the risk and the success signals of the action."""
    descriptor = declared.descriptor

    def fault(element: ElementNode | None, _args: Any, _principal: PrincipalType) -> str | None:
        if element is None or element.stable_id == declared.runs:
            return None
        return f"`{descriptor.id}` presses `{declared.runs}`; leave the target out, or name that element"

    return dataclasses.replace(
        ACTIVATE,
        id=descriptor.id,
        title=descriptor.title or descriptor.id,
        description=descriptor.description or "",
        kind="domain",
        args=() if descriptor.args is UNSET else descriptor.args,
        modes=tuple(one for one in ACTIVATE.modes if one in descriptor.execution_modes),
        on_request=(),
        idempotency=always(_idempotency(declared)),
        fault=fault,
        proof=always(_success(declared) or "change"),
        risk=descriptor.risk,
        trusted=declared.vouched,
    )


def _function_modes(declared: DeclaredAction) -> tuple[ExecutionMode, ...]:
    """Return the modes that the descriptor lists and that call a function. A workflow acts on the page, too."""
    listed = declared.descriptor.execution_modes
    is_offered = "appAction" in listed or (declared.source == "workflow" and bool(listed))
    return ("appAction",) if is_offered else ()


def _success(declared: DeclaredAction) -> tuple[SuccessSignal, ...]:
    given = declared.descriptor.success
    return given if (declared.trusted or declared.authored) and given is not UNSET else ()


def _idempotency(declared: DeclaredAction) -> Idempotency:
    given = declared.descriptor.idempotency
    return given if declared.trusted and given is not UNSET else "non_idempotent"


def _plan(declared: DeclaredAction) -> Any:
    named = {} if declared.target is None else {"target": msgspec.to_builtins(declared.target)}

    def plan(mode: Any, guard: Any, _element: Any, args: Any) -> tuple[AnyOp, ...]:
        given = {**args, **named}
        return (Invoke(guard=guard, mode=mode, action=declared.runs, args=given, source=declared.source),)

    return plan


def _effect(descriptor: ActionDescriptor) -> SideEffectClass:
    declared_effect = None if descriptor.metadata is UNSET else descriptor.metadata.get("sideEffect")
    return declared_effect if declared_effect in get_args(SideEffectClass) else "unknown"  # type: ignore[return-value]
