"""The start of a run, and a browser that is ready for a principal: the first time, after a sign-out, after a crash."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery import commands, events
from uiap.discovery.plan.seeds import seed_targets
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import enter_status, forget_page, report
from uiap.discovery.states.exploring import choose_task, restart_task
from uiap.discovery.states.finishing import complete, end
from uiap.discovery.states.principals import prepare_next_principal
from uiap.discovery.tasks import TryAction, VisitSeed


def on_started(run: RunState, event: events.Started | events.Interrupted) -> list[commands.Command]:
    run.started_at = event.at
    return prepare_next_principal(run)


def on_prepared(run: RunState, event: events.Prepared) -> list[commands.Command]:
    """Begin with the seeds of this principal."""
    if event.problem is not None:
        return _fail(run, event)
    _take_over(run, event)
    if not run.preparation:
        run.preparation = _preparation(run, event)
    enter_status(run, "seeding")
    if run.anonymous:
        run.pending_targets.extend(run.redirected_targets)
        run.redirected_targets = []
    else:
        targets = seed_targets(run.plan, event.urls, [one.id for one in event.registered])
        new = [target for target in targets if target not in run.seed_targets]
        run.seed_targets += new
        run.waiting_targets += [target for target in new if target.is_waiting]
        run.pending_targets.extend(target for target in targets if not target.is_waiting)
    return [report(run), *choose_task(run)]


def on_prepared_again(run: RunState, event: events.Prepared) -> list[commands.Command]:
    """Continue the current task, after the session had ended or the browser was gone, or begin as a further worker."""
    if event.problem is not None:
        return _continue_without(run, event) if run.worker.number else _fail(run, event)
    _take_over(run, event)
    return restart_task(run)


def _continue_without(run: RunState, event: events.Prepared) -> list[commands.Command]:
    """Leave the task of a worker that has no browser to the others."""
    worker = run.worker
    run.knowledge.log.add_note(f"a further worker was not used: {event.problem}")
    worker.pending, worker.is_ready, worker.is_gone = None, False, True
    if isinstance(worker.task, TryAction):
        state = run.knowledge.states.by_id[worker.task.state]
        run.knowledge.frontier.reopen(state, worker.task.candidate)
    elif isinstance(worker.task, VisitSeed):
        run.pending_targets.appendleft(worker.task.seed_target)
    return []


def _take_over(run: RunState, event: events.Prepared) -> None:
    _add_notes(run, event)
    run.knowledge.log.network.sign_in.update(dict.fromkeys(event.sign_in_requests))
    run.worker.pending, run.worker.is_ready = None, True
    run.knowledge.runtime_actions = event.actions
    run.knowledge.add_registered(event.registered)
    run.available = {
        "profiles": list(event.profiles),
        "extensions": list(event.extensions),
        "actions": list(event.actions),
    }
    forget_page(run)


def _preparation(run: RunState, event: events.Prepared) -> dict[str, Any]:
    """Return the seven facts that are known before the first state is taken (DISC-11.1)."""
    environment = run.plan.environment
    facts = {
        "at": event.at.wall,
        "environment": environment.environment_id,
        "principals": [one for one in run.plan.profiles if one],
        "featureFlags": environment.feature_flags,
        "budgets": asdict(run.plan.bounds),
        "safety": run.plan.safety,
        "available": run.available,
        "seeds": [
            {**msgspec.to_builtins(one.seed), "source": one.source}
            for one in seed_targets(run.plan, event.urls, [one.id for one in event.registered])
        ],
    }
    plain = {name: value for name, value in facts.items() if value is not UNSET}
    return dict(msgspec.to_builtins(plain))


def _fail(run: RunState, event: events.Prepared) -> list[commands.Command]:
    """End the run as failed. If only the signed-out part could not be prepared, complete the run without it."""
    _add_notes(run, event)
    run.knowledge.log.add_note(event.problem or "")
    return complete(run) if run.anonymous else end(run, "failed")


def _add_notes(run: RunState, event: events.Prepared) -> None:
    for note in event.notes:
        run.knowledge.log.add_note(note)
