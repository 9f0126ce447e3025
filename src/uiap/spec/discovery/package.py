"""The package of UIAP Discovery v0.1: catalogs, transitions, candidates, review items and coverage."""

from typing import Literal

from msgspec import UNSET, UnsetType

from uiap.spec.base import Count, JsonObject, Strings, Struct
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
from uiap.spec.discovery.environment import DiscoveryEnvironment, DiscoverySeed
from uiap.spec.discovery.evidence import (
    ActionReviewState,
    Confidence,
    DiscoveryRunStatus,
    EvidenceIndex,
    EvidenceRef,
    ReviewKind,
    ReviewSeverity,
    ReviewState,
)
from uiap.spec.policy import SideEffectClass
from uiap.spec.vocabulary import DataClass, ScopeKind
from uiap.spec.workflow import WorkflowCategory, WorkflowCondition, WorkflowParameter, WorkflowStepType


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
