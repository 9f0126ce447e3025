"""COMPLETING: a `complete` step ends the run, as succeeded only if the success signals were observed (WF-3f)."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.workflow import CompleteStep
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowRun
from uiap.workflow.states.ensuring import ENSURE_MS
from uiap.workflow.transitions import end, fail_run, fail_step, move, record_result
from uiap.workflow.values import filled_signals


def begin(run: WorkflowRun, step: CompleteStep, at: Instant) -> list[Command]:
    outcome = "succeeded" if step.outcome is UNSET else step.outcome
    signals = filled_signals(run.terms.definition.success or (), run.parameters)
    if outcome == "succeeded" and signals and step.require_success is not False:
        timeout_ms = ENSURE_MS if step.timeout_ms is UNSET else step.timeout_ms
        return move(run, "COMPLETING", do.Observe(signals=signals, policy="all", timeout_ms=timeout_ms))
    record_result(run, "succeeded")
    if outcome == "failed":
        return fail_run(run, at, "step_failed", f"the workflow ended as failed at `{step.id}`")
    return end(run, at, outcome)


def observed(run: WorkflowRun, event: when.Observed) -> list[Command]:
    signals = filled_signals(run.terms.definition.success or (), run.parameters)
    run.missing = tuple(signals[index] for index in event.missing)
    run.observed = tuple(one for index, one in enumerate(signals) if index not in event.missing)
    if event.passed:
        record_result(run, "succeeded")
        return end(run, event.at, "succeeded")
    kinds = ", ".join(f"`{one.kind}`" for one in run.missing)
    return fail_step(run, event.at, f"the success of the workflow was not observed: {kinds}")
