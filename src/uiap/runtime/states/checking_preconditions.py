"""CHECKING_PRECONDITIONS: is the target ready, does policy allow the action, and how is it carried out?"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.check import NeverReady, NotReadyYet, OutOfView, Ready, StaleTarget, StillBusy, check
from uiap.runtime.commands import Command
from uiap.runtime.execution import Execution, aim_at, guard_of
from uiap.runtime.expectation import Expectation, expect
from uiap.runtime.judgement.verification import Verification
from uiap.runtime.modes import choose_mode, script_gate
from uiap.runtime.permission import (
    Answer,
    Ask,
    HandOver,
    PermissionRequest,
    Proceed,
    Refuse,
    decision_metadata,
)
from uiap.runtime.record import expected_delta
from uiap.runtime.states.waiting_for_user import hand_off
from uiap.runtime.transitions import fail, move, wait_for, wake_at
from uiap.spec.capability import ExecutionMode

# -- is the target ready? -----------------------------------------------------------------------------------


def probed(action: Action, event: when.Probed) -> list[Command]:
    assert action.resolved is not None
    candidate = action.resolved.winner.candidate
    action.result.box = event.facts.bbox
    if event.around is not None:
        action.resolved = action.resolved.in_surroundings(event.around)
    match check(action.primitive.checks, event.facts, candidate.terms):
        case Ready():
            return [do.Raise(when.ChecksPassed(at=event.at))]
        case StaleTarget(why=why):
            return stale(action, event.at, why)
        case OutOfView() if "scrolled" not in action.result.notes:
            action.result.note("scrolled")
            return [do.ScrollTo(candidate.element.instance_id)]
        case OutOfView(why=why) | NotReadyYet(why=why):
            return wait_for(action, event.at, "CHECKING_PRECONDITIONS", why)
        case StillBusy(why=why) if event.at.mono < action.ready_by:
            action.result.note("waited while it was busy")
            return wait_for(action, event.at, "CHECKING_PRECONDITIONS", why)
        case StillBusy():
            return [do.Raise(when.ChecksPassed(at=event.at))]
        case NeverReady(why=why):
            return fail(action, event.at, "target_not_interactable", f"the target cannot be acted on: {why}")


def stale(action: Action, at: Instant, why: str) -> list[Command]:
    """Resolve the target once more, exactly once (ACT-8.3)."""
    if not may_resolve_again(action, why):
        return fail(action, at, "stale_target", f"the target changed again: {why}")
    detail = {"recovery": "resolve_again", "failedCheck": why}
    return move(action, "RECOVERING", do.Raise(when.TargetStale(at=at)), note=why, detail=detail)


def may_resolve_again(action: Action, why: str) -> bool:
    """Return whether this is the first time the target is stale, and remember that it was."""
    action.waiting_for = why
    if action.re_resolved:
        return False
    action.re_resolved = True
    action.result.note(f"resolved again: {why}")
    return True


# -- does policy allow it? ----------------------------------------------------------------------------------


def checks_passed(action: Action, event: when.ChecksPassed) -> list[Command]:
    """Ask policy about the action on this element, record its decision, and follow it."""
    permission = action.permission
    answer = permission.decide(_permission_request(action), event.at)
    assert permission.ruling is not None and permission.decision is not None
    action.result.metadata["policy"] = decision_metadata(permission.ruling)
    record = do.RecordDecision(
        permission.decision,
        answer.by if isinstance(answer, Proceed) else None,
        tuple(sorted(permission.appraisal.data_classes)),
        permission.ruling.decided_by,
    )
    return [record, *_follow(action, answer, event.at)]


def _permission_request(action: Action) -> PermissionRequest:
    resolved = action.resolved
    return PermissionRequest(
        primitive=action.primitive,
        args=action.args,
        resolved=resolved,
        declared=action.primitive.risk,
        trusted_risk=resolved is not None and resolved.winner.candidate.vouched,
        box=action.result.box,
        origins=action.terms.origins,
    )


def _follow(action: Action, answer: Answer, at: Instant) -> list[Command]:
    match answer:
        case Ask() as asked:
            action.waiting_since, action.confirm_by = at.mono, at.mono + asked.timeout_s
            ask = do.AskPerson(asked.payload, asked.terms, asked.remember, asked.fields, asked.kind)
            detail = {"waitsFor": "confirmation", "timeoutMs": round(asked.timeout_s * 1000)}
            wake = wake_at(action, action.confirm_by)
            return move(action, "AWAITING_CONFIRMATION", ask, *wake, detail=detail)
        case HandOver(spec=spec):
            return hand_off(action, at, spec, expected(action))
        case Refuse(message=message, detail=detail):
            return fail(action, at, "action_unsupported", message, detail)
        case Proceed(by=by):
            if by is not None:
                action.result.metadata["confirmedBy"] = by
            return _begin_execution(action, at)


# -- how is it carried out? ---------------------------------------------------------------------------------


def _begin_execution(action: Action, at: Instant) -> list[Command]:
    reasons = choose_next_mode(action)
    if action.mode is None:
        return fail(action, at, "execution_mode_unavailable", f"no permitted way to do it: {reasons}")
    action.verification = Verification(expected(action))
    plan_gestures(action, action.mode)
    delta = action.result.metadata["expectedDelta"] = expected_delta(action.expectation)
    return move(action, "EXECUTING", do.TakeLane(), detail={"expectedDelta": delta})


def expected(action: Action) -> Expectation:
    """Return what must be observed: what the request asks, but not less than policy demands."""
    spec = action.terms.request.verification
    demanded = action.permission.demanded(None if spec is UNSET else spec)
    causal = action.terms.abilities.attribution == "causal"
    wanted = expect(demanded, action.primitive, action.target, action.args, causal=causal)
    wanted = msgspec.structs.replace(wanted, messages=_expected_messages(action))
    return msgspec.structs.replace(wanted, deferred=True) if _settles_later(action, wanted) else wanted


def _expected_messages(action: Action) -> tuple[str, ...]:
    """Return the messages that a workflow recorded beside the success of this step."""
    metadata = action.terms.request.metadata
    given = () if metadata is UNSET else metadata.get("expectedMessages", ())
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list | tuple) else ()


def _settles_later(action: Action, wanted: Expectation) -> bool:
    """Return whether the caller checks a draft again after the drafts that follow it in the same call."""
    metadata = action.terms.request.metadata
    asked = metadata is not UNSET and metadata.get("settle") == "together"
    draft = action.primitive.effect(action.target, action.args) == "draft"
    return asked and draft and action.idempotent and bool(wanted.own) and not wanted.signals


def choose_next_mode(action: Action) -> str:
    """Set `action.mode` to the first permitted mode that was not tried yet, or to None. Return the reasons."""
    abilities = action.terms.abilities
    abilities = msgspec.structs.replace(abilities, modes=action.permission.limited(abilities.modes))
    resolved = action.resolved
    choice = choose_mode(
        action.primitive,
        abilities,
        action.preferred_modes or None,
        tuple(action.modes_tried),
        script_gate(action.target, action.permission.appraisal),
        modes=_ordered(action.primitive.modes_for(action.target, action.args), action.permission.mode_order),
        painted=resolved is not None and resolved.winner.candidate.painted is not None,
    )
    action.result.metadata["modeReasons"] = list(choice.reasons)
    action.mode = choice.mode
    return "; ".join(choice.reasons)


def _ordered(modes: tuple[ExecutionMode, ...], order: tuple[ExecutionMode, ...]) -> tuple[ExecutionMode, ...]:
    """Return the modes of the action in the order of the policy, if it sets one (ACT-7d)."""
    return tuple(sorted(modes, key=order.index)) if order and set(modes) <= set(order) else modes


def plan_gestures(action: Action, mode: ExecutionMode) -> None:
    """Set the plan of gestures for this mode, guarded by the terms the target was resolved with."""
    candidate = None if action.resolved is None else action.resolved.winner.candidate
    guard = None if candidate is None else guard_of(candidate)
    plan = action.primitive.plan(mode, guard, action.target, action.args)
    painted = None if candidate is None else candidate.painted
    action.execution = Execution(
        tuple(plan) if painted is None else tuple(aim_at(op, painted.spot) for op in plan)
    )
