"""ENSURING: an `ensure` step passes only when its signals are observed in time."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.policy import HandoffSpec
from uiap.spec.workflow import EnsureStep
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import fail_step, hand_off, move, step_done

ENSURE_MS = 5000.0


def begin(run: WorkflowRun, step: EnsureStep, _at: Instant) -> list[Command]:
    timeout_ms = ENSURE_MS if step.timeout_ms is UNSET else step.timeout_ms
    policy = "all" if step.policy is UNSET else step.policy
    return move(run, "ENSURING", do.Observe(signals=step.signals, policy=policy, timeout_ms=timeout_ms))


def observed(run: WorkflowRun, event: when.Observed) -> list[Command]:
    if event.passed:
        return step_done(run, event.at)
    step = run.current
    assert isinstance(step, EnsureStep)
    if run.reopened:
        return _ask_person(run)
    kinds = ", ".join(f"`{step.signals[index].kind}`" for index in event.missing)
    return fail_step(run, event.at, f"`{step.id}` did not observe {kinds or 'its signals'} in time")


def _ask_person(run: WorkflowRun) -> list[Command]:
    """A message that was shown before a restart is gone, which proves nothing about the effect."""
    message = (
        f"the page was opened again, and `{run.current.id}` cannot be observed there; look in the application, "
        "then report whether it is done"
    )
    return hand_off(run, HandoffSpec(reason="ambiguity"), message)
