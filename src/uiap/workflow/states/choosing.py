"""CHOOSING: in front of a step. Messages come first, then its modes and conditions, then the step itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.capability import SuccessSignal
from uiap.spec.workflow import ActionStep, EnsureStep, WorkflowCheckpoint
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.states import (
    acting,
    branching,
    collecting,
    completing,
    ensuring,
    handing_off,
    instructing,
    reopening,
)
from uiap.workflow.transitions import fail_run, judge, move, step_skipped
from uiap.workflow.values import filled_signals, filled_step

MAX_STEPS = 1000
"""A run ends with a failure after this many steps. Only a cycle in the definition needs more."""
RECHECK_MS = 5000.0

Begin: TypeAlias = Callable[[WorkflowRun, Any, Instant], list[Command]]
BEGIN: Mapping[str, Begin] = MappingProxyType(
    {
        "instruction": instructing.begin,
        "collect": collecting.begin,
        "action": acting.begin,
        "ensure": ensuring.begin,
        "branch": branching.begin,
        "handoff": handing_off.begin,
        "complete": completing.begin,
    }
)
"""The seven step types. Each function makes one move."""


def step_reached(run: WorkflowRun, event: when.StepReached) -> list[Command]:
    """Look for messages first, so that a pause or a cancellation takes effect between two steps."""
    run.step = filled_step(run.steps[event.step_id], run.parameters)
    run.steps_reached += 1
    if run.steps_reached > MAX_STEPS:
        message = f"the run did not end within {MAX_STEPS} steps; the definition has a cycle without an end"
        return fail_run(run, event.at, "step_failed", message)
    timeout_ms = run.terms.definition.timeout_ms
    if timeout_ms is not UNSET and run.working_ms > timeout_ms:
        message = f"the run took longer than its timeout of {timeout_ms:g} ms"
        return fail_run(run, event.at, "step_failed", message)
    if run.pause_requested:
        run.pause_requested = False
        return move(run, "PAUSED", do.AwaitMessages())
    return [do.CheckMessages()]


def checked(run: WorkflowRun, event: when.Checked) -> list[Command]:
    if run.page_lost:
        return reopening.reopen(run)
    run.page_url = event.url or run.page_url
    if not run.drafts:
        run.draft_url = run.page_url
    moved = run.resumed and run.checkpoint.route_id is not UNSET and run.checkpoint.route_id != event.route
    run.resumed = False
    if moved and isinstance(run.current, ActionStep):
        return _recheck(run, event)
    run.checkpoint = WorkflowCheckpoint(route_id=event.route or UNSET, revision=event.revision or UNSET)
    return _consider(run, event.at)


def _recheck(run: WorkflowRun, event: when.Checked) -> list[Command]:
    """The page moved while the run was paused: what the steps before proved must still hold."""
    signals = _proved_before(run)
    if not signals:
        return fail_run(run, event.at, "step_failed", _moved(run, event.route))
    note = f"the page is at `{event.route}` now; checking it again"
    return move(
        run, "RECHECKING", do.Observe(signals=signals, policy="all", timeout_ms=RECHECK_MS), note=note
    )


def _moved(run: WorkflowRun, route: str) -> str:
    return (
        f"the page was at `{run.checkpoint.route_id}` and is at `{route}` now; "
        "go back there, then start the workflow again"
    )


def _proved_before(run: WorkflowRun) -> tuple[SuccessSignal, ...]:
    """Return the signals of the last `ensure` step that passed before the current step."""
    done = [run.steps[id] for id, result in run.results.items() if result.status == "succeeded"]
    ensured = [step for step in done if isinstance(step, EnsureStep)]
    return filled_signals(ensured[-1].signals, run.parameters) if ensured else ()


def rechecked(run: WorkflowRun, event: when.Observed) -> list[Command]:
    if not event.passed:
        return fail_run(run, event.at, "step_failed", _moved(run, "another route"))
    run.checkpoint = WorkflowCheckpoint()
    return [*move(run, "CHOOSING"), *_consider(run, event.at)]


def _consider(run: WorkflowRun, at: Instant) -> list[Command]:
    """Skip the step if it is not for this mode; judge its conditions if it has some; else begin it."""
    step = run.current
    if step.modes is not UNSET and run.terms.mode not in step.modes:
        return step_skipped(run, at, f"`{step.id}` is not for mode {run.terms.mode}")
    if step.when:
        return [judge(run, (tuple(step.when),))]
    return BEGIN[step.type](run, step, at)


def judged(run: WorkflowRun, event: when.Judged) -> list[Command]:
    if not event.holds[0]:
        return step_skipped(run, event.at, f"the conditions of `{run.current.id}` do not hold")
    return BEGIN[run.current.type](run, run.current, event.at)
