"""COLLECTING: a `collect` step asks for missing values and goes on when all required ones are valid."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.workflow import CollectStep, WorkflowParameter
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.commands import Command
from uiap.workflow.parameters import declared, missing, problems
from uiap.workflow.run import WorkflowRun
from uiap.workflow.transitions import fail_step, move, step_done


def begin(run: WorkflowRun, step: CollectStep, at: Instant) -> list[Command]:
    wanted = _wanted(run, step)
    return _ask(run, step, wanted) if wanted else step_done(run, at)


def _wanted(run: WorkflowRun, step: CollectStep) -> tuple[WorkflowParameter, ...]:
    known = declared(run.terms.definition)
    named = [known[name] for name in step.parameter_names]
    if step.only_missing is False:
        return tuple(named)
    return tuple(one for one in named if one.name not in run.parameters)


def _ask(
    run: WorkflowRun, step: CollectStep, wanted: tuple[WorkflowParameter, ...], *wrong: str
) -> list[Command]:
    timeout_ms = None if step.timeout_ms is UNSET else step.timeout_ms
    ask = do.AskInput(step_id=step.id, parameters=wanted, problems=wrong, timeout_ms=timeout_ms)
    return move(run, "COLLECTING", ask, note="; ".join(wrong))


def provided(run: WorkflowRun, event: when.InputProvided) -> list[Command]:
    """Take the valid values only if all are valid; otherwise ask again and say what is wrong."""
    step = run.current
    assert isinstance(step, CollectStep)
    wrong = problems(run.terms.definition, event.values)
    foreign = sorted(set(event.values) - set(step.parameter_names))
    wrong += [f"`{step.id}` does not ask for `{name}`" for name in foreign]
    if not wrong:
        run.parameters.update(event.values)
        known = declared(run.terms.definition)
        open_ = missing([known[name] for name in step.parameter_names], run.parameters)
        wrong = [f"`{one.name}` is required" for one in open_]
    if wrong:
        known = declared(run.terms.definition)
        return _ask(run, step, _wanted(run, step) or tuple(known[n] for n in step.parameter_names), *wrong)
    return step_done(run, event.at)


def woke(run: WorkflowRun, event: when.Woke) -> list[Command]:
    return fail_step(run, event.at, f"the values for `{run.current.id}` were not provided in time")
