"""The package of UIAP Authoring v0.1: its build context, its manifests and its application."""

from typing import Literal

from msgspec import UNSET, UnsetType

from uiap.spec.authoring.manifest import AuthoringKind, ManifestSelector, ReleaseChannel, SubManifestKind
from uiap.spec.base import JsonObject, Strings, Struct
from uiap.spec.capability import (
    CapabilityDocument,
    ProfileId,
)


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
