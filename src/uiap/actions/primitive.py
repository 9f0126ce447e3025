"""The contract of an action as data: target, arguments, checks, gestures and proof.

Drivers perform the gestures. The runtime decides when an action runs, checks its preconditions and verifies its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from msgspec import UNSET

from uiap.actions.ops import AnyOp
from uiap.actions.types import ACTION_TYPES, ActionType
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
from uiap.spec.policy import PrincipalType, SideEffectClass
from uiap.spec.web import ElementNode

Args: TypeAlias = Mapping[str, Any]
Idempotency: TypeAlias = Literal["idempotent", "conditional", "non_idempotent"]
Checks: TypeAlias = Literal["pointer", "text", "value", "present", "none"]
"""The preconditions of the target: for pointer input (ACT-9.2), for text input (ACT-9.3), for a value that is set by
keys or pointer (both), presence alone, or none."""

GestureReport: TypeAlias = Mapping[str, Any]
"""The driver's report of a finished gesture: the value it read back, the number of attempts."""

OPEN_AFFORDANCES: frozenset[UIAffordance] = frozenset(
    {"read", "focus", "scroll", "activate", "drag", "invoke"}
)
"""Affordances that pages do not publish reliably. Only an element that is nothing but text is refused without them."""
PASSIVE_ROLES = frozenset({"label", "status", "alert", "toast", "progress", "spinner"})
"""Roles of texts and messages. Without an affordance of their own, a press on them means something else."""


@dataclass(frozen=True, kw_only=True)
class ValueProof:
    """A proof by the value of the target, for values that no signal can express. Tested after every change."""

    description: str
    test: Callable[[ElementNode, GestureReport], bool]


Proof: TypeAlias = (
    tuple[SuccessSignal, ...]
    | ValueProof
    | Literal["change", "reaction", "route", "in_view", "hovered", "reported", "none"]
)
"""The minimal verification (ACT-12.2): signals, a value, or one of

- `change`: a plausible change of the page
- `reaction`: a change, or a moved focus
- `route`: a new route
- `in_view`: the target is in view
- `hovered`: the pointer is over the target
- `reported`: the driver read the result back
- `none`: nothing to verify
"""


def always_none(_args: Args) -> None:
    """Return no equivalent of the end state."""


@dataclass(frozen=True, kw_only=True)
class Primitive:
    """One action."""

    id: ActionId
    title: str
    description: str = ""
    """The description of an action of the application, if it may be shown to a person."""
    kind: ActionKind = "primitive"
    args: tuple[ActionArgDescriptor, ...] = ()
    needs_target: bool = True
    takes_target: bool = True
    """False: a request with a target is an error."""
    other_kinds: tuple[TargetKind, ...] = ()
    """Kinds of targets besides elements. A primitive acts on the element of a scope; a function gets the reference."""
    reaches_focus: bool = False
    """Without a target, the gesture reaches the focused element, which is then resolved and judged as the target."""
    affordances: tuple[UIAffordance, ...] = ()
    refuses_text: bool = False
    """True: a press on an element that is nothing but text is refused. A double press may select or edit it."""
    checks: Checks = "pointer"
    modes: tuple[ExecutionMode, ...] = ("externalDriver", "semanticUi")
    """Execution modes in order of preference (ADR 0004: trusted input comes first)."""
    presses: Callable[[ElementNode | None, Args], bool] = lambda *_: False
    """Returns whether the plan is a press, although other plans set a value. Then trusted input comes first."""
    on_request: tuple[ExecutionMode, ...] = ()
    """Execution modes that are used only if the request names them (ACT-10.2b)."""
    idempotency: Callable[[Args], Idempotency]
    effect: Callable[[ElementNode | None, Args], SideEffectClass]
    number_or_text: frozenset[str] = frozenset()
    """Arguments that may be a number or a text, although their descriptor names one type."""
    plan: Callable[[ExecutionMode, Any, Any, Args], tuple[AnyOp, ...]]
    """Returns the gestures in order, from mode, guard, element and arguments.

    Guard and element are None for a request without a target. An empty plan only reads, or goes to a URL.
    """
    proof: Callable[[ElementNode | None, Args], Proof]
    fault: Callable[[ElementNode | None, Args, PrincipalType], str | None] = lambda *_: None
    """Returns why this principal may not use the action with these arguments on this element, or None."""
    suits: Callable[[ElementNode], bool] = lambda _element: False
    """Returns whether an element without the affordances can be acted on anyway, by its role or state."""
    reachable: Callable[[ElementNode | None, Args], tuple[float, ...]] = lambda *_: ()
    """Returns the nearest values that the control can have, if it cannot have the wanted one (MDM-9c)."""
    equivalent: Callable[[Args], ValueProof | None] = always_none
    """Returns the test of a value that counts as the end state too, after the gesture and never before it."""
    risk: RiskDescriptor | None = None
    """The declared risk of an action of the application."""
    trusted: bool = True
    """False: the page declared the action, so its declarations may only raise the risk."""
    traceable: bool = True
    """False: the action runs outside the page, so no driver can trace its effects."""

    def modes_for(self, element: ElementNode | None, args: Args) -> tuple[ExecutionMode, ...]:
        """Return the execution modes for this element and these arguments, in order of preference."""
        if not self.presses(element, args):
            return self.modes
        return tuple(sorted(self.modes, key=lambda mode: mode != "externalDriver"))

    def accepts(self, element: ElementNode) -> bool:
        """Return whether the element has an affordance that the action requires (CAP-6)."""
        if not self.affordances:
            return True
        if not OPEN_AFFORDANCES.isdisjoint(self.affordances) and not self._is_press_on_text(element):
            return True
        return not set(self.affordances).isdisjoint(element.affordances) or self.suits(element)

    def _is_press_on_text(self, element: ElementNode) -> bool:
        return self.refuses_text and element.role in PASSIVE_ROLES and set(element.affordances) <= {"read"}

    @property
    def type(self) -> ActionType:
        """Return the canonical type (MDM-5). An action of the application presses an element, or gives it input."""
        if self.id in ACTION_TYPES:
            return ACTION_TYPES[self.id].type
        return "selection" if "activate" in self.affordances else "input"

    @property
    def target_kinds(self) -> tuple[TargetKind, ...]:
        elements: tuple[TargetKind, ...] = ("element",) if self.takes_target else ()
        return (*elements, *self.other_kinds, *(() if self.needs_target else ("none",)))

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
            metadata={"type": self.type} if self.id in ACTION_TYPES else UNSET,
        )


def always(value: Any) -> Callable[..., Any]:
    """Return a contract term that does not depend on element and arguments."""
    return lambda *_: value


def ref_to(element: ElementNode | None) -> InstanceIdRef:
    """Return a reference to exactly this element, for a signal."""
    assert element is not None, "the target is resolved before an action is planned"
    return InstanceIdRef(value=element.instance_id)


def open_state_proof(element: ElementNode | None, open: bool) -> tuple[SuccessSignal, ...]:
    """Return the signal that the element is open or closed, by its `open` or `expanded` state."""
    assert element is not None
    state = UIState(open=open) if isinstance(element.state.open, bool) else UIState(expanded=open)
    return (ElementState(target=ref_to(element), state=state),)


def opens_and_closes(element: ElementNode) -> bool:
    """Return whether the element has an open or expanded state, or opens a popup."""
    state = element.state
    return isinstance(state.expanded, bool) or isinstance(state.open, bool) or bool(state.has_popup)


def is_sensitive(element: ElementNode | None) -> bool:
    """Return whether the value of the element is private and never published."""
    return element is not None and element.state.sensitive is True
