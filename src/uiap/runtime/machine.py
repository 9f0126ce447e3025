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

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.args import argument_faults
from uiap.runtime.attended import Attended
from uiap.runtime.check import NeverReady, NotReadyYet, OutOfView, Ready, StaleTarget, check
from uiap.runtime.commands import Command, Emit, Find, Probe
from uiap.runtime.course import Terms as Terms
from uiap.runtime.disambiguation import explain_ambiguity
from uiap.runtime.execution import Execution, ResolveAgain, TryOtherMode, aim_at, guard_of
from uiap.runtime.judgement import LOOK_S, Verification
from uiap.runtime.lifecycle import MOVES
from uiap.runtime.modes import choose_mode, script_gate
from uiap.runtime.outcome import Failure, opaque
from uiap.runtime.permission import (
    Answer,
    Ask,
    HandOver,
    PermissionRequest,
    Proceed,
    Refuse,
    decision_metadata,
)
from uiap.runtime.resolve import AmbiguousMatch, NoMatch, Resolved, UncertainMatch, resolve
from uiap.spec.action import ActionTarget, RuntimeState, SideEffectState
from uiap.spec.capability import ExecutionMode, InstanceIdRef
from uiap.timeouts import ACTION_S, PRECONDITION_S

BLIND = "nothing in the graph fits, and nobody here can read pictures; install the extra: pip install 'uiap[vision]'"


class Action(Attended):
    """Resolving, checking, asking and executing; what comes after the input stands in the classes below it."""

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

    # -- receive and resolve --------------------------------------------------------------------------------

    def _started(self, event: when.Started) -> list[Command]:
        self.account.began = event.at.mono
        timeout = ACTION_S if self.request.timeout_ms is UNSET else self.request.timeout_ms / 1000
        self._deadline = event.at.mono + timeout
        if self.terms.doubt is not None:
            return self._fail(event.at, "unsafe_retry_refused", self.terms.doubt, effect="unknown")
        wrong = argument_faults(self.primitive, self.args)
        if wrong:
            return self._fail(
                event.at, "action_unsupported", wrong[0], {"reason": "invalid_args", "faults": wrong}
            )
        if not self.primitive.needs_target and not self._names_target:
            self.state = "RESOLVING_TARGET"  # there is none to resolve; the state is passed, not skipped
            return [self._progress(), *self._move("CHECKING_PRECONDITIONS"), *self._permitted(event.at)]
        target = self.request.target
        if target is UNSET or (target.ref is UNSET and target.expected_role is UNSET):
            return self._fail(event.at, "target_required", f"{self.primitive.id} needs a target; name one")
        self._ready_by = event.at.mono + PRECONDITION_S
        return self._move("RESOLVING_TARGET", self._find(), *self._wake_by(self._deadline))

    @property
    def _names_target(self) -> bool:
        target = self.request.target
        return self.primitive.takes_target and target is not UNSET and target.ref is not UNSET

    @property
    def _target(self) -> ActionTarget:
        assert self.request.target is not UNSET
        return self.request.target

    def _find(self, *, anew: bool = False, eyes: bool = False) -> Command:
        asked = anew or self.terms.abilities.pace > 0  # what nobody told may be long gone
        return Find(self._target, self.primitive.affordances, asked, eyes)

    @property
    def _may_see(self) -> bool:
        """ACT-10.5: where the caller allows it and somebody can read; never by itself."""
        return "visionAssist" in self._asked_modes and "visionAssist" in self.terms.abilities.modes

    @property
    def _asked_modes(self) -> tuple[ExecutionMode, ...]:
        asked = self.request.preferred_execution_modes
        return () if asked is UNSET else asked

    def _found(self, event: when.Found) -> list[Command]:
        found = resolve(self._target, event.gathered, self.primitive.id)
        if isinstance(found, NoMatch) and self._may_see and not event.gathered.looked:
            self.account.note("looked at the picture: nothing in the graph fits")
            return [self._find(eyes=True)]
        if isinstance(found, NoMatch) and self._asked_modes == ("visionAssist",) and not self._may_see:
            return self._fail(event.at, "execution_mode_unavailable", BLIND)
        if event.gathered.looked:
            self._ready_by = max(self._ready_by, event.at.mono + PRECONDITION_S)  # reading takes its time
        match found:
            case Resolved():
                return self._chosen(event.at, found)
            case AmbiguousMatch() | UncertainMatch():
                return self._fail(event.at, "target_ambiguous", *explain_ambiguity(found))
            case NoMatch(opaque=str(kind)):
                return self._failed(event.at, opaque(kind))
        if self._re_resolved:
            return self._fail(event.at, "stale_target", f"the target changed and is gone: {self._why}")
        if isinstance(self._target.ref, InstanceIdRef):  # such a reference never comes back
            message = f"`{self._target.ref.value}` is no longer on the page; look again and use what is there"
            return self._fail(event.at, "stale_target", message)
        return self._wait_for(event.at, "RESOLVING_TARGET", found.reason)

    def _chosen(self, at: Instant, found: Resolved) -> list[Command]:
        self.resolved = found
        candidate = found.winner.candidate
        if candidate.by == "runtimeHint" and isinstance(self._target.ref, InstanceIdRef):
            self._re_resolved = True  # the node was made anew: this was the one time (ACT-8.3)
            self.account.note("resolved again: the page made it anew")
        own = set(self.primitive.affordances) & set(candidate.element.affordances)
        if candidate.opaque is not None and self.primitive.checks in ("pointer", "text") and not own:
            # the frame or host can be seen, but what would be done to it happens inside (ACT-13.2)
            return self._failed(at, opaque(candidate.opaque))
        return self._move("CHECKING_PRECONDITIONS", Probe(candidate.element.instance_id))

    # -- waiting for what may still come (ACT-13.1) ---------------------------------------------------------

    def _wait_for(self, at: Instant, back: RuntimeState, why: str) -> list[Command]:
        self._why = why
        if at.mono < self._ready_by:
            self._resume_to = back
            return self._move("RECOVERING", *self._wake_by(min(self._ready_by, at.mono + LOOK_S)), note=why)
        if back == "RESOLVING_TARGET":
            message = f"{why}; look at the page again, or give it more time"
            return self._fail(at, "target_not_found", message, {"reason": "timeout"})
        return self._fail(at, "target_not_interactable", f"the target cannot be acted on: {why}")

    def _look_again(self, event: when.PageChanged | when.Woke) -> list[Command]:
        if event.at.mono >= self._deadline:
            return self._timed_out(event.at)
        assert self._resume_to is not None
        back, self._resume_to = self._resume_to, None
        ask = self._find() if back == "RESOLVING_TARGET" else Probe(self.element.instance_id)
        return self._move(back, ask)

    # -- check, policy, person ------------------------------------------------------------------------------

    def _probed(self, event: when.Probed) -> list[Command]:
        assert self.resolved is not None
        candidate = self.resolved.winner.candidate
        self.account.box = event.sighting.bbox
        match check(self.primitive.checks, event.sighting, candidate.terms):
            case Ready():
                return self._permitted(event.at)
            case StaleTarget(why=why):
                return self._stale(event.at, why)
            case OutOfView() if "scrolled" not in self.account.notes:
                self.account.note("scrolled")
                return [do.ScrollTo(candidate.element.instance_id)]
            case OutOfView(why=why) | NotReadyYet(why=why):
                return self._wait_for(event.at, "CHECKING_PRECONDITIONS", why)
            case NeverReady(why=why):
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
        again = self._find(anew=True)
        if self.state == "EXECUTING":
            return self._move("RESOLVING_TARGET", again, note=why)
        self._move("RECOVERING", note=why)
        return [self._progress(why), *self._move("RESOLVING_TARGET", again)]

    # -- policy and person (see `permission`) ---------------------------------------------------------------

    def _permitted(self, at: Instant) -> list[Command]:
        vouched = self.resolved is not None and self.resolved.winner.candidate.vouched
        matter = PermissionRequest(
            primitive=self.primitive,
            args=self.args,
            resolved=self.resolved,
            declared=self.primitive.risk,
            trusted_risk=vouched,
            box=self.account.box,
        )
        answer = self.permission.decide(matter, at)
        ruling, decision = self.permission.ruling, self.permission.decision
        assert ruling is not None and decision is not None
        self.account.metadata["policy"] = decision_metadata(ruling)
        by = answer.by if isinstance(answer, Proceed) else None
        return [do.Attest(decision, by), *self._according_to(answer, at)]

    def _according_to(self, answer: Answer, at: Instant) -> list[Command]:
        match answer:
            case Ask(payload=payload, timeout_s=limit):
                self._waiting_since, self._asked_until = at.mono, at.mono + limit
                asked = Emit("action.confirmation.request", payload)
                return self._move("AWAITING_CONFIRMATION", asked, *self._wake_by(self._asked_until))
            case HandOver(spec=spec):
                return self._hand_off(at, spec)
            case Refuse(message=message, detail=detail):
                return self._fail(at, "action_unsupported", message, detail)
            case Proceed(by=by):
                if by is not None:
                    self.account.metadata["confirmedBy"] = by
                return self._choose_mode(at)

    def _confirmed(self, event: when.Granted) -> list[Command]:
        """Granted, but the page went on meanwhile: look at the target again before anything is done."""
        if event.at.mono >= self._asked_until or not self.permission.grant(event.by, event.bond):
            return []  # it was given for something else, or too late
        self._end_wait(event.at)
        self._ready_by = event.at.mono + PRECONDITION_S
        moved = self._move("CHECKING_PRECONDITIONS", *self._wake_by(self._deadline))
        if self.target is None:
            return moved + self._permitted(event.at)
        return [*moved, Probe(self.target.instance_id)]

    def _denied(self, event: when.Denied) -> list[Command]:
        return self._cancel_with(event.at, "confirmation_denied", event.reason or "the person said no")

    def _unanswered(self, event: when.Woke) -> list[Command]:
        if event.at.mono < self._asked_until:
            return []
        return self._cancel_with(
            event.at, "confirmation_denied", "nobody answered in time", {"reason": "timeout"}
        )

    # -- execute --------------------------------------------------------------------------------------------

    def _choose_mode(self, at: Instant) -> list[Command]:
        reasons = self._next_mode()
        if self.mode is None:
            return self._fail(at, "execution_mode_unavailable", f"no permitted way to do it: {reasons}")
        self.verification = Verification(self._expected())
        self._plan(self.mode)
        return self._move("EXECUTING", do.TakeLane())

    def _next_mode(self) -> str:
        """The first permitted mode that was not tried yet, or none; and why."""
        able = self.terms.abilities
        able = msgspec.structs.replace(able, modes=self.permission.limited(able.modes))
        gated = script_gate(self.target, self.permission.appraisal)
        painted = self.resolved is not None and self.resolved.winner.candidate.seen is not None
        choice = choose_mode(
            self.primitive, able, self._asked_modes or None, tuple(self._tried), gated, painted=painted
        )
        self.account.metadata["modeReasons"] = list(choice.reasons)
        self.mode = choice.mode
        return "; ".join(choice.reasons)

    def _other_way(self, why: str) -> list[Command] | None:
        """Refused before dispatch, or an idempotent gesture that read back no effect: the next mode (HOUSE §3)."""
        tried = self.mode
        self._tried += [tried] if tried is not None else []
        self._next_mode()
        mode, self.mode = self.mode, self.mode or tried
        if mode is None:
            return None
        self.account.note(f"{tried} did not do it: {why}")
        self._plan(mode)
        return self._act()

    def _plan(self, mode: ExecutionMode) -> None:
        terms = guard_of(self.resolved.winner.candidate) if self.resolved is not None else None
        plan = self.primitive.plan(mode, terms, self.target, self.args)
        seen = self.resolved.winner.candidate.seen if self.resolved is not None else None
        self.execution = Execution(
            tuple(plan) if seen is None else tuple(aim_at(op, seen.spot) for op in plan)
        )

    def _in_lane(self, _event: when.LaneTaken) -> list[Command]:
        if self.target is not None and self.execution.reads_only and self.handoff is None:
            return [do.ReadOut(self.element.instance_id, str(self.args.get("what", "state")))]
        return [do.Watch(self.expectation.signals, self.target.instance_id if self.target else None)]

    def _read(self, event: when.Read) -> list[Command]:
        return self._succeed(event.at, "none", return_value=event.value)

    def _watching(self, event: when.Watching) -> list[Command]:
        if event.revision:
            self.account.metadata["baseRevision"] = event.revision
        held = [s.kind for s, v in zip(self.expectation.signals, event.verdicts, strict=True) if v.already]
        if held:
            self.account.metadata["alreadyTrue"] = held
        if self.handoff is not None:
            return []
        self.verification.focus = event.focus
        if self.verification.baseline(event.verdicts, self.target):
            return self._succeed(event.at, "none", outcome_word="no_op")
        if self.execution.reads_only:
            self.execution.begin()
            return [do.Go(str(self.args["url"]))]
        idempotent = self.primitive.idempotency(self.args) == "idempotent"
        return self._act() if idempotent else [do.Record()]

    def _act(self) -> list[Command]:
        return [do.Perform(self.execution.next())]

    def _recorded(self, _event: when.Recorded) -> list[Command]:
        return self._act()

    def _not_recorded(self, event: when.NotRecorded) -> list[Command]:
        message = f"the intent could not be written down, so nothing was done: {event.reason}"
        return self._fail(event.at, "internal_runtime_error", message, {"reason": "store_failed"})

    def _refused(self, event: when.Refused) -> list[Command]:
        consequence = self.execution.refused(event, event.at.mono < self._ready_by)
        match consequence:
            case Failure():
                return self._failed(event.at, consequence)
            case TryOtherMode(why=why):
                return self._other_way(why) or self._fail(
                    event.at, "execution_mode_unavailable", why, {"refusal": event.reason}
                )
            case ResolveAgain(kind="stale", why=why):
                return self._stale(event.at, why)
            case ResolveAgain(why=why):
                self._why = why
                self.account.note(f"looked again: {why}")
                return self._move("RESOLVING_TARGET", self._find(anew=True), note=why)

    def _dispatched(self, event: when.Dispatched) -> list[Command]:
        more = self.execution.sent(event)
        if event.interrupted_by == "dialog":
            return self._asked_by_page(event)
        if event.detail and event.interrupted_by is None:
            return self._read_back(event, more)
        return self._act() if more else self._verify(event.at)

    def _read_back(self, event: when.Dispatched, more: bool) -> list[Command]:
        """The gesture says itself what came of it. A good word is still verified, a bad one ends it."""
        self.verification.told = event.detail
        if "returned" in event.detail:  # a function came back; what it says of itself proves nothing
            return self._verify(event.at)
        self.account.metadata["gesture"] = event.detail
        held, why = event.detail.get("held"), str(event.detail.get("why", "it was not there afterwards"))
        if held is not False:
            if more:  # a good word for this step is none for those that follow
                return self._act()
            if event.detail.get("already") is True and not self.expectation.needs_new:
                return self._succeed(event.at, "none", outcome_word="no_op")
            return self._verify(event.at)
        if event.detail.get("activation"):  # ACT-14: only a person's own hand opens what the page asked for
            return self._fail(
                event.at, "user_activation_required", why, {"reason": "untrusted"}, effect="unknown"
            )
        idempotent = self.primitive.idempotency(self.args) == "idempotent"
        if idempotent and not event.detail.get("final") and (again := self._other_way(why)) is not None:
            return again
        message = f"it was done, but the effect was not observed: {why}"
        effect: SideEffectState = (
            "none" if self.primitive.effect(self.target, self.args) == "none" else "unknown"
        )
        return self._fail(event.at, "verification_failed", message, effect=effect)

    def _lost(self, event: when.Lost) -> list[Command]:
        message = f"nobody knows whether it happened: {event.detail or event.cause}"
        return self._fail(
            event.at, "internal_runtime_error", message, {"cause": event.cause}, effect="unknown"
        )


ANSWERED_BY: Mapping[type[Command], tuple[type[when.Event], ...]] = MappingProxyType(
    {
        Find: (when.Found,),
        Probe: (when.Probed,),
        do.ScrollTo: (when.Probed,),
        do.TakeLane: (when.LaneTaken,),
        do.Watch: (when.Watching,),
        do.Record: (when.Recorded, when.NotRecorded),
        do.ReadOut: (when.Read,),
        do.Perform: (when.Refused, when.Dispatched, when.Lost),
        do.Go: (when.Refused, when.Dispatched, when.Lost),
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
            ("WAITING_FOR_USER", when.LaneTaken): Action._in_lane,
            ("WAITING_FOR_USER", when.Watching): Action._watching,
            ("WAITING_FOR_USER", when.Observed): Action._person_seen,
            ("WAITING_FOR_USER", when.HandedBack): Action._handed_back,
            ("WAITING_FOR_USER", when.Woke): Action._nobody_came,
            ("VERIFYING", when.Observed): Action._observed,
            ("VERIFYING", when.Probed): Action._seen,
            ("VERIFYING", when.Woke): Action._look_or_give_up,
            **{(state, when.Cancelled): Action._cancelled for state in _OPEN},
            **{(state, when.PageLost): Action._page_lost for state in _OPEN},
        }
    )
)
