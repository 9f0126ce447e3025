"""Overlays of manifests in UIAP Authoring v0.1: patches, review decisions and discovery findings."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from uiap.spec.authoring.manifest import (
    DiscoveryArtifactKind,
    ManifestPatchOp,
    ManifestSelector,
    ReviewDecisionState,
)
from uiap.spec.base import Strings, Struct


class ManifestPatch(Struct):
    manifest_id: str
    path: str
    op: ManifestPatchOp
    match_key: str | UnsetType = UNSET
    value: Any = UNSET  # null is a value


class OverlayManifest(Struct):
    selector: ManifestSelector
    patches: tuple[ManifestPatch, ...]


class ReviewTarget(Struct):
    manifest_id: str
    path: str | UnsetType = UNSET
    item_id: str | UnsetType = UNSET


class ReviewDecision(Struct):
    target: ReviewTarget
    state: ReviewDecisionState
    by: str
    at: str
    comment: str | UnsetType = UNSET


class ReviewWaiver(Struct):
    target: ReviewTarget
    reason: str
    by: str
    at: str
    expires_at: str | UnsetType = UNSET


class ReviewSetManifest(Struct):
    decisions: tuple[ReviewDecision, ...]
    waivers: tuple[ReviewWaiver, ...] | UnsetType = UNSET


class DiscoverySource(Struct):
    run_id: str | UnsetType = UNSET
    ref: str | UnsetType = UNSET


class DiscoveryAcceptanceRule(Struct):
    kind: DiscoveryArtifactKind
    ids: Strings | UnsetType = UNSET
    target_manifest_id: str
    mode: Literal["copy", "promote", "link"] | UnsetType = UNSET


class DiscoveryRejectionRule(Struct):
    kind: DiscoveryArtifactKind
    ids: Strings | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class DiscoveryImportManifest(Struct):
    source: DiscoverySource
    accept: tuple[DiscoveryAcceptanceRule, ...]
    reject: tuple[DiscoveryRejectionRule, ...] | UnsetType = UNSET
