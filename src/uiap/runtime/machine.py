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

from uiap.actions.ops import AnyOp, Guard
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.policy.decide import Answer, Question, Rules, decide
from uiap.protocol.events import Instant
from uiap.runtime import events as when
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
from uiap.runtime.lifecycle import MOVES
from uiap.runtime.modes import Abilities, choose
from uiap.runtime.outcome import ERRORS_BY_REFUSAL, OPAQUE_ERRORS, classify, failure_class
from uiap.runtime.resolve import (
    Ambiguous,
    NotFound,
    Resolved,
    explain,
    resolve,
    resolved_target,
)
from uiap.runtime.verify import Expectation, Passed, already, expect, judge, outcome
from uiap.signals.watch import Report
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionConfirmationRequestPayload,
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionStatus,
    ActionTarget,
    ConfirmationPreview,
    RuntimeErrorCode,
    RuntimeErrorDescriptor,
    RuntimeState,
    SideEffectState,
)
from uiap.spec.capability import ExecutionMode, RiskDescriptor
from uiap.spec.web import ElementNode

ACTION_S, READY_S, CONFIRM_S = 15.0, 2.0, 120.0
SETTLE_S = 0.05  # HOUSE §4: the observed state must hold this long, so a change that rolls back is seen
LOOK_S = 0.1


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
        self._re_resolved = self._granted = self._seen_open = False
        self._resume_to: RuntimeState | None = None
        self._deadline = self._ready_by = self._wake = float("inf")
        self._began = self._passed_at = self._effect_at = 0.0
        self._waits = 0.0
        self._waiting_since: float | None = None
        self._why = ""
        self._notes: list[str] = []
        self._metadata: dict[str, Any] = {}

    def handle(self, event: when.Event) -> list[Command]:
        row = TRANSITIONS.get((self.state, type(event)))
        return row(self, event) if row is not None else []

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
        self._began = event.at.mono
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
                return self._move("CHECKING_PRECONDITIONS", Probe(self.element.instance_id))
            case Ambiguous():
                detail = {"candidates": [explain(c) for c in found.candidates]}
                message = (
                    f"{len(found.candidates)} elements fit equally well; say which by ref, record or scope"
                )
                return self._fail(event.at, "target_ambiguous", message, detail)
            case NotFound(opaque=str(kind)):
                code = OPAQUE_ERRORS.get(kind, "target_not_interactable")
                return self._fail(event.at, code, f"the target lies in an opaque region ({kind})")
        if self._re_resolved:
            return self._fail(event.at, "stale_target", f"the target changed and is gone: {self._why}")
        return self._wait_for(event.at, "RESOLVING_TARGET", found.reason)

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
            case Hidden() if "scrolled" not in self._notes:
                self._notes.append("scrolled")
                return [ScrollTo(candidate.element.instance_id)]
            case Hidden():
                return self._wait_for(event.at, "CHECKING_PRECONDITIONS", "it is out of view")
            case NotYet(why=why):
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
        self._notes.append(f"resolved again: {why}")
        if self.state == "EXECUTING":
            return self._move("RESOLVING_TARGET", Find(self._target), note=why)
        self._move("RECOVERING", note=why)
        return [self._progress(why), *self._move("RESOLVING_TARGET", Find(self._target))]

    def _permitted(self, at: Instant) -> list[Command]:
        answer = self._decision()
        self._metadata["policy"] = {"effect": answer.effect, "reason": answer.reason}
        if answer.effect == "confirm" and not self._granted:
            return self._ask(at, answer)
        if answer.effect in ("deny", "handoff"):
            detail = {
                "reason": "policy_denied",
                "decision": {"effect": answer.effect, "reason": answer.reason},
            }
            return self._fail(at, "action_unsupported", f"policy does not allow it ({answer.reason})", detail)
        return self._choose_mode(at)

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
        risk = self.element.risk
        named = f" “{self.element.name}”" if isinstance(self.element.name, str) else ""
        payload = ActionConfirmationRequestPayload(
            action_handle=self.terms.handle,
            action_id=self.primitive.id,
            risk=RiskDescriptor(level="confirm", reason=answer.reason) if risk is UNSET else risk,
            preview=ConfirmationPreview(
                summary=f"{self.primitive.title}: {self.element.role}{named}",
                target=resolved_target(self.resolved.winner.candidate) if self.resolved else UNSET,
                args=self.args or UNSET,
            ),
        )
        self._waiting_since = at.mono
        asked = Emit("action.confirmation.request", payload)
        return self._move("AWAITING_CONFIRMATION", asked, *self._wake_by(at.mono + CONFIRM_S))

    def _confirmed(self, event: when.Granted) -> list[Command]:
        """Granted, but the page went on meanwhile: look at the target again before anything is done."""
        self._granted = True
        self._end_wait(event.at)
        self._ready_by = event.at.mono + READY_S
        self._metadata["confirmedBy"] = event.by
        probe = Probe(self.element.instance_id)
        return self._move("CHECKING_PRECONDITIONS", probe, *self._wake_by(self._deadline))

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
        self._metadata["modeReasons"] = list(choice.reasons)
        if choice.mode is None:
            message = f"no permitted way to do it: {'; '.join(choice.reasons)}"
            return self._fail(at, "execution_mode_unavailable", message)
        self.mode = choice.mode
        spec = self.request.verification
        self.expectation = expect(None if spec is UNSET else spec, self.primitive, self.target, self.args)
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
        if already(self.expectation, event.verdicts):
            self.report = Report(event.verdicts)
            self._metadata["alreadyTrue"] = [s.kind for s in self.expectation.signals]
            return self._succeed(event.at, "none", outcome_word="no_op")
        held = [s.kind for s, v in zip(self.expectation.signals, event.verdicts, strict=True) if v.already]
        if held:
            self._metadata["alreadyTrue"] = held
        if self.target is None:
            return [Go(str(self.args["url"]))]
        return [Perform(self._plan[0])] if self._idempotent else [Record()]

    def _recorded(self, _event: when.Recorded) -> list[Command]:
        return [Perform(self._plan[0])]

    def _not_recorded(self, event: when.NotRecorded) -> list[Command]:
        message = f"the intent could not be written down, so nothing was done: {event.reason}"
        return self._fail(event.at, "internal_runtime_error", message, {"reason": "store_failed"})

    def _refused(self, event: when.Refused) -> list[Command]:
        if self._sent:
            message = f"it stopped half way: {event.detail or event.reason}"
            return self._fail(event.at, "internal_runtime_error", message, effect="unknown")
        if event.reason in ("gone", "changed"):
            return self._stale(event.at, event.detail or event.reason)
        code = ERRORS_BY_REFUSAL.get(event.reason, "target_not_interactable")
        return self._fail(
            event.at, code, event.detail or f"refused: {event.reason}", {"refusal": event.reason}
        )

    def _dispatched(self, event: when.Dispatched) -> list[Command]:
        self._sent += 1
        if event.interrupted_by == "dialog":
            self._seen_open = True
            self._metadata["dialog"] = "a JavaScript dialog opened"
        if self._sent < len(self._plan) and event.interrupted_by is None:
            return [Perform(self._plan[self._sent])]
        limit = min(self._deadline, event.at.mono + self.expectation.timeout_s)
        self._ready_by = limit
        return self._move("VERIFYING", Look(), *self._wake_by(limit))

    def _lost(self, event: when.Lost) -> list[Command]:
        message = f"nobody knows whether it happened: {event.detail or event.cause}"
        return self._fail(
            event.at, "internal_runtime_error", message, {"cause": event.cause}, effect="unknown"
        )

    # -- verify ---------------------------------------------------------------------------------------------

    def _observed(self, event: when.Observed) -> list[Command]:
        moved = self.report is None or self.report.revision != event.report.revision
        self.report = event.report
        if event.request_failed is not None:
            message = f"the application answered with an error: {event.request_failed}"
            return self._fail(
                event.at, "verification_failed", message, {"outcome": "backend_failure"}, effect="unknown"
            )
        judgement = judge(self.expectation, event.report)
        if self._seen_open and self.expectation.any_change:
            judgement = Passed("a dialog opened")
        if not isinstance(judgement, Passed):
            self._why, self._passed_at = judgement.why, 0.0
            return []
        if not self._effect_at:
            self._effect_at = event.at.mono
        if (event.navigated and not self.expectation.arrival) or self.expectation.policy == "none":
            return self._verified(event.at, judgement)
        if not self._passed_at or (moved and self.expectation.arrival):  # a page has arrived when it holds still
            self._passed_at = event.at.mono
        if event.requests_open or event.at.mono < self._passed_at + SETTLE_S:
            return self._wake_by(event.at.mono + SETTLE_S, sooner=True)
        # a page too busy to tell is not a page that holds still: ask it before believing
        return self._verified(event.at, judgement) if event.looked else [Look()]

    def _verified(self, at: Instant, judgement: Passed) -> list[Command]:
        self._metadata["evidence"] = judgement.evidence
        return self._succeed(at, "applied")

    def _look_or_give_up(self, event: when.Woke) -> list[Command]:
        if event.at.mono < self._ready_by:
            return [Look(), *self._wake_by(min(self._ready_by, event.at.mono + LOOK_S))]
        if self._passed_at:
            return self._verified(event.at, Passed("seen, and still so at the end of the time"))
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
        self._metadata["outcome"] = outcome_word
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
        error = RuntimeErrorDescriptor(code=code, message=message, detail=detail or UNSET)
        self._metadata["outcome"] = classify(code, effect, detail or {})
        self._metadata["failureClass"] = failure_class(code, effect)
        return self._end(at, "FAILED", "failed", effect, error)

    def _cancel_with(
        self, at: Instant, code: RuntimeErrorCode, message: str, detail: dict[str, Any] | None = None
    ) -> list[Command]:
        effect: SideEffectState = "none"
        if self.state == "VERIFYING" or (self.state == "EXECUTING" and self._sent):
            effect = "applied" if self._effect_at else "unknown"
        error = RuntimeErrorDescriptor(code=code, message=message, detail=detail or UNSET)
        return self._end(at, "CANCELLED", "cancelled", effect, error)

    def _cancelled(self, event: when.Cancelled) -> list[Command]:
        payload = ActionCancelledPayload(
            action_handle=self.terms.handle, status="cancelled", reason=event.reason or UNSET
        )
        ended = self._cancel_with(event.at, "cancelled", event.reason or "cancelled by the caller")
        return [Emit("action.cancelled", payload), *ended]

    def _page_lost(self, event: when.PageLost) -> list[Command]:
        sent = self.state == "VERIFYING" or (self.state == "EXECUTING" and self._plan != [])
        code: RuntimeErrorCode = "internal_runtime_error" if sent else "stale_target"
        detail = {"cause": event.cause}
        return self._fail(
            event.at, code, f"the page is gone: {event.cause}", detail, effect="unknown" if sent else "none"
        )

    def _out_of_time(self, event: when.Woke) -> list[Command]:
        return self._timed_out(event.at) if event.at.mono >= self._deadline else []

    def _timed_out(self, at: Instant) -> list[Command]:
        """The code says where the time ran out (companions §12.4)."""
        detail = {"reason": "timeout"}
        if self.state in ("RECEIVED", "RESOLVING_TARGET") or self._resume_to == "RESOLVING_TARGET":
            return self._fail(at, "target_not_found", "no time left to find the target", detail)
        if self.state == "EXECUTING":
            effect: SideEffectState = "unknown" if self._plan else "none"
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
        result = ActionResultPayload(
            action_handle=self.terms.handle,
            action_id=self.primitive.id,
            status=status,
            chosen_execution_mode=self.mode or UNSET,
            resolved_target=resolved_target(self.resolved.winner.candidate) if self.resolved else UNSET,
            verification=outcome(self.expectation, self.report, status == "succeeded"),
            side_effect_state=effect,
            state_revision=self.report.revision if self.report and self.report.revision else UNSET,
            return_value=return_value,
            error=error or UNSET,
            metadata=self._told(at),
        )
        return [Emit("action.result", result), Finish(result)]

    def _told(self, at: Instant) -> dict[str, Any]:
        told = {**self._metadata, "durationMs": round((at.mono - self._began) * 1000, 1)}
        if self._effect_at:
            told["effectMs"] = round((self._effect_at - self._began) * 1000, 1)
        if self.resolved is not None:
            winner = self.resolved.winner
            told["resolution"] = {"reasons": list(winner.reasons), "confidence": self.resolved.confidence}
            if winner.candidate.record is not None:
                told["resolution"]["record"] = winner.candidate.record
        if self._notes:
            told["recovery"] = self._notes
        return told

    # -- time -----------------------------------------------------------------------------------------------

    def _wake_by(self, mono: float, *, sooner: bool = False) -> list[Command]:
        return [WakeAt(min(mono, self._deadline) if self._waiting_since is None else mono)]


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
            ("VERIFYING", when.Observed): Action._observed,
            ("VERIFYING", when.Woke): Action._look_or_give_up,
            **{(state, when.Cancelled): Action._cancelled for state in _OPEN},
            **{(state, when.PageLost): Action._page_lost for state in _OPEN},
        }
    )
)
