"""UIAP Authoring/Manifest v0.1: the eleven manifest kinds, build context, publishing, compiled bundle.

Loading, merging, patching and gating belong to the authoring room.
"""

from typing import Any, Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import ByTagged, JsonObject, KindTagged, Strings, Struct
from uiap.spec.capability import (
    ActionDescriptor,
    ActionId,
    CapabilityDocument,
    ProfileId,
    RiskDescriptor,
    RiskLevel,
    ScopeId,
    StableId,
    SuccessSignal,
    UIRole,
)
from uiap.spec.policy import PolicyDocument
from uiap.spec.text import AuthoredText as AuthoredText
from uiap.spec.text import LocalizedMessage
from uiap.spec.text import LocalizedText as LocalizedText
from uiap.spec.vocabulary import DataClass, ScopeKind
from uiap.spec.workflow import WorkflowDefinition

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


class BuildContext(Struct):
    environment: str | UnsetType = UNSET
    channel: ReleaseChannel | UnsetType = UNSET
    locale: str | UnsetType = UNSET
    tenant_id: str | UnsetType = UNSET
    principal_profile: str | UnsetType = UNSET
    app_version: str | UnsetType = UNSET


class BuildSpec(Struct):
    profile: ProfileId | UnsetType = UNSET
    out_dir: str | UnsetType = UNSET
    contexts: tuple[BuildContext, ...] | UnsetType = UNSET
    strict: bool | UnsetType = UNSET
    digest: Literal["sha256", "none"] | UnsetType = UNSET


class ReleaseChannelSpec(Struct):
    name: ReleaseChannel
    selectors: tuple[ManifestSelector, ...] | UnsetType = UNSET
    required_review_state: Literal["approved", "in_review", "draft"] | UnsetType = UNSET
    allow_waivers: bool | UnsetType = UNSET
    forbid_generated_only: bool | UnsetType = UNSET
    require_digest: bool | UnsetType = UNSET


class PublishSpec(Struct):
    default_channel: ReleaseChannel | UnsetType = UNSET
    channels: tuple[ReleaseChannelSpec, ...]


class ExtensionRange(Struct):
    id: str
    range: str
    required: bool | UnsetType = UNSET


class SdkRanges(Struct):
    web: str | UnsetType = UNSET


class CompatibilitySpec(Struct):
    uiap_core: str
    extensions: tuple[ExtensionRange, ...] | UnsetType = UNSET
    sdk: SdkRanges | UnsetType = UNSET
    app_versions: Strings | UnsetType = UNSET


class ImportFilter(Struct):
    kinds: tuple[AuthoringKind, ...] | UnsetType = UNSET
    manifest_ids: Strings | UnsetType = UNSET


class PackageImport(Struct):
    package_id: str
    version_range: str
    alias: str
    include: ImportFilter | UnsetType = UNSET


class LocalManifestRef(Struct):
    id: str
    kind: SubManifestKind
    path: str
    required: bool | UnsetType = UNSET


class PackageManifest(Struct):
    package_id: str
    version: str
    compatibility: CompatibilitySpec
    imports: tuple[PackageImport, ...] | UnsetType = UNSET
    manifests: tuple[LocalManifestRef, ...]
    build: BuildSpec | UnsetType = UNSET
    publish: PublishSpec | UnsetType = UNSET


class AppEnvironment(Struct):
    id: str
    base_urls: Strings | UnsetType = UNSET
    labels: dict[str, str] | UnsetType = UNSET


class AppPrincipalProfile(Struct):
    id: str
    roles: Strings | UnsetType = UNSET
    grants: Strings | UnsetType = UNSET  # free words here; the build warns about unknown grants
    description: str | UnsetType = UNSET


class AppRoutingConfig(Struct):
    mode: Literal["history", "hash", "custom"] | UnsetType = UNSET
    route_provider_ref: str | UnsetType = UNSET


class AppSDKConfig(Struct):
    annotation_prefix: str | UnsetType = UNSET
    route_provider_ref: str | UnsetType = UNSET
    overlay_enabled: bool | UnsetType = UNSET


class AppManifest(Struct):
    app_id: str
    display_name: str
    default_locale: str | UnsetType = UNSET
    supported_locales: Strings | UnsetType = UNSET
    environments: tuple[AppEnvironment, ...] | UnsetType = UNSET
    principal_profiles: tuple[AppPrincipalProfile, ...] | UnsetType = UNSET
    routing: AppRoutingConfig | UnsetType = UNSET
    sdk: AppSDKConfig | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class CapabilitiesManifest(Struct):
    document: CapabilityDocument


class RouteIdMatcher(KindTagged, tag="routeId"):
    value: str


class PathMatcher(KindTagged, tag="path"):
    value: str


class UrlPatternMatcher(KindTagged, tag="urlPattern"):
    value: str


class TitleMatcher(KindTagged, tag="title"):
    value: str


class SignalMatcher(KindTagged, tag="signal"):
    value: str


RouteMatcher: TypeAlias = RouteIdMatcher | PathMatcher | UrlPatternMatcher | TitleMatcher | SignalMatcher


class RouteBinding(Struct):
    id: str
    match: tuple[RouteMatcher, ...]
    title: AuthoredText | UnsetType = UNSET
    parent_route_id: str | UnsetType = UNSET
    success_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class ScopeBinding(Struct):
    id: str
    kind: ScopeKind
    route_ids: Strings | UnsetType = UNSET
    parent_scope_id: ScopeId | UnsetType = UNSET
    title: AuthoredText | UnsetType = UNSET
    stable_ids: tuple[StableId, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class AnnotationMatcher(ByTagged, tag="annotation"):
    attr: str
    value: str


class SemanticMatcher(ByTagged, tag="semantic"):
    role: UIRole | UnsetType = UNSET
    name: str | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET


class LabelMatcher(ByTagged, tag="label"):
    text: str


class TextMatcher(ByTagged, tag="text"):
    text: str


class AdapterMatcher(ByTagged, tag="adapter"):
    id: str


class RuntimeHintMatcher(ByTagged, tag="runtimeHint"):
    css: str | UnsetType = UNSET
    xpath: str | UnsetType = UNSET


ElementMatcher: TypeAlias = (
    AnnotationMatcher | SemanticMatcher | LabelMatcher | TextMatcher | AdapterMatcher | RuntimeHintMatcher
)


class ElementBinding(Struct):
    id: StableId
    scope_id: ScopeId | UnsetType = UNSET
    route_ids: Strings | UnsetType = UNSET
    role: UIRole | UnsetType = UNSET
    name: AuthoredText | UnsetType = UNSET
    meaning: str | UnsetType = UNSET
    match: tuple[ElementMatcher, ...]
    risk: RiskLevel | RiskDescriptor | UnsetType = UNSET  # a bare level means {level}
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    default_action: ActionId | UnsetType = UNSET
    success: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class BindingsManifest(Struct):
    routes: tuple[RouteBinding, ...] | UnsetType = UNSET
    scopes: tuple[ScopeBinding, ...] | UnsetType = UNSET
    elements: tuple[ElementBinding, ...] | UnsetType = UNSET


class ActionImplementationRef(Struct):
    kind: ImplementationKind
    ref: str | UnsetType = UNSET


class AuthoredAction(ActionDescriptor):
    implementation: ActionImplementationRef | UnsetType = UNSET
    selectors: tuple[ManifestSelector, ...] | UnsetType = UNSET


class ActionsManifest(Struct):
    actions: tuple[AuthoredAction, ...]


class ScopedPolicyDocument(Struct):
    id: str
    selector: ManifestSelector | UnsetType = UNSET
    document: PolicyDocument


class PolicySetManifest(Struct):
    policies: tuple[ScopedPolicyDocument, ...]


class WorkflowReviewHints(Struct):
    level: Literal["draft", "candidate", "approved"] | UnsetType = UNSET
    high_risk: bool | UnsetType = UNSET
    generated_from_discovery: bool | UnsetType = UNSET


class AuthoredWorkflow(Struct):
    selector: ManifestSelector | UnsetType = UNSET
    review: WorkflowReviewHints | UnsetType = UNSET
    definition: WorkflowDefinition


class WorkflowCatalogManifest(Struct):
    workflows: tuple[AuthoredWorkflow, ...]


LocaleMessage: TypeAlias = LocalizedMessage


class LocaleNamespace(Struct):
    messages: dict[str, LocaleMessage]


class LocalePackManifest(Struct):
    namespaces: dict[str, LocaleNamespace]


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


class AuthoringDocument(KindTagged):
    """What all eleven kinds of document share; `kind` decides the type of `spec`."""

    api_version: Literal["uiap.authoring/v0.1"]
    metadata: ManifestMetadata
    status: ManifestStatus | UnsetType = UNSET


class PackageDocument(AuthoringDocument, tag="Package"):
    spec: PackageManifest


class AppDocument(AuthoringDocument, tag="App"):
    spec: AppManifest


class CapabilitiesDocument(AuthoringDocument, tag="Capabilities"):
    spec: CapabilitiesManifest


class BindingsDocument(AuthoringDocument, tag="Bindings"):
    spec: BindingsManifest


class ActionsDocument(AuthoringDocument, tag="Actions"):
    spec: ActionsManifest


class PolicySetDocument(AuthoringDocument, tag="PolicySet"):
    spec: PolicySetManifest


class WorkflowCatalogDocument(AuthoringDocument, tag="WorkflowCatalog"):
    spec: WorkflowCatalogManifest


class LocalePackDocument(AuthoringDocument, tag="LocalePack"):
    spec: LocalePackManifest


class OverlayDocument(AuthoringDocument, tag="Overlay"):
    spec: OverlayManifest


class ReviewSetDocument(AuthoringDocument, tag="ReviewSet"):
    spec: ReviewSetManifest


class DiscoveryImportDocument(AuthoringDocument, tag="DiscoveryImport"):
    spec: DiscoveryImportManifest


UIAPAuthoringDocument: TypeAlias = (
    PackageDocument
    | AppDocument
    | CapabilitiesDocument
    | BindingsDocument
    | ActionsDocument
    | PolicySetDocument
    | WorkflowCatalogDocument
    | LocalePackDocument
    | OverlayDocument
    | ReviewSetDocument
    | DiscoveryImportDocument
)


class UIAPCompiledBundle(Struct):
    """What runtimes read instead of loose manifests. The members' types are the manifests' `spec` parts."""

    package_id: str
    version: str
    profile: str
    build_context: BuildContext
    compatibility: CompatibilitySpec
    app: AppManifest
    capabilities: CapabilityDocument | UnsetType = UNSET
    bindings: BindingsManifest | UnsetType = UNSET
    actions: tuple[AuthoredAction, ...] | UnsetType = UNSET
    policies: tuple[ScopedPolicyDocument, ...] | UnsetType = UNSET
    workflows: tuple[WorkflowDefinition, ...] | UnsetType = UNSET
    locales: dict[str, str] | UnsetType = UNSET
    manifest_index: Strings | UnsetType = UNSET
    digest: str | UnsetType = UNSET
