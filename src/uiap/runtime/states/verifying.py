"""VERIFYING: the input was dispatched; observe the page until its effect is proved, contradicted or out of time."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.judgement.contradiction import Contradicted
from uiap.runtime.judgement.verification import (
    POLL_S,
    Finding,
    GaveUp,
    NotYet,
    ReadPage,
    Verified,
)
from uiap.runtime.outcome import Failure
from uiap.runtime.transitions import fail, fail_with, move, succeed, wake_at
from uiap.spec.action import SideEffectState


def begin_verifying(action: Action, at: Instant) -> list[Command]:
    """Enter VERIFYING. Where a read is slow, its time does not count against the verification timeout."""
    read_cost_s = action.terms.abilities.read_cost_s
    action.verification.until = min(action.deadline, at.mono + action.expectation.timeout_s + 2 * read_cost_s)
    read = _read_page(action, quick=read_cost_s == 0)
    return move(action, "VERIFYING", *read, *wake_at(action, action.verification.until))


def _read_page(action: Action, *, quick: bool = False) -> list[Command]:
    """Probe or observe. Only one observation is under way at a time."""
    if action.verification.needs_probe:
        return [do.Probe(action.element.instance_id)]
    if action.observing:
        return []
    action.observing = True
    return [do.Observe(quick, ahead=action.verification.asks_ahead and not quick)]


def probed(action: Action, event: when.Probed) -> list[Command]:
    return _follow(action, event.at, action.verification.probed(event.facts, event.at.mono))


def observed(action: Action, event: when.Observed) -> list[Command]:
    action.observing = action.observing and not (event.complete or event.quick)
    return _follow(action, event.at, action.verification.observed(event))


def _follow(action: Action, at: Instant, finding: Finding) -> list[Command]:
    verification, read_cost_s = action.verification, action.terms.abilities.read_cost_s
    if verification.met:
        action.result.effect_seen(at.mono)
    match finding:
        case Verified(evidence=evidence):
            return verified(action, at, evidence)
        case Contradicted(message=message, detail=detail):
            return fail(action, at, "verification_failed", message, detail, effect="unknown")
        case GaveUp():
            return _give_up(action, at)
        case NotYet(observe_at=float(mono)):
            return wake_at(action, min(verification.until, mono))
        case ReadPage(quick=quick):
            return _read_page(action, quick=quick)
        case NotYet() if read_cost_s > 0:  # this driver pushes no changes, so the page is polled
            return wake_at(action, min(verification.until, at.mono + max(POLL_S, read_cost_s)))
    return []


def verified(action: Action, at: Instant, evidence: str) -> list[Command]:
    metadata, report = action.result.metadata, action.verification.report
    confirmed = action.execution.confirmed_by_page
    metadata["evidence"] = "the page confirmed what it holds" if confirmed else evidence
    if action.handoff is not None and action.handoff.needs_report:
        metadata["evidence"] = "the person reported that it is done"
    if pending := action.verification.pending:
        metadata["settled"], metadata["pending"] = False, pending
        if action.permission.must_settle:
            message = f"a rule demands a settled end, and this has not ended: {', '.join(pending)}"
            return fail(action, at, "verification_failed", message, {"reason": "unsettled"}, effect="unknown")
    if action.verification.notes:
        metadata["notes"] = list(action.verification.notes)
    if report is not None:
        metadata.update(report.outside)
    if report is not None and report.attribution is not None:
        causal = action.terms.abilities.attribution == "causal"
        metadata["attribution"] = report.attribution if causal else "coincident"
    touched = action.primitive.effect(action.target, action.args) != "none"
    returned = action.verification.gesture_report.get("returned", UNSET)
    return succeed(action, at, "applied" if touched else "none", return_value=returned)


def woke(action: Action, event: when.Woke) -> list[Command]:
    """Read the page again, or fail if the verification timeout is over."""
    verification, at = action.verification, event.at
    if at.mono < verification.until:
        read = _read_page(action, quick=verification.read_completely)
        return [*read, *wake_at(action, min(verification.until, at.mono + POLL_S))]
    if (last := verification.at_timeout()) is not None:
        return verified(action, at, last.evidence)
    return _give_up(action, at)


def _give_up(action: Action, at: Instant) -> list[Command]:
    """Fail because the effect was not observed."""
    verification = action.verification
    if action.handoff is not None:
        return fail_with(action, at, not_handed_back(action, "timeout"))
    # an unchanged page proves nothing about a server, so only drafts in the page report `none`
    draft = action.primitive.effect(action.target, action.args) in ("draft", "none", "ui_state")
    effect: SideEffectState = "none" if draft and verification.had_no_effect else "unknown"
    message = f"it was done, but the effect was not observed: {verification.why or 'nothing changed'}"
    return fail(action, at, "verification_failed", message, effect=effect)


def not_handed_back(action: Action, reason: str) -> Failure:
    note = action.result.metadata["handoff"]
    message = f"the step was left to a person, and its effect was not observed: {note}"
    return Failure("user_activation_required", message, "unknown", {"reason": reason})
