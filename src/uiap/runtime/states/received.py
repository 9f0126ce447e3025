"""RECEIVED: the request is accepted; its arguments are checked before anything else happens."""

from __future__ import annotations

from msgspec import UNSET

from uiap.actions.target_kinds import accepts_kind, target_kind
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.args import argument_faults
from uiap.runtime.commands import Command
from uiap.runtime.states.resolving_target import find
from uiap.runtime.transitions import fail, fail_with, move, wake_at
from uiap.spec.capability import TargetKind
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
    if (kind := _unsuitable_kind(action)) is not None:
        listed = ", ".join(action.primitive.target_kinds)
        why = f"{action.primitive.id} takes no target of the kind {kind}; it takes: {listed}"
        return fail(action, at, "action_unsupported", why, {"reason": "target_kind"})
    if not action.primitive.modes:
        why = f"{action.primitive.id} lists no execution mode in which it can be carried out here"
        return fail(action, at, "execution_mode_unavailable", why)
    if action.reaches_focus:
        action.ready_by = at.mono + PRECONDITION_S
        return move(action, "RESOLVING_TARGET", find(action), *wake_at(action, action.deadline))
    if _has_reference_only(action) or (not action.primitive.needs_target and not _names_target(action)):
        return move(action, "RESOLVING_TARGET", do.Raise(when.TargetNotNeeded(at=at)))
    target = request.target
    if target is UNSET or (target.ref is UNSET and target.expected_role is UNSET):
        return fail(action, at, "target_required", f"{action.primitive.id} needs a target; name one")
    action.ready_by = at.mono + PRECONDITION_S
    return move(action, "RESOLVING_TARGET", find(action), *wake_at(action, action.deadline))


def _names_target(action: Action) -> bool:
    target = action.terms.request.target
    return action.primitive.takes_target and target is not UNSET and target.ref is not UNSET


def _kind(action: Action) -> TargetKind | None:
    target = action.terms.request.target
    return None if target is UNSET or target.ref is UNSET else target_kind(target.ref)


def _unsuitable_kind(action: Action) -> TargetKind | None:
    """Return the kind of the target if the action does not take it (CAP-7)."""
    kind = _kind(action)
    return None if kind is None or accepts_kind(action.primitive.target_kinds, kind) else kind


def _has_reference_only(action: Action) -> bool:
    """Return whether the target is a reference for a function, so that no element is searched for it."""
    return action.primitive.kind == "domain" and _kind(action) in action.primitive.other_kinds
