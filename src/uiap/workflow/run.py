"""The state of one workflow run. It decides nothing; the functions in `states/` read and change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import ActionDescriptor, SuccessSignal
from uiap.spec.vocabulary import InteractionMode
from uiap.spec.workflow import (
    StepResult,
    WorkflowCheckpoint,
    WorkflowDefinition,
    WorkflowErrorDescriptor,
    WorkflowInstance,
    WorkflowInstanceStatus,
    WorkflowStep,
)
from uiap.workflow.parameters import defaults, masked
from uiap.workflow.repair import RepairProposal

WorkflowState: TypeAlias = Literal[
    "STARTING",
    "CHOOSING",
    "RECHECKING",
    "REOPENING",
    "SHOWING",
    "AWAITING_ACKNOWLEDGEMENT",
    "COLLECTING",
    "CONFIRMING",
    "RECORDING_INTENT",
    "ACTING",
    "REVERIFYING",
    "GUIDING",
    "CHECKING_GUIDED",
    "ENSURING",
    "BRANCHING",
    "HANDED_OFF",
    "SEARCHING_TARGET",
    "AWAITING_REPAIR",
    "COMPLETING",
    "DELAYING",
    "PAUSED",
    "SUCCEEDED",
    "FAILED",
    "CANCELLED",
]

STATUSES: Mapping[WorkflowState, WorkflowInstanceStatus] = MappingProxyType(
    {
        "COLLECTING": "waiting_for_input",
        "CONFIRMING": "waiting_for_confirmation",
        "AWAITING_ACKNOWLEDGEMENT": "waiting_for_user",
        "GUIDING": "waiting_for_user",
        "HANDED_OFF": "waiting_for_user",
        "AWAITING_REPAIR": "waiting_for_user",
        "PAUSED": "paused",
        "SUCCEEDED": "succeeded",
        "FAILED": "failed",
        "CANCELLED": "cancelled",
    }
)
"""The status of each state that is not `running` (WF-10)."""


class WorkflowTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a run. With the events that follow, it is all that a replay needs."""

    instance_id: str
    definition: WorkflowDefinition
    """The definition as it was at the start. A newer version does not change a run (WF-2)."""
    mode: InteractionMode
    parameters: dict[str, Any] = {}
    actions: tuple[ActionDescriptor, ...] = ()
    """The actions that the application declares."""
    repairs: bool = False
    """Ask a person about a target that is not found any more, if there is a proposal; otherwise the step fails."""


@dataclass(slots=True, eq=False)
class WorkflowRun:
    """The data of one run. `state` is one of the states of `lifecycle`."""

    terms: WorkflowTerms
    steps: dict[str, WorkflowStep]
    parameters: dict[str, Any]
    state: WorkflowState = "STARTING"
    step: WorkflowStep | None = None
    results: dict[str, StepResult] = field(default_factory=dict)

    steps_reached: int = 0
    """Counts every arrival at a step. Its bound ends a cycle that the definition does not end."""
    failures: int = 0
    """Failed attempts of the current step."""
    dispatches: int = 0
    """Numbers the intents, so that each dispatch has a key of its own."""
    unresolved: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Action steps that may have happened, with the signals that held before. Such a step is never dispatched."""
    late: str = ""
    """Why the current action failed, while its proof may still come."""
    confirmed_step: str = ""
    """The step that a person confirmed. It counts until the step is left, also if a form is filled in again."""
    confirmed_by: str = ""
    asked_summary: str = ""
    """The action that policy wants confirmed, in the words that the person reads."""
    drift: str = ""
    """Why the target of the current step was not found; empty if it was."""
    proposal: RepairProposal | None = None
    repairs: dict[str, ElementBinding] = field(default_factory=dict)
    """The repaired bindings that a person accepted, by step."""
    page_url: str = ""
    drafts: list[str] = field(default_factory=list)
    """Repeatable action steps since the last action that must not be repeated. A new page needs them again."""
    draft_url: str = ""
    """The address of the page before the first of `drafts`."""
    page_lost: bool = False
    """The page is a new one and has not been brought back to its state."""
    reopened: bool = False
    """The page was opened again since the last action, so signals that pass cannot be observed any more."""
    pause_requested: bool = False
    resumed: bool = False
    checkpoint: WorkflowCheckpoint = field(default_factory=WorkflowCheckpoint)

    started_at: str = ""
    updated_at: str = ""
    working_ms: float = 0.0
    last_mono: float | None = None
    note: str = ""
    """Goes with the next progress report."""
    handle: str = ""
    warnings: list[str] = field(default_factory=list)
    error: WorkflowErrorDescriptor | None = None
    observed: tuple[SuccessSignal, ...] = ()
    missing: tuple[SuccessSignal, ...] = ()

    @property
    def status(self) -> WorkflowInstanceStatus:
        return STATUSES.get(self.state, "running")

    @property
    def confirmed(self) -> bool:
        return self.confirmed_step == self.current.id

    @property
    def current(self) -> WorkflowStep:
        assert self.step is not None, "no step was reached"
        return self.step


def new_run(terms: WorkflowTerms) -> WorkflowRun:
    steps = {step.id: step for step in terms.definition.steps}
    return WorkflowRun(terms, steps, {**defaults(terms.definition), **terms.parameters})


def instance_of(run: WorkflowRun) -> WorkflowInstance:
    """Return the public state of a run. Private parameters are masked."""
    terms = run.terms
    return WorkflowInstance(
        instance_id=terms.instance_id,
        workflow_id=terms.definition.id,
        version=terms.definition.version,
        mode=terms.mode,
        status=run.status,
        current_step_id=UNSET if run.step is None else run.step.id,
        parameters=masked(terms.definition, run.parameters),
        results=dict(run.results),
        started_at=run.started_at,
        updated_at=run.updated_at,
        checkpoint=run.checkpoint,
        error=run.error or UNSET,
    )
