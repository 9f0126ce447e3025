"""The events of a workflow run, in the past tense and with their instant. Replaying them gives the same commands."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from uiap.instant import Instant
from uiap.spec.action import ActionStatus, SideEffectState
from uiap.workflow.repair import RepairProposal


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Started(Event, frozen=True, kw_only=True):
    """The start was accepted and is durable."""


class Checked(Event, frozen=True, kw_only=True):
    """No message is waiting; the page is at this route, revision and address."""

    route: str = ""
    revision: str = ""
    url: str = ""


class Judged(Event, frozen=True, kw_only=True):
    """Whether each group of conditions holds. A warning names a condition that could not be decided."""

    holds: tuple[bool, ...]
    warnings: tuple[str, ...] = ()


class Shown(Event, frozen=True, kw_only=True):
    """The text of an instruction was shown."""


class Acknowledged(Event, frozen=True, kw_only=True):
    by: str = ""


class InputProvided(Event, frozen=True, kw_only=True):
    values: dict[str, Any]


class Granted(Event, frozen=True, kw_only=True):
    by: str = ""


class Denied(Event, frozen=True, kw_only=True):
    by: str = ""
    reason: str = ""


class IntentRecorded(Event, frozen=True, kw_only=True):
    """The intent is durable, and no earlier attempt recorded it. Only now may the action be dispatched."""

    held: tuple[int, ...] = ()
    """The signals that held already. They cannot prove the effect later."""


class IntentNotRecorded(Event, frozen=True, kw_only=True):
    reason: str


class OutcomeUnknown(Event, frozen=True, kw_only=True):
    """An earlier attempt recorded the intent, and its result was lost. The action may have happened."""

    message: str
    held: tuple[int, ...] = ()


class ActionEvidence(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The facts of one action, for the report of a run."""

    action_id: str
    target: str = ""
    found_by: str = ""
    decision: str = ""
    observed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    side_effect: str = ""
    duration_ms: float = 0.0
    changes: tuple[str, ...] = ()
    """The changes of the page: `+` added, `-` removed, `~` changed."""


class ActionEnded(Event, frozen=True, kw_only=True):
    status: ActionStatus
    side_effect: SideEffectState = "none"
    code: str = ""
    message: str = ""
    handle: str = ""
    return_value: dict[str, Any] | None = None
    url: str = ""
    """The address of the page after the action."""
    evidence: ActionEvidence | None = None
    late: bool = False
    """It was done, and its proof was not observed in time. Nothing speaks against it, so the proof may still come."""


class ConfirmationNeeded(Event, frozen=True, kw_only=True):
    """Policy wants a person to confirm the action. Nothing was dispatched."""

    summary: str


class Observed(Event, frozen=True, kw_only=True):
    """The observation ended: either its policy is met, or these signals were not observed in time."""

    passed: bool
    missing: tuple[int, ...] = ()


class HandedBack(Event, frozen=True, kw_only=True):
    """A person reports that the step is done, or is not."""

    done: bool
    by: str = ""


class RepairProposed(Event, frozen=True, kw_only=True):
    """The page was searched for a target that is not found any more. Without a proposal, nothing fits safely."""

    proposal: RepairProposal | None = None


class RepairAccepted(Event, frozen=True, kw_only=True):
    """A person accepts the proposed binding. It counts for this run."""

    by: str = ""


class PageLost(Event, frozen=True, kw_only=True):
    """The run continues in another process. Its page is a new one, so entered values and open dialogs are gone."""


class Reopened(Event, frozen=True, kw_only=True):
    """The new page is at the address that was asked for, or could not be opened (`message`)."""

    message: str = ""


class Woke(Event, frozen=True, kw_only=True):
    """The timeout of the pending command is over."""


class Paused(Event, frozen=True, kw_only=True):
    reason: str = ""


class Resumed(Event, frozen=True, kw_only=True):
    parameters: dict[str, Any] = {}


class Cancelled(Event, frozen=True, kw_only=True):
    reason: str = ""


class StepReached(Event, frozen=True, kw_only=True):
    """Internal: the run is in front of this step."""

    step_id: str


AnyEvent: TypeAlias = (
    Started
    | Checked
    | Judged
    | Shown
    | Acknowledged
    | InputProvided
    | Granted
    | Denied
    | IntentRecorded
    | IntentNotRecorded
    | OutcomeUnknown
    | ActionEnded
    | ConfirmationNeeded
    | Observed
    | HandedBack
    | RepairProposed
    | RepairAccepted
    | PageLost
    | Reopened
    | Woke
    | Paused
    | Resumed
    | Cancelled
)
"""All events that come from outside. A journal of a run contains these."""
