"""BRANCHING: a `branch` step takes the first branch whose conditions hold."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.workflow import BranchStep
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import fail_step, judge, leave, move, record_result


def begin(run: WorkflowRun, step: BranchStep, _at: Instant) -> list[Command]:
    groups = tuple(tuple(branch.when) for branch in step.branches)
    return move(run, "BRANCHING", judge(run, groups))


def judged(run: WorkflowRun, event: when.Judged) -> list[Command]:
    step = run.current
    assert isinstance(step, BranchStep)
    for branch, holds in zip(step.branches, event.holds, strict=True):
        if holds:
            return _take(run, event, branch.next)
    for fallback in (step.otherwise, step.next):
        if fallback is not UNSET:
            return _take(run, event, fallback)
    return fail_step(run, event.at, f"no branch of `{step.id}` fits", "no_branch")


def _take(run: WorkflowRun, event: when.Judged, step_id: str) -> list[Command]:
    record_result(run, "succeeded")
    return leave(run, event.at, step_id)
