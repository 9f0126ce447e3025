"""HANDED_OFF: a person does the step, or says what became of an action whose outcome is not known."""

from __future__ import annotations

from uiap.instant import Instant
from uiap.spec.workflow import HandoffStep
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.texts import plain_text
from uiap.workflow.transitions import fail_step, hand_off, step_done


def begin(run: WorkflowRun, step: HandoffStep, _at: Instant) -> list[Command]:
    return hand_off(run, step.handoff, plain_text(step.text, f"please do the step `{step.id}` yourself"))


def observed(run: WorkflowRun, event: when.Observed) -> list[Command]:
    """Go on when `resumeOn` is observed."""
    return step_done(run, event.at) if event.passed else []


def handed_back(run: WorkflowRun, event: when.HandedBack) -> list[Command]:
    """A person knows best: done is done, and not done means that there was no effect."""
    if event.done:
        return step_done(run, event.at)
    run.unresolved.pop(run.current.id, None)
    return fail_step(run, event.at, f"the person did not complete `{run.current.id}`")


def woke(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return fail_step(run, event.at, f"nobody completed `{run.current.id}` in time")
