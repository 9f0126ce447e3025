"""AWAITING_CONFIRMATION: a person is asked. Nothing is dispatched without a valid grant (ACT-5.4)."""

from __future__ import annotations

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.transitions import cancel, end_waiting, move, wake_at
from uiap.timeouts import PRECONDITION_S


def granted(action: Action, event: when.Granted) -> list[Command]:
    """Check the target again, because the page may have changed while the person decided.

    A grant for other terms, or one that comes too late, changes nothing.
    """
    if event.at.mono >= action.confirm_by or not action.permission.grant(event.by, event.digest):
        return []
    end_waiting(action, event.at)
    action.ready_by = event.at.mono + PRECONDITION_S
    next: Command = do.Raise(when.ChecksPassed(at=event.at))
    if action.target is not None:
        next = do.Probe(action.target.instance_id)
    return move(action, "CHECKING_PRECONDITIONS", *wake_at(action, action.deadline), next)


def denied(action: Action, event: when.Denied) -> list[Command]:
    return cancel(action, event.at, "confirmation_denied", event.reason or "the person denied it")


def woke(action: Action, event: when.Woke) -> list[Command]:
    if event.at.mono < action.confirm_by:
        return []
    return cancel(action, event.at, "confirmation_denied", "nobody answered in time", {"reason": "timeout"})
