"""SEARCHING_TARGET and AWAITING_REPAIR: the target of a step is not found any more (WF-7).

Nothing was done. The page is searched for the same element in another form, and a person decides about the proposal.
"""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.workflow import ActionStep
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.repair import RepairProposal
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import fail_step, move, policy_of, reach, step_done

NOT_FOUND = frozenset({"target_not_found", "target_ambiguous", "stale_target"})


def target_lost(run: WorkflowRun, at: Instant, message: str) -> list[Command]:
    """Search for the target, unless the failure policy of the definition says what to do."""
    step, policy = run.current, policy_of(run)
    assert isinstance(step, ActionStep)
    decided = any(one is not UNSET for one in (policy.retry, policy.goto, policy.handoff))
    if not run.terms.repairs or decided or step.target is UNSET:
        return fail_step(run, at, f"`{step.id}` failed: {message}")
    run.drift = message
    command = do.ProposeRepair(
        step_id=step.id,
        action_id=step.action_id,
        target=step.target,
        repairs=tuple(run.repairs.values()),
    )
    return move(run, "SEARCHING_TARGET", command, note=f"the target of `{step.id}` is not found any more")


def proposed(run: WorkflowRun, event: when.RepairProposed) -> list[Command]:
    step = run.current
    if event.proposal is None:
        return fail_step(run, event.at, f"`{step.id}` failed: {run.drift}")
    run.proposal = event.proposal
    text = question(step.id, event.proposal)
    command = do.AskRepair(step_id=step.id, text=text, proposal=event.proposal)
    return move(run, "AWAITING_REPAIR", command, note=text)


def question(step_id: str, proposal: RepairProposal) -> str:
    found = proposal.binding
    evidence = "; ".join(proposal.reasons)
    return (
        f"the target of `{step_id}` changed: is it the {found.role} “{found.name or ''}” now? "
        f"score {proposal.score:.2f}: {evidence}"
    )


def accepted(run: WorkflowRun, event: when.RepairAccepted) -> list[Command]:
    """Do the step with the repaired binding. Its target is found, checked and decided about as always."""
    assert run.proposal is not None
    run.repairs[run.current.id] = run.proposal.binding
    run.proposal, run.drift = None, ""
    run.note = f"{event.by or 'a person'} accepted the repair of `{run.current.id}`"
    return reach(run, event.at, run.current.id)


def declined(run: WorkflowRun, event: when.HandedBack) -> list[Command]:
    """A person did the step by hand, or says that the proposal is wrong."""
    run.proposal = None
    if event.done:
        return step_done(run, event.at)
    return fail_step(run, event.at, f"`{run.current.id}` failed: {run.drift}; the repair was declined")


def woke(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return fail_step(run, event.at, f"nobody answered for `{run.current.id}` in time")
