"""Events from outside: pause, resume, cancel, failure, and the restart of an interrupted run."""

from __future__ import annotations

from uiap.discovery import commands, events
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import report
from uiap.discovery.states.exploring import choose_task
from uiap.discovery.states.finishing import end
from uiap.discovery.states.principals import prepare_current_principal
from uiap.discovery.tasks import Recapture


def on_paused(run: RunState, _event: events.Paused) -> list[commands.Command]:
    """Start nothing new. The answer to the pending command is still taken."""
    run.paused = True
    return [report(run, "paused")]


def on_resumed(run: RunState, _event: events.Resumed) -> list[commands.Command]:
    if not run.paused:
        return []
    run.paused = False
    waits_for_task = run.worker.pending is None and run.status != "planning"
    return [report(run, "resumed"), *(choose_task(run) if waits_for_task else [])]


def on_cancelled(run: RunState, event: events.Cancelled) -> list[commands.Command]:
    if event.reason:
        run.knowledge.log.add_note(f"cancelled: {event.reason}")
    return end(run, "cancelled")


def on_failed(run: RunState, event: events.Failed) -> list[commands.Command]:
    run.knowledge.log.add_note(event.problem)
    return end(run, "failed")


def on_interrupted(run: RunState, _event: events.Interrupted) -> list[commands.Command]:
    """Prepare a new browser for each worker; it continues its task once it is ready."""
    issued = []
    for worker in run.workers:
        if worker.number and not (worker.is_ready or worker.pending):
            continue  # it had not begun
        run.worker = worker
        pending, worker.path, worker.resuming, worker.is_ready = worker.pending, None, True, False
        if isinstance(pending, commands.Capture):
            worker.task = Recapture(pending.state, worker.task, worker.after_capture)
        issued.append(prepare_current_principal(run))
    return issued
