"""UIAP Action Runtime v0.1: the messages of one action and the types they carry.

Names the states, stages and error codes of the lifecycle. The runtime implements it.
"""

from typing import Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import FalseOnly, JsonObject, Milliseconds, Struct
from uiap.spec.capability import (
    ActionId,
    ExecutionMode,
    RiskDescriptor,
    ScopeId,
    StableId,
    SuccessSignal,
    UIRole,
    WebTargetRef,
)
from uiap.spec.vocabulary import DocumentId, ElementInstanceId, RevisionId
from uiap.spec.web import DOMRectLike

RuntimeState: TypeAlias = Literal[
    "RECEIVED",
    "RESOLVING_TARGET",
    "CHECKING_PRECONDITIONS",
    "AWAITING_CONFIRMATION",
    "EXECUTING",
    "VERIFYING",
    "WAITING_FOR_USER",
    "RECOVERING",
    "SUCCEEDED",
    "FAILED",
    "CANCELLED",
]
ProgressStage: TypeAlias = Literal[
    "resolving_target",
    "checking_preconditions",
    "awaiting_confirmation",
    "executing",
    "verifying",
    "waiting_for_user",
    "recovering",
]
RuntimeErrorCode: TypeAlias = Literal[
    "action_unsupported",
    "target_required",
    "target_not_found",
    "target_ambiguous",
    "stale_target",
    "target_not_interactable",
    "confirmation_denied",
    "user_activation_required",
    "cross_origin_unavailable",
    "closed_shadow_unavailable",
    "execution_mode_unavailable",
    "verification_failed",
    "unsafe_retry_refused",
    "cancelled",
    "internal_runtime_error",
]
ActionStatus: TypeAlias = Literal["succeeded", "failed", "cancelled"]
SideEffectState: TypeAlias = Literal["none", "applied", "unknown"]
VerificationPolicy: TypeAlias = Literal["capability-default", "any", "all", "none"]
ResolvedBy: TypeAlias = Literal["stableId", "instanceId", "semantic", "annotation", "runtimeHint"]

RUNTIME_STATES: tuple[RuntimeState, ...] = get_args(RuntimeState)
FINAL_STATES: frozenset[RuntimeState] = frozenset({"SUCCEEDED", "FAILED", "CANCELLED"})
PROGRESS_STAGES: tuple[ProgressStage, ...] = get_args(ProgressStage)
RUNTIME_ERROR_CODES: tuple[RuntimeErrorCode, ...] = get_args(RuntimeErrorCode)
ACTION_STATUSES: tuple[ActionStatus, ...] = get_args(ActionStatus)
SIDE_EFFECT_STATES: tuple[SideEffectState, ...] = get_args(SideEffectState)
VERIFICATION_POLICIES: tuple[VerificationPolicy, ...] = get_args(VerificationPolicy)
RESOLVED_BY: tuple[ResolvedBy, ...] = get_args(ResolvedBy)

# ACT-7: the default order of fallback.
MODE_ORDER: tuple[ExecutionMode, ...] = (
    "appAction",
    "semanticUi",
    "externalDriver",
    "inputSynthesis",
    "visionAssist",
)


class ActionTarget(Struct):
    ref: WebTargetRef | UnsetType = UNSET
    expected_role: UIRole | UnsetType = UNSET
    expected_name: str | UnsetType = UNSET
    expected_scope_id: ScopeId | UnsetType = UNSET
    expected_document_id: DocumentId | UnsetType = UNSET
    allow_ambiguous: FalseOnly | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.allow_ambiguous is True:
            raise ValueError("`allowAmbiguous` must be false; narrow the target instead")


class VerificationSpec(Struct):
    policy: VerificationPolicy | UnsetType = UNSET
    signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    require_revision_advance: bool | UnsetType = UNSET


class VerificationOutcome(Struct):
    passed: bool
    policy: VerificationPolicy
    observed: tuple[SuccessSignal, ...]
    missing: tuple[SuccessSignal, ...] | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class PresentationHints(Struct):
    ghost_cursor: bool | UnsetType = UNSET
    highlight: Literal["none", "outline", "spotlight"] | UnsetType = UNSET
    narration: str | UnsetType = UNSET
    pace: Literal["instant", "humanized"] | UnsetType = UNSET


class ResolvedTarget(Struct):
    by: ResolvedBy
    instance_id: ElementInstanceId
    stable_id: StableId | UnsetType = UNSET
    document_id: DocumentId
    scope_id: ScopeId | UnsetType = UNSET
    role: UIRole
    name: str | UnsetType = UNSET
    bbox: DOMRectLike | UnsetType = UNSET


class RuntimeErrorDescriptor(Struct):
    code: RuntimeErrorCode
    message: str
    retryable: bool | UnsetType = UNSET
    detail: JsonObject | UnsetType = UNSET


class ActionRequestPayload(Struct):
    action_id: ActionId
    target: ActionTarget | UnsetType = UNSET
    args: JsonObject | UnsetType = UNSET
    preferred_execution_modes: tuple[ExecutionMode, ...] | UnsetType = UNSET
    verification: VerificationSpec | UnsetType = UNSET
    presentation: PresentationHints | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    idempotency_key: str | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class ActionAcceptedPayload(Struct):
    action_handle: str
    action_id: ActionId
    status: Literal["accepted"]


class ActionProgressPayload(Struct):
    action_handle: str
    stage: ProgressStage
    chosen_execution_mode: ExecutionMode | UnsetType = UNSET
    resolved_target: ResolvedTarget | UnsetType = UNSET
    note: str | UnsetType = UNSET
    detail: JsonObject | UnsetType = UNSET


class ConfirmationPreview(Struct):
    summary: str | UnsetType = UNSET
    target: ResolvedTarget | UnsetType = UNSET
    args: JsonObject | UnsetType = UNSET


class ActionConfirmationRequestPayload(Struct):
    action_handle: str
    action_id: ActionId
    risk: RiskDescriptor
    preview: ConfirmationPreview | UnsetType = UNSET


class ActionConfirmationGrantPayload(Struct):
    action_handle: str


class ActionConfirmationDenyPayload(Struct):
    action_handle: str
    reason: str | UnsetType = UNSET


class ActionCancelPayload(Struct):
    action_handle: str
    reason: str | UnsetType = UNSET


class ActionCancelledPayload(Struct):
    action_handle: str
    status: Literal["cancelled"]
    reason: str | UnsetType = UNSET


class ActionResultPayload(Struct):
    action_handle: str
    action_id: ActionId
    status: ActionStatus
    chosen_execution_mode: ExecutionMode | UnsetType = UNSET
    resolved_target: ResolvedTarget | UnsetType = UNSET
    verification: VerificationOutcome
    side_effect_state: SideEffectState | UnsetType = UNSET
    state_revision: RevisionId | UnsetType = UNSET
    return_value: JsonObject | UnsetType = UNSET
    error: RuntimeErrorDescriptor | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET
