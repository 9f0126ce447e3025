"""The commands of a workflow run. At most one command that has an answer is pending; `lifecycle` names the answers."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from uiap.spec.action import ActionRequestPayload
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.workflow import (
    StepResult,
    WorkflowCondition,
    WorkflowParameter,
    WorkflowProgressPayload,
    WorkflowResultPayload,
)
from uiap.workflow.events import Event
from uiap.workflow.repair import RepairProposal


class Command(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Raise(Command, frozen=True):
    """Internal: the machine handles this event next."""

    event: Event


class Report(Command, frozen=True):
    """Publish the new status or step."""

    payload: WorkflowProgressPayload


class Finish(Command, frozen=True):
    """The run is over."""

    payload: WorkflowResultPayload


class CheckMessages(Command, frozen=True):
    """Deliver the messages that are waiting: pause, cancel. Without one, answer `Checked`."""


class AwaitMessages(Command, frozen=True):
    """Wait for a message, without a timeout."""


class Judge(Command, frozen=True):
    """Judge groups of conditions on the live state. A group holds if all of its conditions hold."""

    groups: tuple[tuple[WorkflowCondition, ...], ...]
    parameters: dict[str, Any]
    results: dict[str, StepResult]


class Show(Command, frozen=True):
    """Show a text, and highlight its target."""

    step_id: str
    text: str
    target: TargetRef | None = None
    acknowledge: bool = False
    """Wait until a person acknowledges it; without it, `Shown` answers at once."""
    timeout_ms: float | None = None


class AskInput(Command, frozen=True):
    step_id: str
    parameters: tuple[WorkflowParameter, ...]
    problems: tuple[str, ...] = ()
    """Why the values of the last answer were not accepted."""
    timeout_ms: float | None = None


class AskConfirmation(Command, frozen=True):
    step_id: str
    summary: str
    timeout_ms: float | None = None


class RecordIntent(Command, frozen=True):
    """Make the intent durable before the dispatch, with the signals that hold already."""

    key: str
    signals: tuple[SuccessSignal, ...]


class Act(Command, frozen=True):
    """Request the action from the Action Runtime and wait for its result."""

    step_id: str
    key: str
    request: ActionRequestPayload
    once: bool
    """The action must not happen twice. The intent of `key` is recorded."""
    confirmed: str = ""
    """The summary that a person confirmed. Policy is asked again, and only this summary counts as confirmed."""
    confirmed_by: str = ""
    repairs: tuple[ElementBinding, ...] = ()
    """The bindings that a person repaired in this run."""


class ProposeRepair(Command, frozen=True):
    """Search the page for the target of a step that is not found any more."""

    step_id: str
    action_id: str
    target: TargetRef
    repairs: tuple[ElementBinding, ...] = ()


class AskRepair(Command, frozen=True):
    """Ask a person whether the proposed element is the target. Nothing was done."""

    step_id: str
    text: str
    proposal: RepairProposal
    timeout_ms: float | None = None


class Guide(Command, frozen=True):
    """Highlight the target and wait until a person has done the step."""

    step_id: str
    text: str
    target: TargetRef | None
    signals: tuple[SuccessSignal, ...]
    timeout_ms: float | None = None


class HandOff(Command, frozen=True):
    """Leave the step to a person. The observed signals, or the person's own report, end it."""

    step_id: str
    reason: str
    instructions: str
    signals: tuple[SuccessSignal, ...] = ()
    timeout_ms: float | None = None


class Observe(Command, frozen=True):
    """Observe the page until the policy is met or the timeout is over."""

    signals: tuple[SuccessSignal, ...]
    policy: Literal["any", "all"]
    timeout_ms: float


class Reopen(Command, frozen=True):
    """Open this address in the new page of the run."""

    url: str


class Delay(Command, frozen=True):
    """Wait before a retry; `Woke` answers."""

    timeout_ms: float
