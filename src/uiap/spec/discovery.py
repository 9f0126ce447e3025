"""UIAP Discovery Mapper v0.1: the package a run produces, its environment and seeds, and the run's messages.

Exploring, fingerprinting and deriving candidates belong to the discovery room.
"""

from typing import Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import Count, JsonObject, KindTagged, Milliseconds, Number, Strings, Struct, Timestamp
from uiap.spec.capability import (
    ActionArgDescriptor,
    ActionId,
    RiskDescriptor,
    ScopeId,
    StableId,
    SuccessSignal,
    TargetRef,
    UIAffordance,
    UIRole,
    UIStateKey,
)
from uiap.spec.policy import PolicyGrant, SideEffectClass
from uiap.spec.vocabulary import DataClass, ScopeKind
from uiap.spec.web import PageGraph
from uiap.spec.workflow import WorkflowCategory, WorkflowCondition, WorkflowParameter, WorkflowStepType

EvidenceSource: TypeAlias = Literal[
    "annotation",
    "app_registry",
    "dom",
    "accessibility",
    "visible_text",
    "signal",
    "transition",
    "network",
    "screenshot",
    "vision",
    "documentation",
    "manual_review",
    "inferred",
]
Confidence: TypeAlias = Literal["high", "medium", "low"]
ReviewState: TypeAlias = Literal["verified", "candidate", "needs_review"]
ActionReviewState: TypeAlias = Literal["verified", "candidate", "unsafe", "needs_review"]
ReviewSeverity: TypeAlias = Literal["low", "medium", "high"]
ReviewKind: TypeAlias = Literal[
    "missing_stable_id",
    "duplicate_name",
    "ambiguous_target",
    "opaque_frame",
    "closed_shadow",
    "missing_success_signal",
    "unsafe_action_candidate",
    "inferred_only",
    "coverage_gap",
    "workflow_uncertain",
    "custom",
]
DiscoveryRunStatus: TypeAlias = Literal[
    "planning",
    "preparing",
    "seeding",
    "exploring",
    "extracting",
    "synthesizing",
    "reviewing",
    "completed",
    "failed",
    "cancelled",
]
DiscoveryMode: TypeAlias = Literal["observe_only", "safe_explore", "sandbox_write"]
DiscoveryEffect: TypeAlias = Literal["allow", "skip", "review", "deny"]
DiscoveryReason: TypeAlias = Literal[
    "safe",
    "unknown_side_effect",
    "destructive",
    "external_effect",
    "credential",
    "payment",
    "security_sensitive",
    "budget_exceeded",
    "opaque_boundary",
    "manual_only",
]
EvidenceKind: TypeAlias = Literal[
    "annotation",
    "registry",
    "page_graph",
    "ax_tree",
    "screenshot",
    "transition",
    "signal",
    "network",
    "document",
    "note",
]

EVIDENCE_SOURCES: tuple[EvidenceSource, ...] = get_args(EvidenceSource)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
REVIEW_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
DISCOVERY_RUN_STATUSES: tuple[DiscoveryRunStatus, ...] = get_args(DiscoveryRunStatus)
DISCOVERY_MODES: tuple[DiscoveryMode, ...] = get_args(DiscoveryMode)
DISCOVERY_EFFECTS: tuple[DiscoveryEffect, ...] = get_args(DiscoveryEffect)
DISCOVERY_REASONS: tuple[DiscoveryReason, ...] = get_args(DiscoveryReason)


class EvidenceRef(Struct):
    source: EvidenceSource
    ref_id: str
    note: str | UnsetType = UNSET


class EvidenceItem(Struct):
    ref_id: str
    source: EvidenceSource
    kind: EvidenceKind
    state_id: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET
    inline: JsonObject | UnsetType = UNSET
    digest: str | UnsetType = UNSET
    captured_at: Timestamp | UnsetType = UNSET
    redacted: bool | UnsetType = UNSET


class EvidenceIndex(Struct):
    items: tuple[EvidenceItem, ...]


class RouteSeed(KindTagged, tag="route"):
    route_id: str


class UrlSeed(KindTagged, tag="url"):
    url: str


class MenuSeed(KindTagged, tag="menu"):
    label: str


class ActionSeed(KindTagged, tag="action"):
    action_id: ActionId


class WorkflowSeed(KindTagged, tag="workflow"):
    workflow_id: str


class DocumentationSeed(KindTagged, tag="documentation"):
    ref: str


DiscoverySeed: TypeAlias = RouteSeed | UrlSeed | MenuSeed | ActionSeed | WorkflowSeed | DocumentationSeed
DISCOVERY_SEED_KINDS: Strings = tuple(str(seed.__struct_config__.tag) for seed in get_args(DiscoverySeed))


class DiscoveryViewport(Struct):
    width: Number
    height: Number


class DiscoveryPrincipalProfile(Struct):
    id: str
    roles: Strings | UnsetType = UNSET
    grants: tuple[PolicyGrant, ...] | UnsetType = UNSET
    description: str | UnsetType = UNSET


class DiscoveryBudget(Struct):
    max_states: Count | UnsetType = UNSET
    max_transitions: Count | UnsetType = UNSET
    max_depth: Count | UnsetType = UNSET
    max_runtime_ms: Milliseconds | UnsetType = UNSET
    max_per_route: Count | UnsetType = UNSET


class DiscoverySafetyPolicy(Struct):
    default_mode: DiscoveryMode
    allow_external_effects: bool | UnsetType = UNSET
    allow_destructive_actions: bool | UnsetType = UNSET
    allow_auth_flows: bool | UnsetType = UNSET
    allow_payment_flows: bool | UnsetType = UNSET


class DiscoveryEnvironment(Struct):
    environment_id: str
    base_url: str
    locale: str | UnsetType = UNSET
    viewport: DiscoveryViewport | UnsetType = UNSET
    auth_mode: Literal["manual", "seeded", "session_reuse"] | UnsetType = UNSET
    principal_profiles: tuple[DiscoveryPrincipalProfile, ...] | UnsetType = UNSET
    feature_flags: dict[str, bool | str | int | float] | UnsetType = UNSET
    budgets: DiscoveryBudget | UnsetType = UNSET
    safety: DiscoverySafetyPolicy | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class DiscoveryRunSummary(Struct):
    run_id: str
    started_at: str
    finished_at: str | UnsetType = UNSET
    status: DiscoveryRunStatus
    environment_id: str
    profile: str | UnsetType = UNSET
    seeds: tuple[DiscoverySeed, ...] | UnsetType = UNSET
    notes: Strings | UnsetType = UNSET


class DiscoveredRoute(Struct):
    route_id: str
    urls: Strings | UnsetType = UNSET
    titles: Strings | UnsetType = UNSET
    scopes: tuple[ScopeId, ...] | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    entry_actions: Strings | UnsetType = UNSET
    exit_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class RouteCatalog(Struct):
    routes: tuple[DiscoveredRoute, ...]


class DiscoveredScope(Struct):
    scope_id: ScopeId
    kind: ScopeKind
    route_ids: Strings | UnsetType = UNSET
    parent_scope_id: ScopeId | UnsetType = UNSET
    names: Strings | UnsetType = UNSET
    stable_ids: tuple[StableId, ...] | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    metadata: JsonObject | UnsetType = UNSET


class ScopeCatalog(Struct):
    scopes: tuple[DiscoveredScope, ...]


class DiscoveredElement(Struct):
    stable_id: StableId | UnsetType = UNSET
    semantic_key: str
    routes: Strings | UnsetType = UNSET
    scopes: tuple[ScopeId, ...] | UnsetType = UNSET
    role: UIRole
    names: Strings | UnsetType = UNSET
    meanings: Strings | UnsetType = UNSET
    state_keys: tuple[UIStateKey, ...] | UnsetType = UNSET
    affordances: tuple[UIAffordance, ...] | UnsetType = UNSET
    supported_actions: tuple[ActionId, ...] | UnsetType = UNSET
    risk: RiskDescriptor | UnsetType = UNSET
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    review_state: ReviewState | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class ElementCatalog(Struct):
    elements: tuple[DiscoveredElement, ...]


class ActionTargetPattern(Struct):
    role: UIRole | UnsetType = UNSET
    stable_id: StableId | UnsetType = UNSET
    meaning: str | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET


class DiscoveredAction(Struct):
    id: ActionId
    kind: Literal["primitive", "domain", "candidate"]
    target_patterns: tuple[ActionTargetPattern, ...] | UnsetType = UNSET
    routes: Strings | UnsetType = UNSET
    scopes: tuple[ScopeId, ...] | UnsetType = UNSET
    args: tuple[ActionArgDescriptor, ...] | UnsetType = UNSET
    risk: RiskDescriptor | UnsetType = UNSET
    side_effect_class: SideEffectClass | UnsetType = UNSET
    success_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    prerequisites: tuple[WorkflowCondition, ...] | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    review_state: ActionReviewState | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class ActionCatalog(Struct):
    actions: tuple[DiscoveredAction, ...]


class DiscoveryStateNode(Struct):
    state_id: str
    fingerprint: str
    route_id: str | UnsetType = UNSET
    scope_ids: tuple[ScopeId, ...] | UnsetType = UNSET
    modal_stack: Strings | UnsetType = UNSET
    page_graph_ref: str | UnsetType = UNSET
    screenshot_ref: str | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    metadata: JsonObject | UnsetType = UNSET


class DiscoveryTransition(Struct):
    transition_id: str
    from_state_id: str
    to_state_id: str
    via_action_id: ActionId
    target: TargetRef | UnsetType = UNSET
    args: JsonObject | UnsetType = UNSET
    side_effect_class: SideEffectClass | UnsetType = UNSET
    observed_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    confidence: Confidence
    discovered_by: tuple[EvidenceRef, ...]
    metadata: JsonObject | UnsetType = UNSET


class TransitionGraph(Struct):
    states: tuple[DiscoveryStateNode, ...]
    edges: tuple[DiscoveryTransition, ...]


class WorkflowStepSkeleton(Struct):
    type: WorkflowStepType
    action_id: ActionId | UnsetType = UNSET
    target: TargetRef | UnsetType = UNSET
    parameter_names: Strings | UnsetType = UNSET
    signals: tuple[SuccessSignal, ...] | UnsetType = UNSET


class DiscoveredWorkflowCandidate(Struct):
    id: str
    title: str | UnsetType = UNSET
    category: WorkflowCategory | UnsetType = UNSET
    route_ids: Strings | UnsetType = UNSET
    entry_conditions: tuple[WorkflowCondition, ...] | UnsetType = UNSET
    required_inputs: tuple[WorkflowParameter, ...] | UnsetType = UNSET
    step_skeleton: tuple[WorkflowStepSkeleton, ...]
    success_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    discovered_by: tuple[EvidenceRef, ...]
    confidence: Confidence
    review_state: ReviewState | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class WorkflowCandidateCatalog(Struct):
    workflows: tuple[DiscoveredWorkflowCandidate, ...]


class ReviewItem(Struct):
    id: str
    severity: ReviewSeverity
    kind: ReviewKind
    route_id: str | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET
    stable_id: StableId | UnsetType = UNSET
    description: str
    evidence: tuple[EvidenceRef, ...]
    remediation: str | UnsetType = UNSET


class ReviewQueue(Struct):
    items: tuple[ReviewItem, ...]


class ConfidenceSummary(Struct):
    high: Count
    medium: Count
    low: Count


class CoverageReport(Struct):
    seeds_total: Count
    seeds_visited: Count
    routes_discovered: Count
    scopes_discovered: Count
    elements_discovered: Count
    actions_discovered: Count
    workflow_candidates_discovered: Count
    opaque_regions: Count
    unresolved_transitions: Count
    review_items: Count
    confidence_summary: ConfidenceSummary | UnsetType = UNSET


class DiscoveryPackage(Struct):
    model_version: Literal["0.1"]
    spec: Literal["uiap.discovery"]
    revision: str | UnsetType = UNSET
    run: DiscoveryRunSummary
    environment: DiscoveryEnvironment
    route_catalog: RouteCatalog
    scope_catalog: ScopeCatalog
    element_catalog: ElementCatalog
    action_catalog: ActionCatalog
    transition_graph: TransitionGraph
    workflow_candidates: WorkflowCandidateCatalog | UnsetType = UNSET
    review_queue: ReviewQueue
    coverage: CoverageReport
    evidence_index: EvidenceIndex | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class DiscoveryStateSnapshot(Struct):
    state_id: str
    page_graph: PageGraph
    screenshot_ref: str | UnsetType = UNSET
    evidence: tuple[EvidenceRef, ...]
    fingerprint: str
    discovered_at: str
    entry_seed: DiscoverySeed | UnsetType = UNSET


class StateFingerprintPolicy(Struct):
    include_text_values: bool | UnsetType = UNSET
    include_collections: bool | UnsetType = UNSET
    ignore_transient_toasts: bool | UnsetType = UNSET
    ignore_spinners: bool | UnsetType = UNSET


class DiscoveryActionPolicyDecision(Struct):
    effect: DiscoveryEffect
    reason: DiscoveryReason


class DiscoveryPlanPayload(Struct):
    environment: DiscoveryEnvironment
    seeds: tuple[DiscoverySeed, ...] | UnsetType = UNSET


class RejectedSeed(Struct):
    seed: DiscoverySeed
    reason: str


class DiscoveryPlannedPayload(Struct):
    run_id: str
    estimated_seed_count: Count | UnsetType = UNSET
    accepted_seeds: tuple[DiscoverySeed, ...] | UnsetType = UNSET
    rejected_seeds: tuple[RejectedSeed, ...] | UnsetType = UNSET


class DiscoveryStartPayload(Struct):
    run_id: str


class DiscoveryStartedPayload(Struct):
    run_id: str
    status: Literal["preparing", "seeding", "exploring"]


class DiscoveryProgressPayload(Struct):
    run_id: str
    status: DiscoveryRunStatus
    current_seed: DiscoverySeed | UnsetType = UNSET
    current_route_id: str | UnsetType = UNSET
    current_state_id: str | UnsetType = UNSET
    visited_states: Count | UnsetType = UNSET
    visited_transitions: Count | UnsetType = UNSET
    discovered_routes: Count | UnsetType = UNSET
    discovered_actions: Count | UnsetType = UNSET
    discovered_workflow_candidates: Count | UnsetType = UNSET
    note: str | UnsetType = UNSET


class DiscoveryPausePayload(Struct):
    run_id: str
    reason: str | UnsetType = UNSET


class DiscoveryPausedPayload(Struct):
    """`paused` is not a run status: it lies over the status the run has kept."""

    run_id: str
    status: Literal["paused"]


class DiscoveryResumePayload(Struct):
    run_id: str


class DiscoveryResumedPayload(Struct):
    run_id: str
    status: DiscoveryRunStatus


class DiscoveryCancelPayload(Struct):
    run_id: str
    reason: str | UnsetType = UNSET


class DiscoveryCancelledPayload(Struct):
    run_id: str
    status: Literal["cancelled"]


class DiscoveryResultPayload(Struct):
    run_id: str
    status: Literal["completed", "failed", "cancelled"]
    package: DiscoveryPackage


class DiscoveryPackageGetPayload(Struct):
    run_id: str


class DiscoveryPackagePayload(Struct):
    package: DiscoveryPackage
