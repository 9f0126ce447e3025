"""The workflow part of a synchronous session."""

from __future__ import annotations

from typing import Any

from uiap.api.loop_thread import thread
from uiap.api.ui import Ui
from uiap.api.workflows import StartedRecording
from uiap.spec.vocabulary import InteractionMode
from uiap.spec.workflow import WorkflowDefinition, WorkflowResultPayload, WorkflowSummary


class SyncWorkflows:
    """The workflows of the session's bundle."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui

    def list(
        self, goal: str | None = None, *, mode: InteractionMode | None = None
    ) -> tuple[WorkflowSummary, ...]:
        """Return the workflows that fit, best first, each with what is missing to start it here."""
        return thread.run(self._ui.workflows.list(goal, mode=mode))

    def get(self, workflow_id: str) -> WorkflowDefinition:
        return thread.run(self._ui.workflows.get(workflow_id))

    def record(self) -> SyncRecording:
        """Record from now on: a person's inputs if this session is a person's, and the actions of agents."""
        return SyncRecording(thread.run(self._ui.workflows.record()))


class SyncRecording:
    """A recording of the session's page."""

    def __init__(self, recording: StartedRecording) -> None:
        self._recording = recording

    def pick(self, timeout_ms: float | None = None) -> str:
        """Wait until the person presses the element that proves success, and return its name."""
        return thread.run(self._recording.pick(timeout_ms))

    def peek(self) -> WorkflowDefinition:
        """Return the definition so far, and go on recording."""
        return thread.run(self._recording.peek())

    def stop(self, workflow_id: str | None = None, title: str | None = None) -> WorkflowDefinition:
        """End the recording, and return the definition that repeats it."""
        return thread.run(self._recording.stop(workflow_id, title))


class SyncUiWorkflows:
    _ui: Ui

    @property
    def workflows(self) -> SyncWorkflows:
        """The workflows of the bundle: `list` and `get`."""
        return SyncWorkflows(self._ui)

    def run(
        self,
        workflow_id: str,
        *,
        mode: InteractionMode | None = None,
        timeout_s: float = 600.0,
        **parameters: Any,
    ) -> WorkflowResultPayload:
        """Run a workflow and return its result; a run that exceeds the timeout is cancelled."""
        return thread.run(_run(self._ui, workflow_id, mode, timeout_s, parameters))


async def _run(
    ui: Ui, workflow_id: str, mode: InteractionMode | None, timeout_s: float, parameters: dict[str, Any]
) -> WorkflowResultPayload:
    run = await ui.workflows.start(workflow_id, mode=mode, **parameters)
    result = await run.wait(timeout_s)
    if result is None:
        await run.cancel("the timeout is over")
        result = await run
    return result
