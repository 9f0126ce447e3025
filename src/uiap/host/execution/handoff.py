"""A step in a person's hands, as the session hears of it (policy §5.7): when it is handed over, and how that ended."""

from __future__ import annotations

from msgspec import UNSET

from uiap.host.execution.running import RunningAction
from uiap.spec.action import ActionResultPayload
from uiap.spec.policy import HandoffSpec, PolicyHandoffCompletedPayload, PolicyHandoffStartedPayload


def begun(running: RunningAction) -> None:
    """Told once, however often the action says that it waits."""
    machine, ruling = running.machine, running.machine.permission.ruling
    if machine.handoff is None or machine.state != "WAITING_FOR_USER" or running.handed:
        return
    running.handed = True
    spec = ruling.handoff if ruling is not None else None
    started = PolicyHandoffStartedPayload(
        handoff_id=running.handle,
        action_handle=running.handle,
        handoff=spec or HandoffSpec(reason="policy"),
    )
    running.hear("uiap.policy.handoff.started", started)


def ended(running: RunningAction, result: ActionResultPayload) -> None:
    if not running.handed:
        return
    by_time = result.error is not UNSET and result.error.code == "user_activation_required"
    said = "done" if result.status == "succeeded" else "timeout" if by_time else "declined"
    over = PolicyHandoffCompletedPayload(handoff_id=running.handle, outcome=said)  # type: ignore[arg-type]
    running.hear("uiap.policy.handoff.completed", over)
