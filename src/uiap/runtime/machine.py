"""One action, from request to result. `handle(event) -> [command]`: it decides, it never waits, it never acts.

The table at the end joins state and event to what is done; a missing row means the event does not matter there.
Exactly one result leaves it, and success only after the effect was observed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.ops import AnyOp, Guard, Holds
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.policy.decide import Answer, Question, Rules, decide
from uiap.protocol.events import Instant
from uiap.runtime import events as when
from uiap.runtime.account import Account
from uiap.runtime.args import faults
from uiap.runtime.check import Hidden, Never, NotYet, Ready, Stale, check
from uiap.runtime.commands import (
    Command,
    Emit,
    Find,
    Finish,
    Go,
    Look,
    Perform,
    Probe,
    ReadOut,
    Record,
    ScrollTo,
    TakeLane,
    WakeAt,
    Watch,
)
from uiap.runtime.confirmation import Identity, identity, question
from uiap.runtime.lifecycle import MOVES
from uiap.runtime.modes import Abilities, choose
from uiap.runtime.outcome import ERRORS_BY_REFUSAL, OPAQUE_ERRORS
from uiap.runtime.resolve import (
    Ambiguous,
    NotFound,
    Resolved,
    explain,
    resolve,
    resolved_target,
)
from uiap.runtime.verify import Expectation, Passed, already, expect, judge
from uiap.signals.watch import Report
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionProgressPayload,
    ActionRequestPayload,
    ActionStatus,
    ActionTarget,
    RuntimeErrorCode,
    RuntimeErrorDescriptor,
    RuntimeState,
    SideEffectState,
)
from uiap.spec.capability import ExecutionMode, InstanceIdRef, NetworkResponse
from uiap.spec.web import ElementNode

ACTION_S, READY_S, CONFIRM_S = 15.0, 2.0, 120.0
SETTLE_S = 0.05  # HOUSE §4: the observed state must hold this long, so a change that rolls back is seen
LOOK_S = 0.1
DIALOG_S = 1.0  # so long an action waits for somebody to answer the page's own dialog
PASSING = frozenset({"obscured", "hidden", "disabled"})
"""Refusals that may pass: the checks decide again, within the time the target has to get ready."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What an action begins with; with the events after it, all that a replay needs."""

    handle: str
    request: ActionRequestPayload
    abilities: Abilities
    rules: Rules = "standard"
    caller: str = "caller"


class Action:
    """In exactly one state; see `lifecycle.MOVES`."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.request = terms.request
        self.primitive: Primitive = ACTIONS[terms.request.action_id]
        self.args: dict[str, Any] = {} if terms.request.args is UNSET else terms.request.args
        self.state: RuntimeState = "RECEIVED"
        self.resolved: Resolved | None = None
        self.mode: ExecutionMode | None = None
        self.expectation = Expectation(policy="capability-default")
        self.report: Report | None = None
        self._plan: list[AnyOp] = []
        self._sent = 0
        self._awaited: tuple[type[when.Event], ...] = ()
        self._re_resolved = self._acting = self._interrupted = False
        self._granted: Identity | None = None
        self._resume_to: RuntimeState | None = None
        self._deadline = self._ready_by = float("inf")
        self._passed_at = 0.0
        self._waiting_since: float | None = None
        self._why = ""
        self.account = Account(terms.handle, terms.request.action_id)

    def handle(self, event: when.Event) -> list[Command]:
        """An answer that nobody waits for, or waits for no longer, changes nothing."""
        row = TRANSITIONS.get((self.state, type(event)))
        if row is None or (type(event) in _ANSWERS and type(event) not in self._awaited):
            return []
        if type(event) in _ANSWERS:
            self._awaited = ()
        commands = row(self, event)
        for command in commands:
            self._awaited = ANSWERED_BY.get(type(command), self._awaited)
        return commands

    # -- moving ---------------------------------------------------------------------------------------------

    def _move(self, state: RuntimeState, *commands: Command, note: str | None = None) -> list[Command]:
        """Every change of state goes through here; an illegal one is a defect, not an outcome."""
        assert state in MOVES[self.state], f"{self.state} -> {state}"
        self.state = state
        return [self._progress(note), *commands]

    def _progress(self, note: str | None = None) -> Command:
        return Emit(
            "action.progress",
            ActionProgressPayload(
                action_handle=self.terms.handle,
                stage=self.state.lower(),  # type: ignore[arg-type]
                chosen_execution_mode=self.mode or UNSET,
                resolved_target=resolved_target(self.resolved.winner.candidate) if self.resolved else UNSET,
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
    def _idempotent(self) -> bool:
        return self.primitive.idempotency(self.args) == "idempotent"

    # -- receive and resolve --------------------------------------------------------------------------------

    def _started(self, event: when.Started) -> list[Command]:
        self.account.began = event.at.mono
        timeout = ACTION_S if self.request.timeout_ms is UNSET else self.request.timeout_ms / 1000
        self._deadline = event.at.mono + timeout
        wrong = faults(self.primitive, self.args)
        if wrong:
            return self._fail(
                event.at, "action_unsupported", wrong[0], {"reason": "invalid_args", "faults": wrong}
            )
        if not self.primitive.needs_target:
            self.state = "RESOLVING_TARGET"  # there is none to resolve; the state is passed, not skipped
            return [self._progress(), *self._move("CHECKING_PRECONDITIONS"), *self._permitted(event.at)]
        target = self.request.target
        if target is UNSET or (target.ref is UNSET and target.expected_role is UNSET):
            return self._fail(event.at, "target_required", f"{self.primitive.id} needs a target; name one")
        self._ready_by = event.at.mono + READY_S
        return self._move("RESOLVING_TARGET", Find(target), *self._wake_by(self._deadline))

    @property
    def _target(self) -> ActionTarget:
        assert self.request.target is not UNSET
        return self.request.target

    def _found(self, event: when.Found) -> list[Command]:
        found = resolve(self._target, event.gathered, self.primitive.id)
        match found:
            case Resolved():
                self.resolved = found
                if (kind := self._opaque_for(found)) is not None:
                    return self._fail_opaque(event.at, kind)
                return self._move("CHECKING_PRECONDITIONS", Probe(self.element.instance_id))
            case Ambiguous():
                detail = {"candidates": [explain(c) for c in found.candidates]}
                message = (
                    f"{len(found.candidates)} elements fit equally well; say which by ref, record or scope"
                )
                return self._fail(event.at, "target_ambiguous", message, detail)
            case NotFound(opaque=str(kind)):
                return self._fail_opaque(event.at, kind)
        if self._re_resolved:
            return self._fail(event.at, "stale_target", f"the target changed and is gone: {self._why}")
        if isinstance(self._target.ref, InstanceIdRef):  # such a reference never comes back
            message = f"`{self._target.ref.value}` is no longer on the page; look again and use what is there"
            return self._fail(event.at, "stale_target", message)
        return self._wait_for(event.at, "RESOLVING_TARGET", found.reason)

    def _opaque_for(self, found: Resolved) -> str | None:
        """The frame or host can be seen, but what would be done to it happens inside (ACT-13.2)."""
        candidate = found.winner.candidate
        own = set(self.primitive.affordances) & set(candidate.element.affordances)
        inside = self.primitive.checks in ("pointer", "text") and not own
        return candidate.opaque if inside else None

    def _fail_opaque(self, at: Instant, kind: str) -> list[Command]:
        code = OPAQUE_ERRORS.get(kind, "target_not_interactable")
        return self._fail(at, code, f"the target lies in an opaque region ({kind})")

    # -- waiting for what may still come (ACT-13.1) ---------------------------------------------------------

    def _wait_for(self, at: Instant, back: RuntimeState, why: str) -> list[Command]:
        self._why = why
        if at.mono >= self._ready_by:
            return self._not_ready(at, back)
        self._resume_to = back
        return self._move("RECOVERING", *self._wake_by(min(self._ready_by, at.mono + LOOK_S)), note=why)

    def _not_ready(self, at: Instant, back: RuntimeState) -> list[Command]:
        if back == "RESOLVING_TARGET":
            message = f"{self._why}; look at the page again, or give it more time"
            return self._fail(at, "target_not_found", message, {"reason": "timeout"})
        return self._fail(at, "target_not_interactable", f"the target cannot be acted on: {self._why}")

    def _look_again(self, event: when.PageChanged | when.Woke) -> list[Command]:
        if event.at.mono >= self._deadline:
            return self._timed_out(event.at)
        assert self._resume_to is not None
        back, self._resume_to = self._resume_to, None
        ask = Find(self._target) if back == "RESOLVING_TARGET" else Probe(self.element.instance_id)
        return self._move(back, ask)

    # -- check, policy, person ------------------------------------------------------------------------------

    def _probed(self, event: when.Probed) -> list[Command]:
        candidate = self.resolved.winner.candidate if self.resolved else None
        assert candidate is not None
        name = candidate.element.name if isinstance(candidate.element.name, str) else None
        readiness = check(
            self.primitive.checks, event.sighting, (candidate.element.role, name, candidate.record)
        )
        match readiness:
            case Ready():
                return self._permitted(event.at)
            case Stale(why=why):
                return self._stale(event.at, why)
            case Hidden() if "scrolled" not in self.account.notes:
                self.account.note("scrolled")
                return [ScrollTo(candidate.element.instance_id)]
            case Hidden(why=why) | NotYet(why=why):
                return self._wait_for(event.at, "CHECKING_PRECONDITIONS", why)
            case Never(why=why):
                return self._fail(
                    event.at, "target_not_interactable", f"the target cannot be acted on: {why}"
                )

    def _stale(self, at: Instant, why: str) -> list[Command]:
        """ACT-8.3: re-resolve exactly once."""
        self._why = why
        if self._re_resolved:
            return self._fail(at, "stale_target", f"the target changed again: {why}")
        self._re_resolved = True
        self.account.note(f"resolved again: {why}")
        if self.state == "EXECUTING":
            return self._move("RESOLVING_TARGET", Find(self._target, anew=True), note=why)
        self._move("RECOVERING", note=why)
        return [self._progress(why), *self._move("RESOLVING_TARGET", Find(self._target, anew=True))]

    def _permitted(self, at: Instant) -> list[Command]:
        answer = self._decision()
        self.account.metadata["policy"] = {"effect": answer.effect, "reason": answer.reason}
        if answer.effect == "confirm" and not self._may_proceed:
            return self._ask(at, answer)
        if answer.effect in ("deny", "handoff"):
            detail = {
                "reason": "policy_denied",
                "decision": {"effect": answer.effect, "reason": answer.reason},
            }
            return self._fail(at, "action_unsupported", f"policy does not allow it ({answer.reason})", detail)
        return self._choose_mode(at)

    @property
    def _may_proceed(self) -> bool:
        """A grant is for the element the person was shown; another one needs its own."""
        return self._granted is not None and self._granted == identity(self.resolved)

    def _decision(self) -> Answer:
        risk = UNSET if self.target is None else self.target.risk
        return decide(
            Question(
                action_id=self.primitive.id,
                risk="safe" if risk is UNSET else risk.level,
                side_effect=self.primitive.effect(self.target, self.args),
                rules=self.terms.rules,
            )
        )

    def _ask(self, at: Instant, answer: Answer) -> list[Command]:
        payload = question(self.terms.handle, self.primitive.id, self.args, self.resolved, answer)
        self._waiting_since = at.mono
        asked = Emit("action.confirmation.request", payload)
        return self._move("AWAITING_CONFIRMATION", asked, *self._wake_by(at.mono + CONFIRM_S))

    def _confirmed(self, event: when.Granted) -> list[Command]:
        """Granted, but the page went on meanwhile: look at the target again before anything is done."""
        self._granted = identity(self.resolved)
        self._end_wait(event.at)
        self._ready_by = event.at.mono + READY_S
        self.account.metadata["confirmedBy"] = event.by
        moved = self._move("CHECKING_PRECONDITIONS", *self._wake_by(self._deadline))
        if self.target is None:
            return moved + self._permitted(event.at)
        return [*moved, Probe(self.target.instance_id)]

    def _denied(self, event: when.Denied) -> list[Command]:
        return self._cancel_with(event.at, "confirmation_denied", event.reason or "the person said no")

    def _unanswered(self, event: when.Woke) -> list[Command]:
        if self._waiting_since is None or event.at.mono < self._waiting_since + CONFIRM_S:
            return []
        return self._cancel_with(
            event.at, "confirmation_denied", "nobody answered in time", {"reason": "timeout"}
        )

    def _end_wait(self, at: Instant) -> None:
        """Waiting for a person does not count against the action's time (companions §12.4)."""
        if self._waiting_since is not None:
            self._deadline += at.mono - self._waiting_since
            self._waiting_since = None

    # -- execute --------------------------------------------------------------------------------------------

    def _choose_mode(self, at: Instant) -> list[Command]:
        preferred = self.request.preferred_execution_modes
        choice = choose(self.primitive, self.terms.abilities, None if preferred is UNSET else preferred)
        self.account.metadata["modeReasons"] = list(choice.reasons)
        if choice.mode is None:
            message = f"no permitted way to do it: {'; '.join(choice.reasons)}"
            return self._fail(at, "execution_mode_unavailable", message)
        self.mode = choice.mode
        spec = self.request.verification
        causal = self.terms.abilities.attribution == "causal"
        asked = None if spec is UNSET else spec
        self.expectation = expect(asked, self.primitive, self.target, self.args, causal=causal)
        if self.target is not None:
            self._plan = list(self.primitive.plan(choice.mode, self._guard(), self.target, self.args))
        self._sent = 0
        return self._move("EXECUTING", TakeLane())

    def _guard(self) -> Guard:
        candidate = self.resolved.winner.candidate if self.resolved else None
        assert candidate is not None
        name = candidate.element.name
        return Guard(
            node=candidate.element.instance_id,
            role=candidate.element.role,
            name=name if isinstance(name, str) else None,
            record=candidate.record,
        )

    def _in_lane(self, event: when.LaneTaken) -> list[Command]:
        if self.target is None:
            return [Watch(self.expectation.signals, None)]
        if not self._plan:
            return [ReadOut(self.element.instance_id, str(self.args.get("what", "state")))]
        return [Watch(self.expectation.signals, self.element.instance_id)]

    def _read(self, event: when.Read) -> list[Command]:
        return self._succeed(event.at, "none", return_value=event.value)

    def _watching(self, event: when.Watching) -> list[Command]:
        if event.revision:
            self.account.metadata["baseRevision"] = event.revision
        if already(self.expectation, event.verdicts):
            self.report = Report(event.verdicts)
            self.account.metadata["alreadyTrue"] = [s.kind for s in self.expectation.signals]
            return self._succeed(event.at, "none", outcome_word="no_op")
        held = [s.kind for s, v in zip(self.expectation.signals, event.verdicts, strict=True) if v.already]
        if held:
            self.account.metadata["alreadyTrue"] = held
        if self.target is None:
            self._acting = True
            return [Go(str(self.args["url"]))]
        return self._act() if self._idempotent else [Record()]

    def _act(self) -> list[Command]:
        """From here on something may have happened, whatever else comes."""
        self._acting = True
        return [Perform(self._plan[self._sent])]

    def _recorded(self, _event: when.Recorded) -> list[Command]:
        return self._act()

    def _not_recorded(self, event: when.NotRecorded) -> list[Command]:
        message = f"the intent could not be written down, so nothing was done: {event.reason}"
        return self._fail(event.at, "internal_runtime_error", message, {"reason": "store_failed"})

    def _refused(self, event: when.Refused) -> list[Command]:
        """The driver proves that nothing reached the page, so looking again is no retry (HOUSE §3)."""
        if self._sent and isinstance(self._plan[self._sent], Holds):
            message = "the field does not hold what was written into it"
            return self._fail(event.at, "verification_failed", message, effect="unknown")
        if self._sent:
            message = f"it stopped half way: {event.detail or event.reason}"
            return self._fail(event.at, "internal_runtime_error", message, effect="unknown")
        self._acting = False
        if event.reason in ("gone", "changed"):
            return self._stale(event.at, event.detail or event.reason)
        if event.reason in PASSING and event.at.mono < self._ready_by:
            self._why = event.detail or event.reason
            self.account.note(f"looked again: {self._why}")
            return self._move("RESOLVING_TARGET", Find(self._target, anew=True), note=self._why)
        code = ERRORS_BY_REFUSAL.get(event.reason, "target_not_interactable")
        return self._fail(
            event.at, code, event.detail or f"refused: {event.reason}", {"refusal": event.reason}
        )

    def _dispatched(self, event: when.Dispatched) -> list[Command]:
        self._sent += 1
        if event.interrupted_by == "dialog":
            return self._asked_by_page(event)
        if self._sent < len(self._plan) and event.interrupted_by is None:
            return self._act()
        self._interrupted = event.interrupted_by == "closed"
        return self._verify(event.at)

    def _verify(self, at: Instant) -> list[Command]:
        limit = min(self._deadline, at.mono + self.expectation.timeout_s)
        self._ready_by = limit
        return self._move("VERIFYING", self._look(), *self._wake_by(limit))

    def _look(self) -> Command:
        return Probe(self.element.instance_id) if self.expectation.in_view else Look()

    def _seen(self, event: when.Probed) -> list[Command]:
        """After the gesture: is it where it should be?"""
        if event.sighting.in_viewport:
            return self._verified(event.at, Passed("it is in view"))
        self._why = "it is not in view"
        return self._wake_by(min(self._ready_by, event.at.mono + LOOK_S))

    # -- the page asks a person (ACT-14, F6) ----------------------------------------------------------------

    def _asked_by_page(self, event: when.Dispatched) -> list[Command]:
        """A JavaScript dialog: the page stands still in the middle, and nobody but a person may answer."""
        said = event.dialog or "a JavaScript dialog"
        self.account.metadata["dialog"] = said
        self._why = f"the page asks: {said}; answer the dialog, then look at the page again"
        self._ready_by = event.at.mono + DIALOG_S
        self._waiting_since = event.at.mono
        return self._move("WAITING_FOR_USER", *self._wake_by(self._ready_by), note=self._why)

    def _answered(self, event: when.DialogAnswered) -> list[Command]:
        self._end_wait(event.at)
        self.account.metadata["dialogAccepted"] = event.accepted
        return self._verify(event.at)

    def _nobody_came(self, event: when.Woke) -> list[Command]:
        if event.at.mono < self._ready_by:
            return []
        detail = {"reason": "timeout", "dialog": self.account.metadata.get("dialog", "")}
        return self._fail(event.at, "user_activation_required", self._why, detail, effect="unknown")

    def _lost(self, event: when.Lost) -> list[Command]:
        message = f"nobody knows whether it happened: {event.detail or event.cause}"
        return self._fail(
            event.at, "internal_runtime_error", message, {"cause": event.cause}, effect="unknown"
        )

    # -- verify ---------------------------------------------------------------------------------------------

    def _observed(self, event: when.Observed) -> list[Command]:
        moved = self.report is None or self.report.revision != event.report.revision
        self.report = event.report
        if event.request_failed is not None and not self._failure_expected:
            message = f"the application did not do it: {event.request_failed}"
            detail = {"outcome": "backend_failure", "request": event.request_failed}
            return self._fail(event.at, "verification_failed", message, detail, effect="unknown")
        judgement = judge(self.expectation, event.report)
        if not isinstance(judgement, Passed):
            self._why, self._passed_at = judgement.why, 0.0
            return []
        self.account.effect_seen(event.at.mono)
        if (event.navigated and not self.expectation.arrival) or self.expectation.policy == "none":
            return self._verified(event.at, judgement)
        if not self._passed_at or (
            moved and self.expectation.arrival
        ):  # a page has arrived when it holds still
            self._passed_at = event.at.mono
        return self._settle(event, judgement)

    def _settle(self, event: when.Observed, judgement: Passed) -> list[Command]:
        """HOUSE §4: not a sleep but an observation: nothing open, nothing new, and the page has no more to say."""
        if event.requests_open:
            self._why = "a request that it sent has no answer yet"
            return self._wake_by(min(self._ready_by, event.at.mono + LOOK_S))
        quiet = max(self._passed_at, event.report.latest, event.quiet_since) + SETTLE_S
        if event.at.mono < quiet:
            return self._wake_by(quiet)
        # a page too busy to tell is not a page that holds still: ask it before believing
        return self._verified(event.at, judgement) if event.looked else [Look()]

    @property
    def _failure_expected(self) -> bool:
        """The caller waits for an error on purpose."""
        signals = self.expectation.signals
        return any(
            isinstance(s, NetworkResponse) and isinstance(s.status, int) and s.status >= 400 for s in signals
        )

    def _verified(self, at: Instant, judgement: Passed) -> list[Command]:
        confirmed = any(isinstance(op, Holds) for op in self._plan)
        self.account.metadata["evidence"] = (
            "the page confirmed what it holds" if confirmed else judgement.evidence
        )
        if self.report is not None and self.report.attribution is not None:
            self.account.metadata["attribution"] = self.report.attribution
        touched = self.primitive.effect(self.target, self.args) != "none"
        return self._succeed(at, "applied" if touched else "none")

    def _look_or_give_up(self, event: when.Woke) -> list[Command]:
        if event.at.mono < self._ready_by:
            return [self._look(), *self._wake_by(min(self._ready_by, event.at.mono + LOOK_S))]
        if self._passed_at and self.expectation.arrival:
            return self._verified(event.at, Passed("the page is there, and still loads something"))
        effect: SideEffectState = "none" if self._proved_dead() else "unknown"
        message = f"it was done, but the effect was not observed: {self._why or 'nothing changed'}"
        return self._fail(event.at, "verification_failed", message, effect=effect)

    def _proved_dead(self) -> bool:
        """Nothing at all was seen. That is no proof for a server; `none` is said only of drafts in the page."""
        drafted = self.primitive.effect(self.target, self.args) in ("draft", "none", "ui_state")
        return drafted and self.report is not None and self.report.change is None

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
        return self._end(at, "SUCCEEDED", "succeeded", effect, None, return_value)

    def _fail(
        self,
        at: Instant,
        code: RuntimeErrorCode,
        message: str,
        detail: dict[str, Any] | None = None,
        *,
        effect: SideEffectState = "none",
    ) -> list[Command]:
        error = self.account.failed(code, message, detail or {}, effect)
        return self._end(at, "FAILED", "failed", effect, error)

    def _cancel_with(
        self, at: Instant, code: RuntimeErrorCode, message: str, detail: dict[str, Any] | None = None
    ) -> list[Command]:
        effect: SideEffectState = "none"
        if self._acting:
            effect = "applied" if self.account.effect_at else "unknown"
        error = RuntimeErrorDescriptor(code=code, message=message, detail=detail or UNSET)
        return self._end(at, "CANCELLED", "cancelled", effect, error)

    def _cancelled(self, event: when.Cancelled) -> list[Command]:
        payload = ActionCancelledPayload(
            action_handle=self.terms.handle, status="cancelled", reason=event.reason or UNSET
        )
        ended = self._cancel_with(event.at, "cancelled", event.reason or "cancelled by the caller")
        return [Emit("action.cancelled", payload), *ended]

    def _page_lost(self, event: when.PageLost) -> list[Command]:
        if self._acting and self._interrupted and self.expectation.any_change:
            return self._verified(event.at, Passed(event.cause))  # closing it was the effect
        code: RuntimeErrorCode = "internal_runtime_error" if self._acting else "stale_target"
        detail = {"cause": event.cause}
        effect: SideEffectState = "unknown" if self._acting else "none"
        return self._fail(event.at, code, f"the page is gone: {event.cause}", detail, effect=effect)

    def _out_of_time(self, event: when.Woke) -> list[Command]:
        """An alarm set for something else may ring here; the deadline still stands."""
        return self._timed_out(event.at) if event.at.mono >= self._deadline else self._wake_by(self._deadline)

    def _timed_out(self, at: Instant) -> list[Command]:
        """The code says where the time ran out (companions §12.4)."""
        detail = {"reason": "timeout"}
        if self.state in ("RECEIVED", "RESOLVING_TARGET") or self._resume_to == "RESOLVING_TARGET":
            return self._fail(at, "target_not_found", "no time left to find the target", detail)
        if self.state == "EXECUTING":
            effect: SideEffectState = "unknown" if self._acting else "none"
            return self._fail(
                at, "internal_runtime_error", "no time left while acting", detail, effect=effect
            )
        return self._fail(at, "target_not_interactable", f"no time left: {self._why or 'not ready'}", detail)

    def _end(
        self,
        at: Instant,
        state: RuntimeState,
        status: ActionStatus,
        effect: SideEffectState,
        error: RuntimeErrorDescriptor | None,
        return_value: Any = UNSET,
    ) -> list[Command]:
        assert state in MOVES[self.state], f"{self.state} -> {state}"
        self.state = state
        result = self.account.result(
            at,
            status,
            effect,
            resolved=self.resolved,
            mode=self.mode,
            expectation=self.expectation,
            report=self.report,
            error=error,
            return_value=return_value,
        )
        return [Emit("action.result", result), Finish(result)]

    # -- time -----------------------------------------------------------------------------------------------

    def _wake_by(self, mono: float) -> list[Command]:
        return [WakeAt(min(mono, self._deadline) if self._waiting_since is None else mono)]


ANSWERED_BY: Mapping[type[Command], tuple[type[when.Event], ...]] = MappingProxyType(
    {
        Find: (when.Found,),
        Probe: (when.Probed,),
        ScrollTo: (when.Probed,),
        TakeLane: (when.LaneTaken,),
        ReadOut: (when.Read,),
        Watch: (when.Watching,),
        Record: (when.Recorded, when.NotRecorded),
        Perform: (when.Refused, when.Dispatched, when.Lost),
        Go: (when.Refused, when.Dispatched, when.Lost),
    }
)
_ANSWERS = frozenset(event for events in ANSWERED_BY.values() for event in events)

_OPEN: tuple[RuntimeState, ...] = tuple(state for state, moves in MOVES.items() if moves)

TRANSITIONS: Mapping[tuple[RuntimeState, type[when.Event]], Callable[[Action, Any], list[Command]]] = (
    MappingProxyType(
        {
            ("RECEIVED", when.Started): Action._started,
            ("RESOLVING_TARGET", when.Found): Action._found,
            ("RESOLVING_TARGET", when.Woke): Action._out_of_time,
            ("RECOVERING", when.PageChanged): Action._look_again,
            ("RECOVERING", when.Woke): Action._look_again,
            ("CHECKING_PRECONDITIONS", when.Probed): Action._probed,
            ("CHECKING_PRECONDITIONS", when.Woke): Action._out_of_time,
            ("AWAITING_CONFIRMATION", when.Granted): Action._confirmed,
            ("AWAITING_CONFIRMATION", when.Denied): Action._denied,
            ("AWAITING_CONFIRMATION", when.Woke): Action._unanswered,
            ("EXECUTING", when.LaneTaken): Action._in_lane,
            ("EXECUTING", when.Read): Action._read,
            ("EXECUTING", when.Watching): Action._watching,
            ("EXECUTING", when.Recorded): Action._recorded,
            ("EXECUTING", when.NotRecorded): Action._not_recorded,
            ("EXECUTING", when.Refused): Action._refused,
            ("EXECUTING", when.Dispatched): Action._dispatched,
            ("EXECUTING", when.Lost): Action._lost,
            ("EXECUTING", when.Woke): Action._out_of_time,
            ("WAITING_FOR_USER", when.DialogAnswered): Action._answered,
            ("WAITING_FOR_USER", when.Woke): Action._nobody_came,
            ("VERIFYING", when.Observed): Action._observed,
            ("VERIFYING", when.Probed): Action._seen,
            ("VERIFYING", when.Woke): Action._look_or_give_up,
            **{(state, when.Cancelled): Action._cancelled for state in _OPEN},
            **{(state, when.PageLost): Action._page_lost for state in _OPEN},
        }
    )
)
