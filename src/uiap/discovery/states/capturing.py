"""Evidence of a new state is captured before anything else is done in it."""

from __future__ import annotations

from uiap.discovery import commands, events
from uiap.discovery.knowledge.states import State
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import report, request
from uiap.discovery.states.exploring import choose_task, follow_path, restart_task, start_task
from uiap.discovery.states.seeding import meet_waiting_seeds
from uiap.discovery.tasks import AfterCapture, Recapture, TryAction, VisitSeed


def capture_if_new(
    run: RunState, state: State | None, is_new: bool, after_capture: AfterCapture
) -> list[commands.Command]:
    """Capture a new state; then, or at once for a known one, continue with `after_capture`."""
    run.worker.after_capture = after_capture
    if state is not None and run.worker.store is not None:
        meet_waiting_seeds(run, state, run.worker.store)
    if state is None or not is_new:
        return _continue(run)
    _record_origin(run, state)
    return [report(run), request(run, commands.Capture(state=state.id))]


def _record_origin(run: RunState, state: State) -> None:
    """Record when a new state was found, and from which seed (DISC-11.2c)."""
    state.found_at = run.last_event_at.wall if run.last_event_at is not None else ""
    if state.seed is not None:
        run.last_seed = run.seed_targets[state.seed].seed
    elif isinstance(run.worker.task, TryAction):
        source = run.knowledge.states.by_id[run.worker.task.state]
        run.last_seed = source.entry_seed or run.last_seed
    state.entry_seed = run.last_seed


def on_captured(run: RunState, event: events.Captured) -> list[commands.Command]:
    capture, run.worker.pending = run.worker.pending, None
    assert isinstance(capture, commands.Capture)
    state = run.knowledge.states.by_id[capture.state]
    state.screenshot, state.ax = event.screenshot, event.ax
    run.knowledge.findings.add_accessible(state.id, frozenset(event.ax_nodes))
    if isinstance(run.worker.task, Recapture):
        run.worker.after_capture, run.worker.task = run.worker.task.after_capture, run.worker.task.task
    return _continue(run)


def _continue(run: RunState) -> list[commands.Command]:
    if run.worker.after_capture == "follow_path":
        return follow_path(run) if run.worker.path is not None else restart_task(run)
    if (
        run.worker.after_capture == "activate_label"
        and isinstance(run.worker.task, VisitSeed)
        and run.worker.current_state is not None
    ):
        return _activate_label(run, run.worker.current_state, run.worker.task.seed_target.label or "")
    return choose_task(run)


def _activate_label(run: RunState, state: State, label: str) -> list[commands.Command]:
    """Activate the control that a menu seed names, if there is one and it is allowed."""
    wanted = label.strip().lower()
    candidate = next((one for one in state.candidates if one.label.strip().lower() == wanted), None)
    if candidate is None:
        if isinstance(run.worker.task, VisitSeed) and run.worker.task.seed_target.seed.kind == "menu":
            text = f"no permitted control is labelled `{label}`"
            run.knowledge.log.add_gap(f"menu {label}", text, state.id)
        return choose_task(run)
    return start_task(run, TryAction(state.id, candidate))
