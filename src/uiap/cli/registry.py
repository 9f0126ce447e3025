"""Package registries: a plain folder or a static HTTP location with the same layout, read by the build.

    <package id>/index.json                  versions, with digest and channels
    <package id>/<version>/source.json       every manifest by path
    <package id>/<version>/<channel>.json    the bundle, and <channel>.json.sig if it is signed

There are no archives to unpack: a package is one JSON object of texts. The build checks its paths before it uses any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from uiap.authoring.assembly.imports import Files
from uiap.authoring.assembly.package import MAX_FILES
from uiap.authoring.canonical import canonical, files_digest
from uiap.authoring.paths import path_fault
from uiap.authoring.versions import parse_version
from uiap.errors import UiapError, Unavailable
from uiap.protocol.duplicates import scan_for_duplicate_member
from uiap.spec.base import Struct

MAX_BYTES = 100 * 1024 * 1024
TIMEOUT_S = 20


class InvalidRegistry(UiapError):
    """A registry contradicts itself, or holds data that `uiap publish` does not write."""


class PackageRelease(Struct):
    digest: str  # of the source
    bundles: dict[str, str] = msgspec.field(default_factory=dict)  # channel -> digest of the bundle's bytes


class PackageIndex(Struct):
    package_id: str
    versions: dict[str, PackageRelease] = msgspec.field(default_factory=dict)


class RegistrySource(Protocol):
    """Reads files of a registry; None for a file that does not exist."""

    name: str

    def read(self, path: str) -> bytes | None: ...


class FolderRegistry:
    def __init__(self, root: Path) -> None:
        self.root, self.name = root, str(root)

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        if not file.is_file():
            return None
        if not file.resolve().is_relative_to(self.root.resolve()):
            raise InvalidRegistry(f"`{path}` at `{self.name}` is a link to a file outside the registry")
        if file.stat().st_size > MAX_BYTES:
            raise InvalidRegistry(f"`{file}` is larger than {MAX_BYTES:,} bytes")
        return file.read_bytes()


class HttpRegistry:
    """A static location: plain GET, no redirects, bounded in time and size."""

    def __init__(self, url: str) -> None:
        self.name = url.rstrip("/")

    def read(self, path: str) -> bytes | None:
        import httpx

        try:
            with httpx.stream(
                "GET",
                f"{self.name}/{path}",
                timeout=TIMEOUT_S,
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
            ) as response:
                if response.status_code == 404:
                    return None
                if response.status_code != 200:
                    raise Unavailable(f"`{self.name}` answers {response.status_code} for `{path}`")
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    # Compressed data can expand beyond the size limit.
                    raise InvalidRegistry(f"`{path}` at `{self.name}` is compressed, although it must not be")
                data = bytearray()
                for chunk in response.iter_raw():
                    data += chunk
                    if len(data) > MAX_BYTES:
                        raise InvalidRegistry(f"`{path}` at `{self.name}` is larger than {MAX_BYTES:,} bytes")
                return bytes(data)
        except httpx.HTTPError as error:
            raise Unavailable(f"the registry `{self.name}` cannot be reached: {error}") from None


def registry_at(where: str) -> RegistrySource:
    if where.startswith(("http://", "https://")):
        return HttpRegistry(where)
    if "://" in where:
        raise Unavailable(f"`{where}` is neither a folder nor an http:// or https:// address")
    if not Path(where).is_dir():
        raise Unavailable(
            f"there is no registry folder `{where}`; publish to it first with: uiap publish --to {where}"
        )
    return FolderRegistry(Path(where))


def read_index(source: RegistrySource, package_id: str) -> PackageIndex | None:
    if path_fault(package_id) is not None or "/" in package_id:
        raise InvalidRegistry(f"`{package_id}` is not a valid package id")
    data = source.read(f"{package_id}/index.json")
    if data is None:
        return None
    try:
        index = msgspec.json.decode(data, type=PackageIndex)
    except msgspec.MsgspecError as error:
        raise InvalidRegistry(f"the index of `{package_id}` at `{source.name}` is damaged: {error}") from None
    if index.package_id != package_id:
        raise InvalidRegistry(
            f"the index of `{package_id}` at `{source.name}` belongs to `{index.package_id}`"
        )
    return index


def read_source(source: RegistrySource, index: PackageIndex, version: str) -> dict[str, str]:
    data = source.read(f"{index.package_id}/{version}/source.json")
    if data is None:
        raise InvalidRegistry(f"`{source.name}` lists `{index.package_id}` {version} but does not hold it")
    try:
        files = msgspec.json.decode(data, type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise InvalidRegistry(f"the source of `{index.package_id}` {version} is damaged: {error}") from None
    if scan_for_duplicate_member(data):
        raise InvalidRegistry(f"the source of `{index.package_id}` {version} holds a file twice")
    if len(files) > MAX_FILES:
        raise InvalidRegistry(
            f"the source of `{index.package_id}` {version} holds more than {MAX_FILES:,} files"
        )
    if files_digest(files) != index.versions[version].digest:
        raise InvalidRegistry(
            f"the source of `{index.package_id}` {version} does not match its digest in the index at `{source.name}`"
        )
    return files


class PackageVersions(Mapping[str, Files]):
    """The versions of one package; a version is fetched on access."""

    def __init__(self, source: RegistrySource, index: PackageIndex) -> None:
        self._source, self._index = source, index

    def __getitem__(self, version: str) -> Files:
        if version not in self._index.versions:
            raise KeyError(version)
        return read_source(self._source, self._index, version)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index.versions)

    def __len__(self) -> int:
        return len(self._index.versions)


class PackageLibrary(Mapping[str, Mapping[str, Files]]):
    """The packages a build can import: from folders first, then from each registry in the given order."""

    def __init__(
        self, folders: Mapping[str, Mapping[str, Files]], sources: tuple[RegistrySource, ...]
    ) -> None:
        self._folders, self._sources = folders, sources

    def __getitem__(self, package_id: str) -> Mapping[str, Files]:
        if package_id in self._folders:
            return self._folders[package_id]
        for source in self._sources:
            index = read_index(source, package_id)
            if index is not None:
                return PackageVersions(source, index)
        raise KeyError(package_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


def latest_version(index: PackageIndex | None, channel: str) -> str | None:
    """Return the highest version published on a channel."""
    if index is None:
        return None
    versions = [version for version, release in index.versions.items() if channel in release.bundles]
    return max(versions, key=lambda v: parse_version(v).order, default=None)


def write_release(
    root: Path,
    index: PackageIndex,
    version: str,
    channel: str,
    files: Mapping[str, str],
    data: bytes,
    sig: bytes | None,
) -> None:
    """Write every file first and the index last, so that a reader never sees an incomplete version."""
    folder = root / index.package_id / version
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "source.json", canonical(dict(files)))
    replace_file(folder / f"{channel}.json", data)
    if sig is not None:
        replace_file(folder / f"{channel}.json.sig", sig)
    replace_file(root / index.package_id / "index.json", msgspec.json.format(canonical(index), indent=1))


def replace_file(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a temporary file and move it over `path`, so that a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)
    temporary.replace(path)
