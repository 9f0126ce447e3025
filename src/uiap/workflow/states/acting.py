"""The states of an `action` step: GUIDING, CONFIRMING, RECORDING_INTENT, ACTING and REVERIFYING (WF-4, WF-11).

An action that must not happen twice is dispatched only after its intent is durable. If its result is lost, or it
failed after dispatch, its effect is verified again. If the page does not prove it, a person is asked.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from uiap.instant import Instant
from uiap.spec.action import ActionRequestPayload, ActionTarget
from uiap.spec.capability import StableIdRef, SuccessSignal
from uiap.spec.policy import HandoffSpec
from uiap.spec.workflow import ActionStep
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.states.ensuring import ENSURE_MS
from uiap.workflow.states.repairing import NOT_FOUND, target_lost
from uiap.workflow.texts import plain_text
from uiap.workflow.transitions import (
    fail_step,
    hand_off,
    may_have_happened,
    move,
    proof_of,
    reach,
    record_result,
    step_done,
    traits_of,
)
from uiap.workflow.values import EXPECTED_MESSAGES, MissingValue, expected_messages, shown_text, step_args


def begin(run: WorkflowRun, step: ActionStep, at: Instant) -> list[Command]:
    if run.terms.mode == "guide":
        return _guide(run, step)
    if step.id in run.unresolved:
        return reverify(run, at)
    try:
        request = _request(run, step)
    except MissingValue as error:
        return fail_step(run, at, f"`{step.id}` cannot be done: {error}", "invalid_parameter")
    if run.terms.mode == "assist" and not run.confirmed and traits_of(run, step).needs_act:
        return move(run, "CONFIRMING", do.AskConfirmation(step_id=step.id, summary=_summary(run, step)))
    return _dispatch(run, step, request)


def _request(run: WorkflowRun, step: ActionStep) -> ActionRequestPayload:
    args = step_args(step, run.parameters, run.results)
    return ActionRequestPayload(
        action_id=step.action_id,
        target=_target(run, step),
        args=args or UNSET,
        preferred_execution_modes=step.preferred_execution_modes,
        verification=step.verification,
        presentation=step.presentation,
        timeout_ms=step.timeout_ms,
        metadata=_metadata(run, step),
    )


def _metadata(run: WorkflowRun, step: ActionStep) -> dict[str, Any]:
    named: dict[str, Any] = {"workflowId": run.terms.definition.id, "stepId": step.id}
    messages = expected_messages(step, run.parameters)
    return {**named, EXPECTED_MESSAGES: messages} if messages else named


def _target(run: WorkflowRun, step: ActionStep) -> ActionTarget | UnsetType:
    if step.id in run.repairs:
        return ActionTarget(ref=StableIdRef(value=run.repairs[step.id].id))
    return UNSET if step.target is UNSET else ActionTarget(ref=step.target)


def _summary(run: WorkflowRun, step: ActionStep) -> str:
    """Return what a person confirms."""
    title = shown_text(plain_text(step.title) or plain_text(step.text), run.parameters)
    return title or f"{step.action_id} in step `{step.id}`"


def _dispatch(run: WorkflowRun, step: ActionStep, request: ActionRequestPayload) -> list[Command]:
    """Record the intent first if the action must not happen twice."""
    run.dispatches += 1
    key = f"{run.terms.instance_id}:{step.id}:{run.dispatches}"
    if traits_of(run, step).idempotent:
        return move(run, "ACTING", _act(run, step, key, request, once=False))
    return move(run, "RECORDING_INTENT", do.RecordIntent(key=key, signals=proof_of(run, step)))


def _act(
    run: WorkflowRun, step: ActionStep, key: str, request: ActionRequestPayload, *, once: bool
) -> do.Act:
    confirmed = run.asked_summary if run.confirmed else ""
    by = run.confirmed_by if confirmed else ""
    return do.Act(
        step_id=step.id,
        key=key,
        request=request,
        once=once,
        confirmed=confirmed,
        confirmed_by=by,
        repairs=tuple(run.repairs.values()),
    )


# -- a person confirms --------------------------------------------------------------------------------------


def granted(run: WorkflowRun, event: when.Granted) -> list[Command]:
    step = run.current
    assert isinstance(step, ActionStep)
    run.confirmed_step, run.confirmed_by = step.id, event.by
    if run.page_lost:  # the step in front of it opens the page again
        return reach(run, event.at, step.id)
    return begin(run, step, event.at)


def denied(run: WorkflowRun, event: when.Denied) -> list[Command]:
    """A person declined the action: nothing happens until somebody resumes or cancels the run."""
    note = event.reason or f"`{run.current.id}` was not confirmed"
    return move(run, "PAUSED", do.AwaitMessages(), note=note)


# -- dispatch -----------------------------------------------------------------------------------------------


def intent_recorded(run: WorkflowRun, event: when.IntentRecorded) -> list[Command]:
    step = run.current
    assert isinstance(step, ActionStep)
    key = f"{run.terms.instance_id}:{step.id}:{run.dispatches}"
    run.unresolved[step.id] = event.held  # until its result is known
    return move(run, "ACTING", _act(run, step, key, _request(run, step), once=True))


def intent_not_recorded(run: WorkflowRun, event: when.IntentNotRecorded) -> list[Command]:
    message = f"the intent of `{run.current.id}` could not be stored, so nothing was done: {event.reason}"
    return fail_step(run, event.at, message)


def action_ended(run: WorkflowRun, event: when.ActionEnded) -> list[Command]:
    run.handle = event.handle
    run.page_url = event.url or run.page_url
    if event.status == "succeeded":
        return step_done(run, event.at, event.return_value)
    if event.side_effect == "none":
        run.unresolved.pop(run.current.id, None)
    else:
        may_have_happened(run, event.side_effect)
    if event.status == "cancelled":
        return move(run, "PAUSED", do.AwaitMessages(), note=event.message or "the action was cancelled")
    if event.code in NOT_FOUND and event.side_effect == "none":
        return target_lost(run, event.at, event.message or event.code)
    if event.code == "unsafe_retry_refused":  # the ledger knows an earlier attempt
        return reverify(run, event.at)
    message = f"`{run.current.id}` failed: {event.message or event.code}"
    if event.late and _signals_left(run):  # a slow page: look for the proof once more, and repeat nothing
        run.late = message
        return reverify(run, event.at)
    return fail_step(run, event.at, message)


def confirmation_needed(run: WorkflowRun, event: when.ConfirmationNeeded) -> list[Command]:
    """Ask a person, who may answer days later and after a restart. Nothing was dispatched."""
    run.unresolved.pop(run.current.id, None)
    run.confirmed_step, run.asked_summary = "", event.summary
    command = do.AskConfirmation(step_id=run.current.id, summary=event.summary)
    return move(run, "CONFIRMING", command, note=event.summary)


# -- an outcome that is not known ---------------------------------------------------------------------------


def outcome_unknown(run: WorkflowRun, event: when.OutcomeUnknown) -> list[Command]:
    run.unresolved[run.current.id], run.late = event.held, ""
    run.note = event.message
    return reverify(run, event.at)


def reverify(run: WorkflowRun, _at: Instant) -> list[Command]:
    """Look for the effect on the page. Signals that held before the dispatch prove nothing."""
    signals = _signals_left(run)
    if not signals:
        return ask_person(run)
    return move(run, "REVERIFYING", do.Observe(signals=signals, policy="all", timeout_ms=ENSURE_MS))


def _signals_left(run: WorkflowRun) -> tuple[SuccessSignal, ...]:
    """Return the signals that prove the current action and did not hold before it."""
    step = run.current
    assert isinstance(step, ActionStep)
    held = run.unresolved.get(step.id, ())
    return tuple(one for index, one in enumerate(proof_of(run, step)) if index not in held)


def reverified(run: WorkflowRun, event: when.Observed) -> list[Command]:
    late, run.late = run.late, ""
    if event.passed:
        return step_done(run, event.at)
    return fail_step(run, event.at, late) if late else ask_person(run)


def ask_person(run: WorkflowRun) -> list[Command]:
    message = (
        f"it is not known whether `{run.current.id}` happened; look in the application, "
        "then report whether it is done"
    )
    record_result(run, "failed")
    return hand_off(run, HandoffSpec(reason="ambiguity"), message)


# -- guide mode: a person acts ------------------------------------------------------------------------------


def _guide(run: WorkflowRun, step: ActionStep) -> list[Command]:
    text = shown_text(plain_text(step.text) or plain_text(step.title), run.parameters)
    command = do.Guide(
        step_id=step.id,
        text=text or f"please do: {step.action_id}",
        target=None if step.target is UNSET else step.target,
        signals=proof_of(run, step),
        timeout_ms=None if step.timeout_ms is UNSET else step.timeout_ms,
    )
    return move(run, "GUIDING", command, note=command.text)


def guided(run: WorkflowRun, event: when.Observed) -> list[Command]:
    return step_done(run, event.at) if event.passed else []


def person_done(run: WorkflowRun, event: when.HandedBack) -> list[Command]:
    """Check the success signals after the person's report (WF-11)."""
    step = run.current
    assert isinstance(step, ActionStep)
    if not event.done:
        return fail_step(run, event.at, f"the person did not complete `{step.id}`")
    signals = proof_of(run, step)
    if not signals:
        return step_done(run, event.at)
    return move(run, "CHECKING_GUIDED", do.Observe(signals=signals, policy="all", timeout_ms=ENSURE_MS))


def guide_checked(run: WorkflowRun, event: when.Observed) -> list[Command]:
    if event.passed:
        return step_done(run, event.at)
    return fail_step(run, event.at, f"the effect of `{run.current.id}` was not observed")


def woke(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return fail_step(run, event.at, f"nobody answered for `{run.current.id}` in time")
