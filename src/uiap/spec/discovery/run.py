"""A run of UIAP Discovery v0.1: its states, its decisions and its messages."""

from typing import Literal

from msgspec import UNSET, UnsetType

from uiap.spec.base import Count, Struct
from uiap.spec.discovery.environment import DiscoveryEnvironment, DiscoverySeed
from uiap.spec.discovery.evidence import DiscoveryEffect, DiscoveryReason, DiscoveryRunStatus, EvidenceRef
from uiap.spec.discovery.package import DiscoveryPackage
from uiap.spec.web import PageGraph


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
    """`paused` is no run status. A paused run keeps its status."""

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
