"""A manifest in a build: its document, its origin, and the changes made to it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from uiap.authoring.kinds.kind import DocumentFacts
from uiap.spec.authoring import PackageManifest


class Origin(NamedTuple):
    """The package of a manifest; `alias` is the chain of import aliases, empty for the package being built."""

    package_id: str
    version: str
    alias: str = ""

    @property
    def imported(self) -> bool:
        return bool(self.alias)


class ManifestChange(NamedTuple):
    """One change that an overlay or a discovery import made to a manifest."""

    by: Literal["overlay", "discovery"]
    manifest_id: str
    file: str
    pointer: str  # of the patch or rule in its own file
    op: str
    section: str = ""  # empty if the change may affect every item
    item_id: str = ""
    rest: tuple[str, ...] = ()  # path inside the item, or inside the document if there is no item
    run: str = ""


class Manifest(NamedTuple):
    """One manifest; `document` includes the changes, `source` does not."""

    id: str
    kind: str
    file: str
    origin: Origin
    document: dict[str, Any]
    facts: DocumentFacts
    source: dict[str, Any]  # the document as in its file
    changes: tuple[ManifestChange, ...] = ()

    @property
    def spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.document["spec"]
        return spec

    @property
    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = self.source["metadata"]
        return metadata

    @property
    def version(self) -> str:
        """The version of the manifest; without one of its own, that of its package (AUTH-3.1)."""
        return str(self.metadata.get("version", self.origin.version))


class Package(NamedTuple):
    """One package: its Package manifest and the texts of its files."""

    manifest: Manifest
    spec: PackageManifest
    files: dict[str, str | bytes]

    @property
    def origin(self) -> Origin:
        return self.manifest.origin
