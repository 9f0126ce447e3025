"""Moves that several states share: reach a step, finish it, fail it by its policy, end the run."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.action import ActionStatus, SideEffectState
from uiap.spec.policy import HandoffSpec
from uiap.spec.workflow import (
    ActionStep,
    HandoffStep,
    StepFailurePolicy,
    StepResult,
    WorkflowCondition,
    WorkflowErrorCode,
    WorkflowErrorDescriptor,
    WorkflowResultPayload,
    WorkflowStep,
)
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun, WorkflowState
from uiap.workflow.texts import plain_text
from uiap.workflow.traits import ActionTraits, action_traits
from uiap.workflow.values import MissingValue, shown_text, step_args

REPEATABLE = "repeatable"
"""The member of a step's `metadata` that declares its action repeatable."""

_END_STATES: dict[ActionStatus, WorkflowState] = {
    "succeeded": "SUCCEEDED",
    "failed": "FAILED",
    "cancelled": "CANCELLED",
}


def move(run: WorkflowRun, state: WorkflowState, *commands: Command, note: str = "") -> list[Command]:
    run.state = state
    run.note = note or run.note
    return list(commands)


def judge(run: WorkflowRun, groups: tuple[tuple[WorkflowCondition, ...], ...]) -> Command:
    """Return the command that judges groups of conditions, with the values of this moment."""
    return do.Judge(groups=groups, parameters=dict(run.parameters), results=dict(run.results))


# -- from step to step --------------------------------------------------------------------------------------


def reach(run: WorkflowRun, at: Instant, step_id: str) -> list[Command]:
    """Go to the front of a step. Its own event chooses what happens there."""
    return move(run, "CHOOSING", do.Raise(event=when.StepReached(at=at, step_id=step_id)))


def next_step_id(run: WorkflowRun, step: WorkflowStep) -> str | None:
    """Return `next`, or the following step of the definition; None after the last one."""
    if isinstance(step.next, str):
        return step.next
    ids = [one.id for one in run.terms.definition.steps]
    following = ids.index(step.id) + 1
    return ids[following] if following < len(ids) else None


def record_result(run: WorkflowRun, status: Any, value: dict[str, Any] | None = None) -> None:
    run.results[run.current.id] = StepResult(
        status=status,
        return_value=UNSET if value is None else value,
        action_handle=run.handle or UNSET,
    )
    run.handle = ""


def leave(run: WorkflowRun, at: Instant, step_id: str | None = None) -> list[Command]:
    """Go on behind the current step, to `step_id` or to the next one."""
    run.failures = 0
    if run.confirmed:
        run.confirmed_step = run.asked_summary = ""
    target = step_id or next_step_id(run, run.current)
    if target is None:
        return fail_run(run, at, "step_failed", f"no step follows `{run.current.id}`")
    return reach(run, at, target)


def step_done(run: WorkflowRun, at: Instant, value: dict[str, Any] | None = None) -> list[Command]:
    run.unresolved.pop(run.current.id, None)
    _remember_draft(run)
    record_result(run, "succeeded", value)
    return leave(run, at)


def _remember_draft(run: WorkflowRun) -> None:
    """Keep the repeatable steps that a new page would need again. Another action or a person ends the draft."""
    step = run.current
    if not isinstance(step, ActionStep | HandoffStep):
        return
    run.page_lost, run.reopened = run.page_lost and not run.reopened, False
    if isinstance(step, ActionStep) and run.terms.mode != "guide" and traits_of(run, step).idempotent:
        run.drafts.append(step.id)
    else:
        run.drafts.clear()


def step_skipped(run: WorkflowRun, at: Instant, why: str) -> list[Command]:
    record_result(run, "skipped")
    run.note = why
    return leave(run, at)


# -- failure policies ---------------------------------------------------------------------------------------


def policy_of(run: WorkflowRun) -> StepFailurePolicy:
    """Return the failure policy of the current step, else that of the definition, else abort."""
    for policy in (run.current.on_failure, run.terms.definition.on_failure):
        if isinstance(policy, StepFailurePolicy):
            return policy
    return StepFailurePolicy(abort=True)


def fail_step(
    run: WorkflowRun, at: Instant, message: str, code: WorkflowErrorCode = "step_failed"
) -> list[Command]:
    """Retry, jump, hand off or abort, in this order, as the policy says (WF-5c)."""
    policy = policy_of(run)
    if policy.retry is not UNSET and run.failures < policy.retry.max and _may_retry(run):
        run.failures += 1
        note = f"attempt {run.failures} of `{run.current.id}` failed: {message}"
        delay_ms = policy.retry.delay_ms or 0
        return move(run, "DELAYING", do.Delay(timeout_ms=delay_ms), note=note)
    record_result(run, "failed")
    if isinstance(policy.goto, str):
        run.note = message
        return leave(run, at, policy.goto)
    if isinstance(policy.handoff, HandoffSpec) and run.state != "HANDED_OFF":
        return hand_off(run, policy.handoff, message)
    return fail_run(run, at, code, message)


def _may_retry(run: WorkflowRun) -> bool:
    """An action is not repeated while it may have happened."""
    return run.current.id not in run.unresolved


def hand_off(run: WorkflowRun, spec: HandoffSpec, otherwise: str) -> list[Command]:
    instructions = shown_text(plain_text(spec.instructions, otherwise), run.parameters)
    command = do.HandOff(
        step_id=run.current.id,
        reason=spec.reason,
        instructions=instructions,
        signals=spec.resume_on or (),
        timeout_ms=spec.timeout_ms if spec.timeout_ms is not UNSET else None,
    )
    return move(run, "HANDED_OFF", command, note=instructions)


# -- the action of a step -----------------------------------------------------------------------------------


def traits_of(run: WorkflowRun, step: ActionStep) -> ActionTraits:
    try:
        args = step_args(step, run.parameters, run.results)
    except MissingValue:
        args = {}
    traits = action_traits(step.action_id, args, run.terms.actions)
    return traits._replace(idempotent=traits.idempotent or is_repeatable(step))


def is_repeatable(step: ActionStep) -> bool:
    """Return whether the reviewed definition declares that this step may be done again, such as opening a menu."""
    return step.metadata is not UNSET and step.metadata.get(REPEATABLE) is True


def proof_of(run: WorkflowRun, step: ActionStep) -> tuple[Any, ...]:
    """Return the signals that prove the effect of an action step; empty if none is declared."""
    verification = step.verification
    if verification is not UNSET and verification.signals:
        return tuple(verification.signals)
    return traits_of(run, step).success


def may_have_happened(run: WorkflowRun, effect: SideEffectState, held: tuple[int, ...] = ()) -> None:
    """Remember that the current action step may have happened, so that it is never dispatched again."""
    step = run.current
    if effect != "none" and isinstance(step, ActionStep) and not traits_of(run, step).idempotent:
        run.unresolved.setdefault(step.id, held)


# -- the end ------------------------------------------------------------------------------------------------


def fail_run(run: WorkflowRun, at: Instant, code: str, message: str) -> list[Command]:
    step_id = UNSET if run.step is None else run.step.id
    run.error = WorkflowErrorDescriptor(code=code, message=message, step_id=step_id)
    return end(run, at, "failed")


def end(run: WorkflowRun, at: Instant, status: ActionStatus) -> list[Command]:
    run.updated_at = at.wall
    payload = WorkflowResultPayload(
        instance_id=run.terms.instance_id,
        workflow_id=run.terms.definition.id,
        status=status,
        observed=run.observed or UNSET,
        missing=run.missing or UNSET,
        error=run.error or UNSET,
    )
    note = run.error.message if run.error is not None else ""
    return move(run, _END_STATES[status], do.Finish(payload=payload), note=note)
