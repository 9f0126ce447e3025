"""Messages of a handed-off step: `uiap.policy.handoff.started` once, and `uiap.policy.handoff.completed`."""

from __future__ import annotations

from msgspec import UNSET

from uiap.host.execution.running import RunningAction
from uiap.runtime import commands as do
from uiap.spec.action import ActionResultPayload
from uiap.spec.policy import HandoffSpec, PolicyHandoffCompletedPayload, PolicyHandoffStartedPayload


def announce(running: RunningAction, command: do.HandOff) -> None:
    """Send `started`, once for each action."""
    if running.handoff_announced:
        return
    running.handoff_announced = True
    started = PolicyHandoffStartedPayload(
        handoff_id=running.handle,
        action_handle=running.handle,
        handoff=command.spec or HandoffSpec(reason="policy"),
    )
    running.send("uiap.policy.handoff.started", started)


def complete(running: RunningAction, result: ActionResultPayload) -> None:
    if not running.handoff_announced:
        return
    timed_out = result.error is not UNSET and result.error.code == "user_activation_required"
    outcome = "done" if result.status == "succeeded" else "timeout" if timed_out else "declined"
    completed = PolicyHandoffCompletedPayload(handoff_id=running.handle, outcome=outcome)  # type: ignore[arg-type]
    running.send("uiap.policy.handoff.completed", completed)
