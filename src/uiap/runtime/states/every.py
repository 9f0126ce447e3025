"""Events that mean the same in several states: cancelled, page lost, tab held by a person, out of time."""

from __future__ import annotations

from msgspec import UNSET

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.outcome import page_gone
from uiap.runtime.states.verifying import verified
from uiap.runtime.transitions import cancel, fail, fail_with, time_out, wake_at
from uiap.spec.action import ActionCancelledPayload


def cancelled(action: Action, event: when.Cancelled) -> list[Command]:
    payload = ActionCancelledPayload(
        action_handle=action.terms.handle, status="cancelled", reason=event.reason or UNSET
    )
    ended = cancel(action, event.at, "cancelled", event.reason or "cancelled by the caller")
    return [do.Emit("action.cancelled", payload), *ended]


def page_lost(action: Action, event: when.PageLost) -> list[Command]:
    """Fail, unless closing the page was the effect of the gesture."""
    execution = action.execution
    if execution.acting and execution.closed_the_page and action.expectation.any_change:
        return verified(action, event.at, event.cause)
    return fail_with(action, event.at, page_gone(event.cause, execution.acting))


def lane_held(action: Action, event: when.LaneHeld) -> list[Command]:
    """Fail at once: nobody acts on the tab while a person does a step there, and that may take long."""
    message = (
        f"nothing was done, because a person has to do a step on this tab first: {event.note}; "
        f"wait until it is done, or cancel it: {event.handle}"
    )
    detail = {"reason": "waits_for_person", "waitsFor": event.handle}
    return fail(action, event.at, "user_activation_required", message, detail)


def deadline_passed(action: Action, event: when.Woke) -> list[Command]:
    """Fail at the deadline. A timer that was set for something else is set again for the deadline."""
    if event.at.mono >= action.deadline:
        return time_out(action, event.at)
    return wake_at(action, action.deadline)
