"""SHOWING and AWAITING_ACKNOWLEDGEMENT: an `instruction` step."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.workflow import InstructionStep
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.texts import plain_text
from uiap.workflow.transitions import fail_step, move, step_done
from uiap.workflow.values import shown_text


def begin(run: WorkflowRun, step: InstructionStep, _at: Instant) -> list[Command]:
    acknowledge = step.acknowledge == "user"
    text = shown_text(plain_text(step.text), run.parameters)
    show = do.Show(
        step_id=step.id,
        text=text,
        target=None if step.target is UNSET else step.target,
        acknowledge=acknowledge,
        timeout_ms=None if step.timeout_ms is UNSET else step.timeout_ms,
    )
    return move(run, "AWAITING_ACKNOWLEDGEMENT" if acknowledge else "SHOWING", show, note=text)


def done(run: WorkflowRun, event: when.Shown | when.Acknowledged) -> list[Command]:
    return step_done(run, event.at)


def woke(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return fail_step(run, event.at, f"nobody acknowledged `{run.current.id}` in time")
