"""Moves between states, the wait for a target, and the three endings. Only this module sets `Action.state`."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime.action import Action, Resolving
from uiap.runtime.commands import Command
from uiap.runtime.judgement.verification import POLL_S
from uiap.runtime.outcome import Failure, out_of_time
from uiap.runtime.resolve import resolved_target
from uiap.spec.action import (
    ActionProgressPayload,
    RuntimeErrorCode,
    RuntimeErrorDescriptor,
    RuntimeState,
    SideEffectState,
)


def move(
    action: Action,
    state: RuntimeState,
    *commands: Command,
    note: str | None = None,
    detail: dict[str, Any] | None = None,
) -> list[Command]:
    """Enter a state, report it as progress, then issue the commands."""
    before = _report_resolving(action)
    action.state = state
    if state == "RESOLVING_TARGET":
        action.resolving = Resolving(note, detail)
        return [*before, *commands]
    return [*before, progress(action, note, detail), *commands]


def _report_resolving(action: Action) -> list[Command]:
    """Report RESOLVING_TARGET once its target is known or given up, so that the report names the target (ACT-5.2c)."""
    if action.resolving is None:
        return []
    waiting, action.resolving = action.resolving, None
    return [progress(action, waiting.note, waiting.detail)]


def progress(action: Action, note: str | None = None, detail: dict[str, Any] | None = None) -> Command:
    """Return the report of the current state. `detail` says in structured form what it is about (ACT-5.2e)."""
    resolved = action.resolved
    payload = ActionProgressPayload(
        action_handle=action.terms.handle,
        stage=action.state.lower(),  # type: ignore[arg-type]
        chosen_execution_mode=action.mode or UNSET,
        resolved_target=resolved_target(resolved.winner.candidate, action.result.box) if resolved else UNSET,
        note=note or UNSET,
        detail=detail or UNSET,
    )
    return do.Emit("action.progress", payload)


def succeed(
    action: Action,
    at: Instant,
    effect: SideEffectState,
    *,
    return_value: Any = UNSET,
    outcome: str = "success",
) -> list[Command]:
    action.result.metadata["outcome"] = outcome
    return _end(action, at, "SUCCEEDED", effect, None, return_value)


def fail(
    action: Action,
    at: Instant,
    code: RuntimeErrorCode,
    message: str,
    detail: dict[str, Any] | None = None,
    *,
    effect: SideEffectState = "none",
) -> list[Command]:
    return fail_with(action, at, Failure(code, message, effect, detail or {}))


def fail_with(action: Action, at: Instant, failure: Failure) -> list[Command]:
    error = action.result.error(failure, action.verification.report)
    return _end(action, at, "FAILED", failure.effect, error)


def cancel(
    action: Action, at: Instant, code: RuntimeErrorCode, message: str, detail: dict[str, Any] | None = None
) -> list[Command]:
    """End as cancelled. The side effect is `none` only if nothing was dispatched and no person acted."""
    effect: SideEffectState = "none"
    if action.execution.acting:
        effect = "applied" if action.verification.met else "unknown"
    elif action.handoff is not None:
        effect = "unknown"
    error = RuntimeErrorDescriptor(code=code, message=message, detail=detail or UNSET)
    return _end(action, at, "CANCELLED", effect, error)


def _end(
    action: Action,
    at: Instant,
    state: RuntimeState,
    effect: SideEffectState,
    error: RuntimeErrorDescriptor | None,
    return_value: Any = UNSET,
) -> list[Command]:
    before = _report_resolving(action)
    action.state = state
    result = action.result.build(
        at,
        state.lower(),  # type: ignore[arg-type]
        effect,
        resolved=action.resolved,
        mode=action.mode,
        verification=action.verification,
        error=error,
        return_value=return_value,
    )
    base = action.result.metadata.get("baseRevision")
    finish = do.Finish(result, action.idempotent, base, action.in_page, action.conditional)
    return [*before, do.Emit("action.result", result), finish]


def wait_for(action: Action, at: Instant, back: RuntimeState, why: str) -> list[Command]:
    """Enter RECOVERING until the target may be ready, then return to `back`. Fail if the time for that is over."""
    action.waiting_for = why
    if at.mono < action.ready_by:
        action.resume_to = back
        wake = wake_at(action, min(action.ready_by, at.mono + POLL_S))
        recovery = "find_target" if back == "RESOLVING_TARGET" else "wait_until_ready"
        detail = {"recovery": recovery, "failedCheck": why}
        return move(action, "RECOVERING", *wake, note=why, detail=detail)
    if back == "RESOLVING_TARGET":
        message = f"{why}; observe the page again, or allow more time"
        return fail(action, at, "target_not_found", message, {"reason": "timeout"})
    return fail(action, at, "target_not_interactable", f"the target cannot be acted on: {why}")


def time_out(action: Action, at: Instant) -> list[Command]:
    """Fail because the deadline passed. The code says where the time ran out."""
    resolving = "RESOLVING_TARGET" in (action.state, action.resume_to)
    return fail_with(
        action, at, out_of_time(action.state, resolving, action.execution.acting, action.waiting_for)
    )


def wake_at(action: Action, mono: float) -> list[Command]:
    """Ask for a `Woke` event at this time, or at the deadline if that is earlier and no person is waited for."""
    return [do.WakeAt(min(mono, action.deadline) if action.waiting_since is None else mono)]


def end_waiting(action: Action, at: Instant) -> None:
    """Extend the deadline by the time a person took."""
    if action.waiting_since is not None:
        action.deadline += at.mono - action.waiting_since
        action.waiting_since = None
