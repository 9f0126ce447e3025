"""RECEIVED: the request is accepted; its arguments are checked before anything else happens."""

from __future__ import annotations

from msgspec import UNSET

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.args import argument_faults
from uiap.runtime.commands import Command
from uiap.runtime.states.resolving_target import find
from uiap.runtime.transitions import fail, fail_with, move, wake_at
from uiap.timeouts import ACTION_MS, PRECONDITION_S


def started(action: Action, event: when.Started) -> list[Command]:
    """Start the clock, refuse what cannot be done, and begin to resolve the target."""
    request, at = action.terms.request, event.at
    timeout_ms = ACTION_MS if request.timeout_ms is UNSET else request.timeout_ms
    action.result.began = at.mono
    action.deadline = at.mono + timeout_ms / 1000
    if event.failure is not None:
        return fail_with(action, at, event.failure)
    if action.terms.unknown_before is not None:
        return fail(action, at, "unsafe_retry_refused", action.terms.unknown_before, effect="unknown")
    faults = argument_faults(action.primitive, action.args)
    if faults:
        detail = {"reason": "invalid_args", "faults": faults}
        return fail(action, at, "action_unsupported", faults[0], detail)
    if (why := action.primitive.fault(None, action.args, action.terms.principal.type)) is not None:
        return fail(action, at, "action_unsupported", why, {"reason": "policy_denied"})
    if action.reaches_focus:
        action.ready_by = at.mono + PRECONDITION_S
        return move(action, "RESOLVING_TARGET", find(action), *wake_at(action, action.deadline))
    if not action.primitive.needs_target and not _names_target(action):
        return move(action, "RESOLVING_TARGET", do.Raise(when.TargetNotNeeded(at=at)))
    target = request.target
    if target is UNSET or (target.ref is UNSET and target.expected_role is UNSET):
        return fail(action, at, "target_required", f"{action.primitive.id} needs a target; name one")
    action.ready_by = at.mono + PRECONDITION_S
    return move(action, "RESOLVING_TARGET", find(action), *wake_at(action, action.deadline))


def _names_target(action: Action) -> bool:
    target = action.terms.request.target
    return action.primitive.takes_target and target is not UNSET and target.ref is not UNSET
