"""The vocabularies of UIAP Discovery v0.1, and the evidence for its findings."""

from typing import Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import JsonObject, Struct, Timestamp

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
