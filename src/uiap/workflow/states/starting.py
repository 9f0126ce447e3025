"""STARTING: the entry conditions are judged before anything is done."""

from __future__ import annotations

from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.parameters import never_collected, problems
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import fail_run, judge, reach


def started(run: WorkflowRun, event: when.Started) -> list[Command]:
    run.started_at = event.at.wall
    definition = run.terms.definition
    wrong = [*problems(definition, run.terms.parameters), *never_collected(definition, run.parameters)]
    if run.terms.mode not in definition.interaction_modes:
        return fail_run(run, event.at, "mode_not_allowed", f"`{definition.id}` has no mode {run.terms.mode}")
    if wrong:
        return fail_run(run, event.at, "invalid_parameter", "; ".join(wrong))
    if definition.entry_conditions:
        groups = (tuple(definition.entry_conditions),)
        return [judge(run, groups)]
    return reach(run, event.at, definition.initial_step_id)


def judged(run: WorkflowRun, event: when.Judged) -> list[Command]:
    definition = run.terms.definition
    if not event.holds[0]:
        why = "; ".join(event.warnings) or "its entry conditions do not hold on this page"
        return fail_run(
            run, event.at, "entry_condition_failed", f"`{definition.id}` cannot start here: {why}"
        )
    return reach(run, event.at, definition.initial_step_id)
