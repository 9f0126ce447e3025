"""UIAP Workflow Extension v0.1: definitions, conditions, steps, instances and their messages.

Data types alone. Texts are `AuthoredText`, because an authoring source has the same definition before the build. A
built definition has no `ref`.
"""

from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, UnsetType, field

from uiap.spec.action import ActionStatus, PresentationHints, VerificationSpec
from uiap.spec.base import (
    Count,
    JsonObject,
    KindTagged,
    Milliseconds,
    Number,
    Strings,
    Struct,
    Timestamp,
    TypeTagged,
    core_or_vendor,
)
from uiap.spec.capability import (
    ActionId,
    ArgType,
    ExecutionMode,
    RiskDescriptor,
    SuccessSignal,
    TargetRef,
    UIState,
)
from uiap.spec.policy import HandoffSpec, PolicyGrant
from uiap.spec.text import AuthoredText
from uiap.spec.text import LocalizedText as LocalizedText
from uiap.spec.vocabulary import INTERACTION_MODES as INTERACTION_MODES
from uiap.spec.vocabulary import DataClass, RevisionId
from uiap.spec.vocabulary import InteractionMode as InteractionMode

WorkflowId: TypeAlias = str
StepId: TypeAlias = str

CoreWorkflowCategory: TypeAlias = Literal["onboarding", "setup", "task", "support", "recovery", "custom"]
WORKFLOW_CATEGORIES: tuple[CoreWorkflowCategory, ...] = get_args(CoreWorkflowCategory)
WorkflowCategory: TypeAlias = Annotated[str, Meta(pattern=core_or_vendor(WORKFLOW_CATEGORIES))]
WorkflowStartMode: TypeAlias = Literal["manual", "suggested", "automatic"]
WorkflowStepType: TypeAlias = Literal[
    "instruction", "collect", "action", "ensure", "branch", "handoff", "complete"
]
WorkflowInstanceStatus: TypeAlias = Literal[
    "running",
    "waiting_for_input",
    "waiting_for_confirmation",
    "waiting_for_user",
    "paused",
    "succeeded",
    "failed",
    "cancelled",
]
WorkflowErrorCode: TypeAlias = Literal[
    "unknown_workflow",
    "version_mismatch",
    "entry_condition_failed",
    "mode_not_allowed",
    "missing_grant",
    "invalid_parameter",
    "unknown_instance",
    "invalid_transition",
    "no_branch",
    "step_failed",
]
ParameterOp: TypeAlias = Literal["exists", "eq", "neq", "in", "gt", "gte", "lt", "lte", "matches"]

WORKFLOW_START_MODES: tuple[WorkflowStartMode, ...] = get_args(WorkflowStartMode)
WORKFLOW_STEP_TYPES: tuple[WorkflowStepType, ...] = get_args(WorkflowStepType)
WORKFLOW_INSTANCE_STATUSES: tuple[WorkflowInstanceStatus, ...] = get_args(WorkflowInstanceStatus)
WORKFLOW_ERROR_CODES: tuple[WorkflowErrorCode, ...] = get_args(WorkflowErrorCode)
WORKFLOW_ERROR_PREFIX = "uiap.workflow/"


class WorkflowParameter(Struct):
    name: str
    type: ArgType
    required: bool | UnsetType = UNSET
    title: AuthoredText | UnsetType = UNSET
    description: AuthoredText | UnsetType = UNSET
    enum: Strings | UnsetType = UNSET
    default: Any = UNSET
    pattern: str | UnsetType = UNSET
    min: Number | UnsetType = UNSET
    max: Number | UnsetType = UNSET
    data_class: DataClass | UnsetType = UNSET
    source: Literal["user", "agent", "context"] | UnsetType = UNSET


class RouteCondition(KindTagged, tag="route"):
    route_id: str | UnsetType = UNSET
    pattern: str | UnsetType = UNSET


class ElementCondition(KindTagged, tag="element"):
    target: TargetRef
    exists: bool | UnsetType = UNSET


class StateCondition(KindTagged, tag="state"):
    target: TargetRef
    state: UIState


class SignalCondition(KindTagged, tag="signal"):
    signal: SuccessSignal


class ParameterCondition(KindTagged, tag="parameter"):
    name: str
    op: ParameterOp
    value: Any = UNSET


class GrantCondition(KindTagged, tag="grant"):
    grant: PolicyGrant


class RoleCondition(KindTagged, tag="role"):
    role: str


class CapabilityCondition(KindTagged, tag="capability"):
    action_id: ActionId


class ResultCondition(KindTagged, tag="result"):
    step_id: StepId
    path: str | UnsetType = UNSET
    op: Literal["exists", "eq", "neq"]
    value: Any = UNSET


class AllCondition(KindTagged, tag="all"):
    conditions: "tuple[WorkflowCondition, ...]"


class AnyCondition(KindTagged, tag="any"):
    conditions: "tuple[WorkflowCondition, ...]"


class NotCondition(KindTagged, tag="not"):
    condition: "WorkflowCondition"


class CustomCondition(KindTagged, tag="custom"):
    name: str
    params: JsonObject | UnsetType = UNSET


WorkflowCondition: TypeAlias = (
    RouteCondition
    | ElementCondition
    | StateCondition
    | SignalCondition
    | ParameterCondition
    | GrantCondition
    | RoleCondition
    | CapabilityCondition
    | ResultCondition
    | AllCondition
    | AnyCondition
    | NotCondition
    | CustomCondition
)
WORKFLOW_CONDITION_KINDS: Strings = tuple(
    str(condition.__struct_config__.tag) for condition in get_args(WorkflowCondition)
)


class ParamReference(Struct):
    """`{"$param": name}`: the value of a parameter."""

    param: str = field(name="$param")


class ResultReference(Struct):
    """`{"$result": "stepId.path"}`: a value that an earlier step returned."""

    result: str = field(name="$result")


JsonValue: TypeAlias = str | int | float | bool | list[Any] | dict[str, Any] | None
WorkflowValue: TypeAlias = JsonValue | ParamReference | ResultReference


def workflow_value(value: JsonValue) -> WorkflowValue:
    """Return one entry of `ActionStep.args`: a reference, if that is the only member of an object, else a literal."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, name),) = value.items()
        if isinstance(name, str) and key == "$param":
            return ParamReference(param=name)
        if isinstance(name, str) and key == "$result":
            return ResultReference(result=name)
    return value


class StepRetry(Struct):
    max: Count
    delay_ms: Milliseconds | UnsetType = UNSET


class StepFailurePolicy(Struct):
    retry: StepRetry | UnsetType = UNSET
    goto: StepId | UnsetType = UNSET
    handoff: HandoffSpec | UnsetType = UNSET
    abort: bool | UnsetType = UNSET


class WorkflowStepBase(TypeTagged):
    id: StepId
    title: AuthoredText | UnsetType = UNSET
    text: AuthoredText | UnsetType = UNSET
    when: tuple[WorkflowCondition, ...] | UnsetType = UNSET
    next: StepId | UnsetType = UNSET
    modes: tuple[InteractionMode, ...] | UnsetType = UNSET
    presentation: PresentationHints | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    on_failure: StepFailurePolicy | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class InstructionStep(WorkflowStepBase, tag="instruction"):
    text: AuthoredText
    target: TargetRef | UnsetType = UNSET
    acknowledge: Literal["none", "user"] | UnsetType = UNSET


class CollectStep(WorkflowStepBase, tag="collect"):
    parameter_names: Strings
    only_missing: bool | UnsetType = UNSET


class ActionStep(WorkflowStepBase, tag="action"):
    action_id: ActionId
    target: TargetRef | UnsetType = UNSET
    parameter_names: Strings | UnsetType = UNSET
    args: dict[str, Any] | UnsetType = UNSET  # each value: see workflow_value
    preferred_execution_modes: tuple[ExecutionMode, ...] | UnsetType = UNSET
    verification: VerificationSpec | UnsetType = UNSET


class EnsureStep(WorkflowStepBase, tag="ensure"):
    signals: tuple[SuccessSignal, ...]
    policy: Literal["any", "all"] | UnsetType = UNSET


class Branch(Struct):
    when: tuple[WorkflowCondition, ...]
    next: StepId


class BranchStep(WorkflowStepBase, tag="branch"):
    branches: tuple[Branch, ...]
    otherwise: StepId | UnsetType = UNSET


class HandoffStep(WorkflowStepBase, tag="handoff"):
    handoff: HandoffSpec


class CompleteStep(WorkflowStepBase, tag="complete"):
    outcome: ActionStatus | UnsetType = UNSET
    require_success: bool | UnsetType = UNSET


WorkflowStep: TypeAlias = (
    InstructionStep | CollectStep | ActionStep | EnsureStep | BranchStep | HandoffStep | CompleteStep
)


class WorkflowDefinition(Struct):
    id: WorkflowId
    version: str
    title: AuthoredText
    description: AuthoredText | UnsetType = UNSET
    category: WorkflowCategory
    start_mode: WorkflowStartMode
    interaction_modes: Annotated[tuple[InteractionMode, ...], Meta(min_length=1)]
    goals: Strings | UnsetType = UNSET
    route_ids: Strings | UnsetType = UNSET
    required_roles: Strings | UnsetType = UNSET
    required_grants: tuple[PolicyGrant, ...] | UnsetType = UNSET
    risk: RiskDescriptor | UnsetType = UNSET
    parameters: tuple[WorkflowParameter, ...] | UnsetType = UNSET
    entry_conditions: tuple[WorkflowCondition, ...] | UnsetType = UNSET
    success: tuple[SuccessSignal, ...] | UnsetType = UNSET
    initial_step_id: StepId
    steps: Annotated[tuple[WorkflowStep, ...], Meta(min_length=1)]
    on_failure: StepFailurePolicy | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class StepResult(Struct):
    status: Literal["succeeded", "failed", "skipped"]
    return_value: JsonObject | UnsetType = UNSET
    action_handle: str | UnsetType = UNSET


class WorkflowCheckpoint(Struct):
    revision: RevisionId | UnsetType = UNSET
    route_id: str | UnsetType = UNSET


class WorkflowErrorDescriptor(Struct):
    code: str
    message: str
    step_id: StepId | UnsetType = UNSET


class WorkflowInstance(Struct):
    instance_id: str
    workflow_id: WorkflowId
    version: str
    mode: InteractionMode
    status: WorkflowInstanceStatus
    current_step_id: StepId | UnsetType = UNSET
    parameters: JsonObject
    results: dict[StepId, StepResult]
    started_at: Timestamp
    updated_at: Timestamp
    checkpoint: WorkflowCheckpoint | UnsetType = UNSET
    error: WorkflowErrorDescriptor | UnsetType = UNSET


class WorkflowListPayload(Struct):
    goal: str | UnsetType = UNSET
    route_id: str | UnsetType = UNSET
    category: WorkflowCategory | UnsetType = UNSET
    mode: InteractionMode | UnsetType = UNSET


class WorkflowSummary(Struct):
    id: WorkflowId
    version: str
    title: AuthoredText
    description: AuthoredText | UnsetType = UNSET
    category: WorkflowCategory
    start_mode: WorkflowStartMode
    interaction_modes: tuple[InteractionMode, ...]
    startable: bool
    missing: Strings | UnsetType = UNSET


class WorkflowListedPayload(Struct):
    workflows: tuple[WorkflowSummary, ...]


class WorkflowGetPayload(Struct):
    workflow_id: WorkflowId
    version: str | UnsetType = UNSET


class WorkflowDefinitionPayload(Struct):
    definition: WorkflowDefinition


class WorkflowStartPayload(Struct):
    workflow_id: WorkflowId
    version: str | UnsetType = UNSET
    mode: InteractionMode | UnsetType = UNSET
    parameters: JsonObject | UnsetType = UNSET


class WorkflowStartedPayload(Struct):
    instance: WorkflowInstance


class WorkflowProgressPayload(Struct):
    instance_id: str
    status: WorkflowInstanceStatus
    step_id: StepId | UnsetType = UNSET
    step_type: WorkflowStepType | UnsetType = UNSET
    note: str | UnsetType = UNSET
    action_handle: str | UnsetType = UNSET


class WorkflowInputRequestPayload(Struct):
    instance_id: str
    step_id: StepId
    parameters: tuple[WorkflowParameter, ...]


class WorkflowInputProvidedPayload(Struct):
    instance_id: str
    values: JsonObject


class WorkflowPausePayload(Struct):
    instance_id: str
    reason: str | UnsetType = UNSET


class WorkflowPausedPayload(Struct):
    instance_id: str
    status: Literal["paused"]


class WorkflowResumePayload(Struct):
    instance_id: str
    parameters: JsonObject | UnsetType = UNSET


class WorkflowResumedPayload(Struct):
    instance_id: str
    status: WorkflowInstanceStatus


class WorkflowCancelPayload(Struct):
    instance_id: str
    reason: str | UnsetType = UNSET


class WorkflowCancelledPayload(Struct):
    instance_id: str
    status: Literal["cancelled"]


class WorkflowStatusGetPayload(Struct):
    instance_id: str


class WorkflowStatusPayload(Struct):
    instance: WorkflowInstance


class WorkflowResultPayload(Struct):
    instance_id: str
    workflow_id: WorkflowId
    status: ActionStatus
    observed: tuple[SuccessSignal, ...] | UnsetType = UNSET
    missing: tuple[SuccessSignal, ...] | UnsetType = UNSET
    error: WorkflowErrorDescriptor | UnsetType = UNSET


class WorkflowRecordStartPayload(Struct):
    pass


class WorkflowRecordStartedPayload(Struct):
    recording_id: str
    url: str
    person: bool
    """Whether the inputs of a person are recorded; otherwise the actions of agents alone."""


class WorkflowRecordPickPayload(Struct):
    recording_id: str
    timeout_ms: Milliseconds | UnsetType = UNSET


class WorkflowRecordPickedPayload(Struct):
    role: str
    name: str | UnsetType = UNSET


class WorkflowRecordStopPayload(Struct):
    recording_id: str
    workflow_id: WorkflowId | UnsetType = UNSET
    title: str | UnsetType = UNSET
    keep: bool | UnsetType = UNSET
    """Return the definition so far, and go on recording."""


class WorkflowRecordedPayload(Struct):
    definition: WorkflowDefinition
