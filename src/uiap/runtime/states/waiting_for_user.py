"""WAITING_FOR_USER: a person does the handed-off step, or answers a JavaScript dialog of the page (ACT-14)."""

from __future__ import annotations

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.baseline import note_baseline, open_watch
from uiap.runtime.commands import Command
from uiap.runtime.confirmation import summary
from uiap.runtime.expectation import Expectation
from uiap.runtime.handoff import handoff
from uiap.runtime.judgement.contradiction import Contradicted
from uiap.runtime.judgement.verification import Verification
from uiap.runtime.record import expected_delta
from uiap.runtime.states.verifying import begin_verifying, not_handed_back
from uiap.runtime.transitions import cancel, end_waiting, fail, fail_with, move, wake_at
from uiap.spec.policy import HandoffSpec

DIALOG_S = 1.0
"""An action waits this long for an answer to a JavaScript dialog."""

# -- a step that a person does ------------------------------------------------------------------------------


def hand_off(
    action: Action, at: Instant, spec: HandoffSpec | None, expectation: Expectation
) -> list[Command]:
    """Leave the step to a person. The action keeps the lane, so nobody else acts on the tab meanwhile."""
    what = summary(action.primitive.id, action.args, action.resolved)
    if action.primitive.id == "ui.enterText":
        what += ", or let the agent type a named secret"
    action.handoff = handoff(spec, what, expectation)
    action.verification = Verification(action.handoff.expectation)
    action.result.metadata["handoff"] = action.handoff.note
    action.waiting_since = at.mono
    action.ready_by = at.mono + action.handoff.timeout_s
    commands = (do.HandOff(action.handoff.note, spec), do.TakeLane(), *wake_at(action, action.ready_by))
    delta = action.result.metadata["expectedDelta"] = expected_delta(action.expectation)
    limit_ms = round(action.handoff.timeout_s * 1000)
    detail = {"waitsFor": "handoff", "timeoutMs": limit_ms, "expectedDelta": delta}
    return move(action, "WAITING_FOR_USER", *commands, note=action.handoff.note, detail=detail)


def lane_taken(action: Action, _event: when.LaneTaken) -> list[Command]:
    return [open_watch(action)]


def watch_opened(action: Action, event: when.WatchOpened) -> list[Command]:
    note_baseline(action, event)
    return []


def observed(action: Action, event: when.Observed) -> list[Command]:
    """Verify the person's step like any other, from the same baseline."""
    if action.handoff is None:
        return []
    finding = action.verification.observed(event)
    if isinstance(finding, Contradicted):
        return fail_with(action, event.at, not_handed_back(action, "contradicted"))
    observable = not action.handoff.needs_report
    return _resume(action, event.at) if observable and action.verification.met else []


def handed_back(action: Action, event: when.HandedBack) -> list[Command]:
    """The person reports that the step is done, or declines it."""
    if action.handoff is None:
        return []
    if not event.done:
        return cancel(action, event.at, "confirmation_denied", "the person declined the step")
    action.result.metadata["handedBackBy"] = event.by
    return _resume(action, event.at)


def _resume(action: Action, at: Instant) -> list[Command]:
    end_waiting(action, at)
    return begin_verifying(action, at)


# -- a JavaScript dialog of the page ------------------------------------------------------------------------


def wait_for_dialog(action: Action, event: when.Dispatched) -> list[Command]:
    """Wait for a person: a dialog stops the page in the middle of the gesture, and no agent may answer it."""
    text = event.dialog or "a JavaScript dialog"
    action.result.metadata["dialog"] = text
    action.waiting_for = f"the page asks: {text}; answer the dialog, then observe the page again"
    action.ready_by = event.at.mono + DIALOG_S
    action.waiting_since = event.at.mono
    detail = {"waitsFor": "dialog", "timeoutMs": round(DIALOG_S * 1000)}
    wake = wake_at(action, action.ready_by)
    return move(action, "WAITING_FOR_USER", *wake, note=action.waiting_for, detail=detail)


def dialog_answered(action: Action, event: when.DialogAnswered) -> list[Command]:
    if action.handoff is not None:  # the person does the whole step, dialogs included
        return []
    action.result.metadata["dialogAccepted"] = event.accepted
    return _resume(action, event.at)


def woke(action: Action, event: when.Woke) -> list[Command]:
    if event.at.mono < action.ready_by:
        return []
    if action.handoff is not None:
        return fail_with(action, event.at, not_handed_back(action, "timeout"))
    detail = {"reason": "timeout", "dialog": action.result.metadata.get("dialog", "")}
    return fail(action, event.at, "user_activation_required", action.waiting_for, detail, effect="unknown")
