"""The state of one action: its request, its target, its permission, its plan, its verification, its times.

It decides nothing. The functions in `states/` read and change it; `lifecycle` says which of them runs when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction, domain_action
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.policy.builtin import Rules
from uiap.policy.origins import SessionOrigins
from uiap.runtime.execution import Execution
from uiap.runtime.expectation import Expectation
from uiap.runtime.handoff import Handoff
from uiap.runtime.judgement.verification import Verification
from uiap.runtime.ledger import PAGE_EFFECTS
from uiap.runtime.modes import Abilities
from uiap.runtime.permission import Permission
from uiap.runtime.record import intent_of
from uiap.runtime.resolve import FOCUSED, Resolved
from uiap.runtime.result import ResultBuilder
from uiap.spec.action import ActionRequestPayload, ActionTarget, RuntimeState
from uiap.spec.capability import ExecutionMode
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.web import ElementNode


class ActionTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The input of an action machine. With the events that follow, it is all that a replay needs."""

    handle: str
    request: ActionRequestPayload
    abilities: Abilities
    rules: Rules = "standard"
    session: str = "local"
    principal: PolicyPrincipal = PolicyPrincipal(type="agent", id="caller")
    """The principal that acts, with its proved grants."""
    declared: DeclaredAction | None = None
    """The action that the application declared, where the request names one."""
    origins: SessionOrigins = SessionOrigins()
    """The origins that the session may read and act on."""
    unknown_before: str | None = None
    """Set if an earlier attempt has an unknown outcome. The action is then refused (ACT-13.3)."""


class Resolving(msgspec.Struct, frozen=True):
    """The report of RESOLVING_TARGET that waits for the target."""

    note: str | None = None
    detail: dict[str, Any] | None = None


@dataclass(slots=True, eq=False)
class Action:
    """The data of one action. `state` is one of the eleven states of `lifecycle`."""

    terms: ActionTerms
    primitive: Primitive
    args: dict[str, Any]
    permission: Permission
    result: ResultBuilder
    state: RuntimeState = "RECEIVED"

    resolved: Resolved | None = None
    resolving: Resolving | None = None
    """Set while RESOLVING_TARGET is not reported yet."""
    re_resolved: bool = False
    """The target was resolved a second time; there is no third (ACT-8.3)."""
    resume_to: RuntimeState | None = None
    """The state that RECOVERING returns to."""
    waiting_for: str = ""
    """The reason for the current wait or recovery, in words for a message."""

    mode: ExecutionMode | None = None
    modes_tried: list[ExecutionMode] = field(default_factory=list)
    execution: Execution = field(default_factory=Execution)
    verification: Verification = field(
        default_factory=lambda: Verification(Expectation(policy="capability-default"))
    )
    observing: bool = False
    """An `Observe` command has no answer yet; a second one would be wasted."""
    handoff: Handoff | None = None

    deadline: float = float("inf")
    """The action fails at this monotonic time, waiting for people excluded."""
    ready_by: float = float("inf")
    """The current wait ends at this monotonic time."""
    confirm_by: float = 0.0
    """The open question to a person expires at this monotonic time."""
    waiting_since: float | None = None
    """The monotonic time at which the wait for a person began."""

    @property
    def target(self) -> ElementNode | None:
        return self.resolved.winner.candidate.element if self.resolved else None

    @property
    def element(self) -> ElementNode:
        assert self.target is not None
        return self.target

    @property
    def target_request(self) -> ActionTarget:
        target = self.terms.request.target
        return FOCUSED if target is UNSET or (target.ref is UNSET and self.reaches_focus) else target

    @property
    def reaches_focus(self) -> bool:
        """Return whether the action has no target of its own and reaches the focused element."""
        target = self.terms.request.target
        return self.primitive.reaches_focus and (target is UNSET or target.ref is UNSET)

    @property
    def expectation(self) -> Expectation:
        return self.verification.expectation

    @property
    def idempotent(self) -> bool:
        return self.primitive.idempotency(self.args) == "idempotent"

    @property
    def conditional(self) -> bool:
        return self.primitive.idempotency(self.args) == "conditional"

    @property
    def in_page(self) -> bool:
        """Whether the effect lives only in the open page, as a draft does."""
        return self.primitive.effect(self.target, self.args) in PAGE_EFFECTS

    @property
    def preferred_modes(self) -> tuple[ExecutionMode, ...]:
        preferred = self.terms.request.preferred_execution_modes
        return () if preferred is UNSET else preferred


def new_action(terms: ActionTerms) -> Action:
    """Return the action of a request, in RECEIVED."""
    declared, request = terms.declared, terms.request
    action = Action(
        terms=terms,
        primitive=ACTIONS[request.action_id] if declared is None else domain_action(declared),
        args={} if request.args is UNSET else request.args,
        permission=Permission(terms.handle, terms.session, terms.rules, terms.principal),
        result=ResultBuilder(terms.handle, request.action_id),
    )
    action.result.metadata |= {"actionType": action.primitive.type, "intent": intent_of(request)}
    return action
