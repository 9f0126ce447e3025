"""The workflow part of a synchronous session."""

from __future__ import annotations

from typing import Any

from uiap.api.loop_thread import thread
from uiap.api.ui import Ui
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
