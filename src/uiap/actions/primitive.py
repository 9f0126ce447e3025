"""What an action is: its contract as data, and the gestures that carry it out.

An action knows what it needs, which checks it wants and what would prove it. It does not know how a gesture is
made, nor when it is its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from msgspec import UNSET

from uiap.actions.ops import AnyOp
from uiap.actions.types import ACTION_TYPES
from uiap.spec.capability import (
    ActionArgDescriptor,
    ActionDescriptor,
    ActionId,
    ActionKind,
    ElementState,
    ExecutionMode,
    InstanceIdRef,
    RiskDescriptor,
    SuccessSignal,
    TargetKind,
    UIAffordance,
    UIState,
)
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

Args: TypeAlias = Mapping[str, Any]
Idempotency: TypeAlias = Literal["idempotent", "conditional", "non_idempotent"]
Checks: TypeAlias = Literal["pointer", "text", "present", "none"]
"""Which preconditions: ACT-9.2, ACT-9.3, only that it is there, or nothing."""

GestureReport: TypeAlias = Mapping[str, Any]
"""What a gesture said of itself when it was over: what it read back, how often it tried."""


@dataclass(frozen=True, kw_only=True)
class ValueProof:
    """An end state that no signal can name: what the target holds, judged again after every change."""

    description: str
    test: Callable[[ElementNode, GestureReport], bool]


Proof: TypeAlias = (
    tuple[SuccessSignal, ...]
    | ValueProof
    | Literal["change", "reaction", "route", "in_view", "hovered", "reported", "none"]
)
"""Minimal verification (ACT-12.2): these end states, some plausible change, that or a moved focus, a new route, being
in view, being under the pointer, what the gesture itself read back, or nothing."""


@dataclass(frozen=True, kw_only=True)
class Primitive:
    id: ActionId
    title: str
    kind: ActionKind = "primitive"
    args: tuple[ActionArgDescriptor, ...] = ()
    needs_target: bool = True
    takes_target: bool = True
    """False: a target makes no sense, and one that is given is an error."""
    affordances: tuple[UIAffordance, ...] = ()
    checks: Checks = "pointer"
    modes: tuple[ExecutionMode, ...] = ("externalDriver", "semanticUi")
    """In order of preference where the driver has them (ADR 0004 says why trusted input comes first)."""
    on_request: tuple[ExecutionMode, ...] = ()
    """Further ways that nobody gets who does not ask for them (ACT-10.2b)."""
    idempotency: Callable[[Args], Idempotency]
    effect: Callable[[ElementNode | None, Args], SideEffectClass]
    number_or_text: frozenset[str] = frozenset()
    """Arguments that may be a number or a text, whatever their descriptor says."""
    plan: Callable[[ExecutionMode, Any, Any, Args], tuple[AnyOp, ...]]
    """From mode, guard, element and arguments to the gestures, in order; guard and element are None where no target
    was given. An empty plan reads only, or goes to a URL."""
    proof: Callable[[ElementNode | None, Args], Proof]
    risk: RiskDescriptor | None = None
    """What its descriptor says, where it is an action that the application declared."""
    trusted: bool = True
    """False: a page declared it, so what it says of itself may only raise a risk."""
    traceable: bool = True
    """False: it runs outside of the interface, where no driver can follow what it causes."""

    @property
    def target_kinds(self) -> tuple[TargetKind, ...]:
        if self.needs_target:
            return ("element",)
        return ("element", "none") if self.takes_target else ("none",)

    @property
    def descriptor(self) -> ActionDescriptor:
        return ActionDescriptor(
            id=self.id,
            kind=self.kind,
            title=self.title,
            target_kinds=self.target_kinds,
            required_affordances=self.affordances,
            execution_modes=self.modes,
            args=self.args,
            idempotency=self.idempotency({}),
            risk=self.risk or RiskDescriptor(level="safe"),
            metadata={"type": ACTION_TYPES[self.id].type} if self.id in ACTION_TYPES else UNSET,
        )


def always(value: Any) -> Callable[..., Any]:
    """A contract term that does not depend on the case."""
    return lambda *_: value


def ref_to(element: ElementNode | None) -> InstanceIdRef:
    """The target as a signal names it: this very element."""
    assert element is not None, "an action with a target is planned after its target was found"
    return InstanceIdRef(value=element.instance_id)


def open_state_proof(element: ElementNode | None, open: bool) -> tuple[SuccessSignal, ...]:
    """It stands open or closed, by whichever of the two words it says so."""
    assert element is not None
    state = UIState(open=open) if isinstance(element.state.open, bool) else UIState(expanded=open)
    return (ElementState(target=ref_to(element), state=state),)


def is_sensitive(element: ElementNode | None) -> bool:
    """Its value never leaves the page, so nobody outside can read it back."""
    return element is not None and element.state.sensitive is True
