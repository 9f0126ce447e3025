"""A manifest inside a build: a document, where it came from, and what has touched it since."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from uiap.authoring.kinds.kind import DocumentFacts
from uiap.spec.authoring import PackageManifest


class Origin(NamedTuple):
    """The package a manifest comes from; `alias` is the chain of import aliases, empty at home."""

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
    pointer: str  # of the patch or rule, inside its own file
    op: str
    section: str = ""  # empty: the change may concern every item
    item_id: str = ""
    rest: tuple[str, ...] = ()  # below the item, or below the document where there is no item
    run: str = ""


class Manifest(NamedTuple):
    id: str
    kind: str
    file: str
    origin: Origin
    document: dict[str, Any]
    facts: DocumentFacts
    source: dict[str, Any]  # the document as its file has it
    changes: tuple[ManifestChange, ...] = ()

    @property
    def spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.document["spec"]
        return spec

    @property
    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = self.source["metadata"]
        return metadata


class Package(NamedTuple):
    """The root of one package: its Package manifest and the texts of its files."""

    manifest: Manifest
    spec: PackageManifest
    files: dict[str, str | bytes]

    @property
    def origin(self) -> Origin:
        return self.manifest.origin
