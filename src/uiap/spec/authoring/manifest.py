"""The common parts of all manifests of UIAP Authoring v0.1: kind, owner, provenance and selector."""

from typing import Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import Strings, Struct

API_VERSION: Literal["uiap.authoring/v0.1"] = "uiap.authoring/v0.1"

SubManifestKind: TypeAlias = Literal[
    "App",
    "Capabilities",
    "Bindings",
    "Actions",
    "PolicySet",
    "WorkflowCatalog",
    "LocalePack",
    "Overlay",
    "ReviewSet",
    "DiscoveryImport",
]
AuthoringKind: TypeAlias = Literal["Package", SubManifestKind]
ManifestReviewState: TypeAlias = Literal[
    "draft", "generated", "in_review", "approved", "rejected", "deprecated"
]
ManifestSource: TypeAlias = Literal["manual", "generated", "mixed", "imported"]
ReleaseChannel: TypeAlias = Literal["dev", "staging", "canary", "prod", "deprecated"]
ManifestPatchOp: TypeAlias = Literal["replace", "merge", "append", "remove", "upsert"]
ReviewDecisionState: TypeAlias = Literal["approved", "rejected", "needs_review"]
DiscoveryArtifactKind: TypeAlias = Literal[
    "route", "scope", "element", "action", "workflowCandidate", "reviewItem"
]
ImplementationKind: TypeAlias = Literal["sdkHandler", "serverAction", "externalDriver", "none"]
ProvenanceSource: TypeAlias = Literal["manual", "discovery", "import", "generated", "runtime-trace"]

AUTHORING_KINDS: tuple[AuthoringKind, ...] = get_args(AuthoringKind)
SUB_MANIFEST_KINDS: tuple[SubManifestKind, ...] = get_args(SubManifestKind)
MANIFEST_REVIEW_STATES: tuple[ManifestReviewState, ...] = get_args(ManifestReviewState)
RELEASE_CHANNELS: tuple[ReleaseChannel, ...] = get_args(ReleaseChannel)
MANIFEST_PATCH_OPS: tuple[ManifestPatchOp, ...] = get_args(ManifestPatchOp)


class OwnerRef(Struct):
    id: str
    role: Literal["owner", "maintainer", "reviewer", "approver"] | UnsetType = UNSET
    contact: str | UnsetType = UNSET


class ManifestMetadata(Struct):
    id: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    version: str | UnsetType = UNSET  # AUTH-3.1: a Package must set it
    package_id: str | UnsetType = UNSET
    labels: dict[str, str] | UnsetType = UNSET
    tags: Strings | UnsetType = UNSET
    owners: tuple[OwnerRef, ...] | UnsetType = UNSET
    source: ManifestSource | UnsetType = UNSET
    review_state: ManifestReviewState | UnsetType = UNSET


class ProvenanceRecord(Struct):
    source: ProvenanceSource
    ref: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    at: str | UnsetType = UNSET


class ManifestStatus(Struct):
    provenance: tuple[ProvenanceRecord, ...] | UnsetType = UNSET
    warnings: Strings | UnsetType = UNSET
    digest: str | UnsetType = UNSET


class ManifestSelector(Struct):
    environments: Strings | UnsetType = UNSET
    channels: tuple[ReleaseChannel, ...] | UnsetType = UNSET
    locales: Strings | UnsetType = UNSET
    tenant_ids: Strings | UnsetType = UNSET
    principal_profiles: Strings | UnsetType = UNSET
    app_version_ranges: Strings | UnsetType = UNSET
