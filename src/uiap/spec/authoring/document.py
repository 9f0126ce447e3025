"""The documents of UIAP Authoring v0.1, one for each kind, and the bundle they are compiled to."""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from uiap.spec.authoring.bindings import BindingsManifest
from uiap.spec.authoring.catalogs import (
    ActionsManifest,
    AuthoredAction,
    LocalePackManifest,
    PolicySetManifest,
    ScopedPolicyDocument,
    WorkflowCatalogManifest,
)
from uiap.spec.authoring.manifest import ManifestMetadata, ManifestStatus
from uiap.spec.authoring.package import (
    AppManifest,
    BuildContext,
    CapabilitiesManifest,
    CompatibilitySpec,
    PackageManifest,
)
from uiap.spec.authoring.review import DiscoveryImportManifest, OverlayManifest, ReviewSetManifest
from uiap.spec.base import KindTagged, Strings, Struct
from uiap.spec.capability import (
    CapabilityDocument,
)
from uiap.spec.workflow import WorkflowDefinition


class AuthoringDocument(KindTagged):
    """The common members of all eleven kinds of documents. `kind` determines the type of `spec`."""

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
    """The compiled form of all manifests, for runtimes. The types of its members are the `spec` of the manifests."""

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
