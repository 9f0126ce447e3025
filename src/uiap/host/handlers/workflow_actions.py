"""Carries out an action that a bundle implements by a workflow: the run, its outcome and its evidence.

Each step is an action of its own, decided on and verified. The action succeeds only if the run completes and the
success signals of the action hold.
"""

from __future__ import annotations

import asyncio

from msgspec import UNSET

from uiap.actions.ops import Invoke
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused, PerformUnknown
from uiap.host.clock import Clock
from uiap.host.execution.running import RunningAction
from uiap.host.handlers.workflows import WorkflowHandler
from uiap.spec.workflow import WorkflowErrorDescriptor, WorkflowInstance, WorkflowStartPayload


class WorkflowActions:
    """Runs workflows for the actions of one page."""

    def __init__(self, workflows: WorkflowHandler, clock: Clock) -> None:
        self._workflows, self._clock = workflows, clock

    async def run(self, running: RunningAction, op: Invoke, timeout_s: float) -> PerformOutcome:
        """Run the workflow with the arguments as its parameters, and return how it ended."""
        assert running.owner is not None and running.terms.declared is not None
        success = running.terms.declared.descriptor.success or ()
        request = WorkflowStartPayload(workflow_id=op.action, parameters=dict(op.args))
        begun = self._clock.now().mono
        work = asyncio.ensure_future(self._workflows.run_for_action(running.owner, request, success))
        running.done.add_done_callback(lambda _: work.cancel())  # a cancelled action stops its run
        try:
            async with asyncio.timeout(timeout_s):
                ended = await work
        except TimeoutError:
            return PerformUnknown("timeout", f"the workflow `{op.action}` did not end within {timeout_s:g} s")
        except asyncio.CancelledError:
            if not running.done.done():
                raise
            return PerformUnknown("interrupted", f"the workflow `{op.action}` was cancelled")
        return _outcome(op.action, ended, begun)


def _outcome(id: str, ended: WorkflowInstance | WorkflowErrorDescriptor, begun: float) -> PerformOutcome:
    if isinstance(ended, WorkflowErrorDescriptor):
        return PerformRefused("invalid", ended.message)
    if ended.status != "succeeded":
        why = "" if ended.error is UNSET else f": {ended.error.message}"
        return PerformUnknown("interrupted", f"the workflow `{id}` ended {ended.status}{why}")
    returned = {"workflow": id, "instanceId": ended.instance_id, "status": ended.status}
    return PerformDispatched(0, begun, detail={"returned": returned, "held": True})
