"""The course of one action: what it began with, the state it is in, and the one result it ends in (ACT-5.8).

Every change of state goes through `_move` or `_end`. What is decided in each state stands in the classes above it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction, domain_action
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.instant import Instant
from uiap.policy.builtin import Rules
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.commands import Command, Emit, WakeAt
from uiap.runtime.execution import Execution
from uiap.runtime.expectation import Expectation, expect
from uiap.runtime.handoff import Handoff
from uiap.runtime.judgement import Verification
from uiap.runtime.lifecycle import MOVES
from uiap.runtime.modes import Abilities
from uiap.runtime.outcome import Failure, out_of_time
from uiap.runtime.permission import Permission
from uiap.runtime.resolve import Resolved, resolved_target
from uiap.runtime.result import ResultBuilder
from uiap.spec import action as wire
from uiap.spec.action import RuntimeErrorCode, RuntimeState, SideEffectState
from uiap.spec.capability import ExecutionMode
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.web import ElementNode


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What an action begins with; with the events after it, all that a replay needs."""

    handle: str
    request: wire.ActionRequestPayload
    abilities: Abilities
    rules: Rules = "standard"
    session: str = "local"
    principal: PolicyPrincipal = PolicyPrincipal(type="agent", id="caller")
    """On whose behalf, with the grants that were proved, not claimed."""
    declared: DeclaredAction | None = None
    """The action that the application declared, where the request is for one."""
    doubt: str | None = None
    """The ledger says that nobody knows whether this happened already; then it is not done (ACT-13.3)."""


class Course:
    """In exactly one state; see `lifecycle.MOVES`."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._looking = False
        self.request = terms.request
        declared = terms.declared
        self.primitive: Primitive = (
            ACTIONS[terms.request.action_id] if declared is None else domain_action(declared)
        )
        self.args: dict[str, Any] = {} if terms.request.args is UNSET else terms.request.args
        self.state: RuntimeState = "RECEIVED"
        self.resolved: Resolved | None = None
        self.mode: ExecutionMode | None = None
        self.execution = Execution()
        self.verification = Verification(Expectation(policy="capability-default"))
        self.handoff: Handoff | None = None
        self.account = ResultBuilder(terms.handle, terms.request.action_id)
        self._awaited: tuple[type[when.Event], ...] = ()
        self._re_resolved = False
        self._tried: list[ExecutionMode] = []
        self.permission = Permission(terms.handle, terms.session, terms.rules, terms.principal)
        self._asked_until = 0.0
        self._resume_to: RuntimeState | None = None
        self._deadline = self._ready_by = float("inf")
        self._waiting_since: float | None = None
        self._why = ""

    # -- moving ---------------------------------------------------------------------------------------------

    def _move(self, state: RuntimeState, *commands: Command, note: str | None = None) -> list[Command]:
        """Every change of state goes through here; an illegal one is a defect, not an outcome."""
        assert state in MOVES[self.state], f"{self.state} -> {state}"
        self.state = state
        return [self._progress(note), *commands]

    def _progress(self, note: str | None = None) -> Command:
        return Emit(
            "action.progress",
            wire.ActionProgressPayload(
                action_handle=self.terms.handle,
                stage=self.state.lower(),  # type: ignore[arg-type]
                chosen_execution_mode=self.mode or UNSET,
                resolved_target=resolved_target(self.resolved.winner.candidate, self.account.box)
                if self.resolved
                else UNSET,
                note=note or UNSET,
            ),
        )

    @property
    def target(self) -> ElementNode | None:
        return self.resolved.winner.candidate.element if self.resolved else None

    @property
    def element(self) -> ElementNode:
        assert self.target is not None
        return self.target

    @property
    def expectation(self) -> Expectation:
        return self.verification.expectation

    def _expected(self) -> Expectation:
        spec = self.request.verification
        causal = self.terms.abilities.attribution == "causal"
        asked = None if spec is UNSET else spec
        demanded = self.permission.demanded(asked)
        return expect(demanded, self.primitive, self.target, self.args, causal=causal)

    # -- ending ---------------------------------------------------------------------------------------------

    def _succeed(
        self,
        at: Instant,
        effect: SideEffectState,
        *,
        return_value: Any = UNSET,
        outcome_word: str = "success",
    ) -> list[Command]:
        self.account.metadata["outcome"] = outcome_word
        return self._end(at, "SUCCEEDED", effect, None, return_value)

    def _fail(
        self,
        at: Instant,
        code: RuntimeErrorCode,
        message: str,
        detail: dict[str, Any] | None = None,
        *,
        effect: SideEffectState = "none",
    ) -> list[Command]:
        return self._failed(at, Failure(code, message, effect, detail or {}))

    def _failed(self, at: Instant, failure: Failure) -> list[Command]:
        error = self.account.failed(failure, self.verification.report)
        return self._end(at, "FAILED", failure.effect, error)

    def _cancel_with(
        self, at: Instant, code: RuntimeErrorCode, message: str, detail: dict[str, Any] | None = None
    ) -> list[Command]:
        effect: SideEffectState = "none"
        if self.execution.acting:
            effect = "applied" if self.verification.met else "unknown"
        elif self.handoff is not None:
            effect = "unknown"
        error = wire.RuntimeErrorDescriptor(code=code, message=message, detail=detail or UNSET)
        return self._end(at, "CANCELLED", effect, error)

    def _cancelled(self, event: when.Cancelled) -> list[Command]:
        payload = wire.ActionCancelledPayload(
            action_handle=self.terms.handle, status="cancelled", reason=event.reason or UNSET
        )
        ended = self._cancel_with(event.at, "cancelled", event.reason or "cancelled by the caller")
        return [Emit("action.cancelled", payload), *ended]

    def _out_of_time(self, event: when.Woke) -> list[Command]:
        """An alarm set for something else may ring here; the deadline still stands."""
        return self._timed_out(event.at) if event.at.mono >= self._deadline else self._wake_by(self._deadline)

    def _timed_out(self, at: Instant) -> list[Command]:
        resolving = "RESOLVING_TARGET" in (self.state, self._resume_to)
        return self._failed(at, out_of_time(self.state, resolving, self.execution.acting, self._why))

    def _end(
        self,
        at: Instant,
        state: RuntimeState,
        effect: SideEffectState,
        error: wire.RuntimeErrorDescriptor | None,
        return_value: Any = UNSET,
    ) -> list[Command]:
        assert state in MOVES[self.state], f"{self.state} -> {state}"
        self.state = state
        result = self.account.result(
            at,
            state.lower(),  # type: ignore[arg-type]
            effect,
            resolved=self.resolved,
            mode=self.mode,
            verification=self.verification,
            error=error,
            return_value=return_value,
        )
        return [Emit("action.result", result), do.Finish(result)]

    # -- time -----------------------------------------------------------------------------------------------

    def _wake_by(self, mono: float) -> list[Command]:
        return [WakeAt(min(mono, self._deadline) if self._waiting_since is None else mono)]

    def _end_wait(self, at: Instant) -> None:
        """Waiting for a person does not count against the action's time (companions §12.4)."""
        if self._waiting_since is not None:
            self._deadline += at.mono - self._waiting_since
            self._waiting_since = None
