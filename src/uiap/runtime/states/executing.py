"""EXECUTING: the action holds the lane of its tab and dispatches its gestures, each at most once."""

from __future__ import annotations

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.baseline import note_baseline, open_watch
from uiap.runtime.commands import Command
from uiap.runtime.execution import ResolveAgain, TryOtherMode
from uiap.runtime.outcome import Failure
from uiap.runtime.states.checking_preconditions import choose_next_mode, may_resolve_again, plan_gestures
from uiap.runtime.states.resolving_target import find
from uiap.runtime.states.verifying import begin_verifying
from uiap.runtime.states.waiting_for_user import wait_for_dialog
from uiap.runtime.transitions import fail, fail_with, move, succeed
from uiap.spec.action import SideEffectState

# -- before the input ---------------------------------------------------------------------------------------


def lane_taken(action: Action, _event: when.LaneTaken) -> list[Command]:
    """Read at once where the action only reads; otherwise take the baseline of the page."""
    if action.target is not None and action.execution.reads_only:
        return [do.ReadElement(action.element.instance_id, str(action.args.get("what", "state")))]
    return [open_watch(action)]


def element_read(action: Action, event: when.ElementRead) -> list[Command]:
    if event.missing is not None:
        return fail(action, event.at, "target_not_found", event.missing)
    return succeed(action, event.at, "none", return_value=event.value)


def watch_opened(action: Action, event: when.WatchOpened) -> list[Command]:
    """Succeed as a no-op if the end state holds already; otherwise record the intent or act."""
    note_baseline(action, event)
    action.verification.focus = event.focus
    if action.verification.baseline(event.verdicts, action.target):
        return succeed(action, event.at, "none", outcome="no_op")
    if action.execution.reads_only:
        action.execution.begin()
        permission = action.permission
        return [
            do.Navigate(
                str(action.args["url"]),
                permission.needs_grant,
                permission.confirmed,
                action.primitive.traceable,
                action.args.get("keepPage") is True,
            )
        ]
    return _perform(action) if action.idempotent else [do.RecordIntent()]


def intent_recorded(action: Action, _event: when.IntentRecorded) -> list[Command]:
    return _perform(action)


def intent_not_recorded(action: Action, event: when.IntentNotRecorded) -> list[Command]:
    message = f"the intent could not be stored, so nothing was done: {event.reason}"
    return fail(action, event.at, "internal_runtime_error", message, {"reason": "store_failed"})


def _perform(action: Action) -> list[Command]:
    op, permission = action.execution.next(), action.permission
    return [do.Perform(op, permission.needs_grant, permission.confirmed, action.primitive.traceable)]


# -- the driver's answer ------------------------------------------------------------------------------------


def refused(action: Action, event: when.Refused) -> list[Command]:
    """The driver proves that nothing reached the page, so resolving again or another mode is no retry."""
    at = event.at
    match action.execution.refused(event, at.mono < action.ready_by):
        case Failure() as failure:
            return fail_with(action, at, failure)
        case TryOtherMode(why=why):
            detail = {"refusal": event.reason}
            return _try_other_mode(action, why) or fail(action, at, "execution_mode_unavailable", why, detail)
        case ResolveAgain(kind="stale", why=why):
            if not may_resolve_again(action, why):
                return fail(action, at, "stale_target", f"the target changed again: {why}")
            detail = {"recovery": "resolve_again", "failedCheck": why}
            return move(action, "RESOLVING_TARGET", find(action, refresh=True), note=why, detail=detail)
        case ResolveAgain(why=why):
            action.waiting_for = why
            action.result.note(f"resolved again: {why}")
            detail = {"recovery": "resolve_again", "failedCheck": why}
            return move(action, "RESOLVING_TARGET", find(action, refresh=True), note=why, detail=detail)


def _try_other_mode(action: Action, why: str) -> list[Command] | None:
    """Dispatch by the next permitted mode, or return None if there is none."""
    tried = action.mode
    action.modes_tried += [tried] if tried is not None else []
    choose_next_mode(action)
    mode, action.mode = action.mode, action.mode or tried
    if mode is None:
        return None
    action.result.note(f"{tried} did not work: {why}")
    plan_gestures(action, mode)
    return _perform(action)


def dispatched(action: Action, event: when.Dispatched) -> list[Command]:
    more = action.execution.sent(event)
    if event.interrupted_by == "dialog":
        return wait_for_dialog(action, event)
    if event.detail and event.interrupted_by is None:
        return _read_back(action, event, more)
    return _perform(action) if more else begin_verifying(action, event.at)


def _read_back(action: Action, event: when.Dispatched, more: bool) -> list[Command]:
    """Use what the gesture read back itself. A good report is still verified; a bad one fails the action."""
    at, detail = event.at, event.detail
    action.verification.gesture_report = detail
    if "returned" in detail:  # a function returned; its own report proves nothing
        return begin_verifying(action, at)
    action.result.metadata["gesture"] = detail
    why = str(detail.get("why", "it was not there afterwards"))
    if detail.get("held") is not False:
        if more:  # the report is about this gesture, not about those that follow
            return _perform(action)
        claims_held = action.verification.claims_held_before
        if detail.get("already") is True and claims_held and not action.expectation.needs_new:
            return succeed(action, at, "none", outcome="no_op")
        return begin_verifying(action, at)
    if detail.get("activation"):  # ACT-14: only a person's own input opens what the page asked for
        return fail(action, at, "user_activation_required", why, {"reason": "untrusted"}, effect="unknown")
    if action.idempotent and not detail.get("final") and (again := _try_other_mode(action, why)) is not None:
        return again
    writes = action.primitive.effect(action.target, action.args) != "none"
    effect: SideEffectState = "unknown" if writes else "none"
    message = f"it was done, but the effect was not observed: {why}"
    reachable = list(action.primitive.reachable(action.target, action.args))
    if reachable:
        message += f"; it can be {' or '.join(map(str, reachable))}"
    found = {"reachable": reachable} if reachable else {}
    return fail(action, at, "verification_failed", message, found, effect=effect)


def outcome_lost(action: Action, event: when.OutcomeLost) -> list[Command]:
    message = f"it is not known whether it happened: {event.detail or event.cause}"
    return fail(action, event.at, "internal_runtime_error", message, {"cause": event.cause}, effect="unknown")
