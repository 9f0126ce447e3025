"""Messages that are valid in many states: pause, resume, cancel; and the end of a delay."""

from __future__ import annotations

from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.parameters import problems
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import end, move, reach


def paused(run: WorkflowRun, event: when.Paused) -> list[Command]:
    """Stop at once: nothing is under way."""
    return move(run, "PAUSED", do.AwaitMessages(), note=event.reason or "paused")


def pause_later(run: WorkflowRun, event: when.Paused) -> list[Command]:
    """Stop before the next step: what is under way comes to its end first (WF-6)."""
    run.pause_requested = True
    run.note = event.reason or "pauses before the next step"
    return []


def resumed(run: WorkflowRun, event: when.Resumed) -> list[Command]:
    """Go to the front of the current step again: its conditions and its target are checked once more."""
    wrong = problems(run.terms.definition, event.parameters)
    if wrong:
        return move(run, "PAUSED", do.AwaitMessages(), note="; ".join(wrong))
    run.parameters.update(event.parameters)
    run.resumed, run.pause_requested = True, False
    step_id = run.terms.definition.initial_step_id if run.step is None else run.step.id
    return reach(run, event.at, step_id)


def cancelled(run: WorkflowRun, event: when.Cancelled) -> list[Command]:
    run.note = event.reason or "cancelled"
    return end(run, event.at, "cancelled")


def delay_over(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return reach(run, event.at, run.current.id)
