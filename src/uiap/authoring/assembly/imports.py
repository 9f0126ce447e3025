"""Step 2: import other packages by version range, pinned by digest, namespaced by alias.

The caller fills the library; nothing here reads a registry. Cycles and sources that differ from the lock are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from msgspec import UNSET

from uiap.authoring.assembly.package import load_manifests, load_package
from uiap.authoring.canonical import files_digest
from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.document import Cache
from uiap.authoring.manifest import Manifest, Package
from uiap.authoring.versions import BadVersion, Version, parse_range, parse_version, satisfies
from uiap.spec.authoring import PackageImport
from uiap.spec.base import Struct

Files: TypeAlias = Mapping[str, str | bytes]
Library: TypeAlias = Mapping[str, Mapping[str, Files]]  # package id -> version -> files
MAX_IMPORTS = 256  # edges of the whole import graph: nested diamonds must not explode
LOCK_FILE = "uiap.lock.json"


class LockedPackage(Struct):
    """One import pinned to a version and the digest of its files."""

    package_id: str
    version_range: str
    version: str
    digest: str


class Lock(Struct):
    """The content of the lock file."""

    lock_version: int = 1
    packages: tuple[LockedPackage, ...] = ()

    def find(self, package_id: str, version_range: str) -> LockedPackage | None:
        wanted = (package_id, version_range)
        return next((p for p in self.packages if (p.package_id, p.version_range) == wanted), None)


class ResolvedImports(NamedTuple):
    manifests: list[Manifest]
    packages: list[Package]
    lock: Lock


def resolve_imports(
    package: Package, library: Library, lock: Lock | None, problems: Problems, cache: Cache | None = None
) -> ResolvedImports:
    """Return the manifests of all imported packages, depth first, each under its alias, and the new lock."""
    walk = _ImportWalk(library, lock, problems, cache)
    walk.visit(package, (package.spec.package_id,))
    pins: dict[tuple[str, str], LockedPackage] = {(p.package_id, p.version_range): p for p in walk.locked}
    return ResolvedImports(
        walk.manifests, walk.packages, Lock(packages=tuple(pins[key] for key in sorted(pins)))
    )


class _ImportWalk:
    """Walks the import graph and collects packages, manifests and pins."""

    def __init__(self, library: Library, lock: Lock | None, problems: Problems, cache: Cache | None) -> None:
        self.library, self.lock, self.problems, self.cache = library, lock, problems, cache
        self.manifests: list[Manifest] = []
        self.packages: list[Package] = []
        self.locked: list[LockedPackage] = []
        self.edges = 0

    def visit(self, package: Package, above: tuple[str, ...]) -> None:
        for index, wanted in enumerate(package.spec.imports or ()):
            self.edges += 1
            pointer, file = f"/spec/imports/{index}", package.manifest.file
            if self.edges > MAX_IMPORTS:
                self.problems.error(
                    "too_many_imports", f"more than {MAX_IMPORTS} imports in all", file, pointer
                )
                return
            if wanted.package_id in above:
                cycle = " imports ".join(f"`{id}`" for id in (*above, wanted.package_id))
                self.problems.error("import_cycle", cycle, file, pointer, "remove one of these imports")
                continue
            self._import(package, wanted, pointer, above)

    def _import(self, package: Package, wanted: PackageImport, pointer: str, above: tuple[str, ...]) -> None:
        file = package.manifest.file
        version = self._pick_version(wanted, file, pointer)
        if version is None:
            return
        alias = f"{package.origin.alias}:{wanted.alias}" if package.origin.alias else wanted.alias
        files = self.library[wanted.package_id][version]
        if not self._check_pin(wanted, version, files, file, pointer):
            return
        loaded = load_package(files, self.problems, self.cache, alias)
        if loaded is None:
            return
        if (loaded.spec.package_id, loaded.spec.version) != (wanted.package_id, version):
            message = (
                f"the package in the library as `{wanted.package_id}` {version} has another id or version"
            )
            self.problems.error("import_differs", message, file, pointer)
            return
        self.packages.append(loaded)
        self.visit(loaded, (*above, wanted.package_id))
        own = load_manifests(loaded, self.problems, self.cache)
        self.manifests.extend(m for m in own if _is_included(m, wanted))
        self._check_filter(own, wanted, file, pointer)

    def _pick_version(self, wanted: PackageImport, file: str, pointer: str) -> str | None:
        """Return the locked version if there is one, else the highest version in range."""
        available = self.library.get(wanted.package_id)
        if not available:
            message = f"the package `{wanted.package_id}` is not available"
            self.problems.error("import_missing", message, file, pointer, "name a registry that has it")
            return None
        pinned = self.lock and self.lock.find(wanted.package_id, wanted.version_range)
        if pinned and pinned.version in available:
            return pinned.version
        try:
            in_range = _versions_in_range(available, wanted.version_range)
        except BadVersion:
            return None  # reported with the Package manifest
        if not in_range:
            message = f"no version of `{wanted.package_id}` fits `{wanted.version_range}`"
            self.problems.error(
                "import_range", message, file, pointer, f"available: {', '.join(sorted(available))}"
            )
            return None
        return max(in_range, key=lambda v: in_range[v].order)

    def _check_pin(self, wanted: PackageImport, version: str, files: Files, file: str, pointer: str) -> bool:
        found = files_digest(files)
        self.locked.append(
            LockedPackage(
                package_id=wanted.package_id,
                version_range=wanted.version_range,
                version=version,
                digest=found,
            )
        )
        if self.lock is None:
            return True
        pinned = self.lock.find(wanted.package_id, wanted.version_range)
        if pinned is None:
            message = f"`{wanted.package_id}` is not in {LOCK_FILE}"
            self.problems.warning("not_locked", message, file, pointer, "build with --update-lock")
            return True
        if (pinned.version, pinned.digest) == (version, found):
            return True
        message = f"`{wanted.package_id}` {version} is not what {LOCK_FILE} pins ({pinned.version})"
        self.problems.error("lock_mismatch", message, file, pointer, "review the change, then --update-lock")
        return False

    def _check_filter(self, own: list[Manifest], wanted: PackageImport, file: str, pointer: str) -> None:
        ids = UNSET if wanted.include is UNSET else wanted.include.manifest_ids
        known = {manifest.metadata["id"] for manifest in own}
        for index, id in enumerate(() if ids is UNSET else ids):
            if id not in known:
                message = f"`{wanted.package_id}` has no manifest `{id}`"
                self.problems.error("import_filter", message, file, f"{pointer}/include/manifestIds/{index}")


def _versions_in_range(available: Mapping[str, Files], wanted: str) -> dict[str, Version]:
    in_range: dict[str, Version] = {}
    for text in available:
        try:
            version = parse_version(text)
        except BadVersion:
            continue
        if satisfies(version, parse_range(wanted)):
            in_range[text] = version
    return in_range


def _is_included(manifest: Manifest, wanted: PackageImport) -> bool:
    include = wanted.include
    if include is UNSET:
        return True
    if include.kinds is not UNSET and manifest.kind not in include.kinds:
        return False
    return include.manifest_ids is UNSET or manifest.metadata["id"] in include.manifest_ids
