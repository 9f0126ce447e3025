"""Steps 1 and 3: load the Package manifest, then the manifests it lists, from texts by path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.document import Cache, Loaded, load
from uiap.authoring.documents.source import MANIFEST_SUFFIXES
from uiap.authoring.manifest import Manifest, Origin, Package
from uiap.authoring.paths import collisions, path_fault
from uiap.authoring.selector import version_fits
from uiap.authoring.versions import BadVersion, parse_range, parse_version, satisfies
from uiap.spec.authoring import BuildContext, LocalManifestRef, PackageManifest
from uiap.spec.versions import EXTENSIONS, PROTOCOL_VERSION

PACKAGE_FILES = tuple("package" + suffix for suffix in MANIFEST_SUFFIXES)
SDK_VERSION = "0.1"
MAX_FILES = 10_000


def load_package(
    files: Mapping[str, str | bytes], problems: Problems, cache: Cache | None = None, alias: str = ""
) -> Package | None:
    """Step 1: return the package, or None if its Package manifest cannot be used."""
    if not _has_valid_names(files, problems, alias):
        return None
    name = next((file for file in PACKAGE_FILES if file in files), None)
    if name is None:
        problems.error(
            "no_package", "there is no package.uiap.yaml", _display_name(alias, ""), hint="run `uiap init`"
        )
        return None
    loaded = _load(name, files, problems, cache, alias)
    if loaded.document is None:
        _check_unlisted_files(files, {name}, problems, cache, alias)
        return None
    if loaded.document["kind"] != "Package":
        problems.error(
            "wrong_kind", "this file must be the Package manifest", _display_name(alias, name), "/kind"
        )
        return None
    spec = msgspec.convert(loaded.document["spec"], PackageManifest)
    return _make_package(name, loaded, spec, files, problems, alias)


def _make_package(
    name: str,
    loaded: Loaded,
    spec: PackageManifest,
    files: Mapping[str, str | bytes],
    problems: Problems,
    alias: str,
) -> Package:
    document = loaded.document
    assert document is not None
    metadata, file = document["metadata"], _display_name(alias, name)
    if "version" not in metadata:
        # AUTH-3.1
        problems.error(
            "no_version", "a Package needs `metadata.version`", file, "/metadata", "repeat spec.version"
        )
    elif metadata["version"] != spec.version:
        message = f"`{metadata['version']}` here, but `{spec.version}` in the spec"
        problems.error("version_differs", message, file, "/metadata/version")
    if metadata.get("packageId", spec.package_id) != spec.package_id:
        problems.error(
            "package_id_differs", "`packageId` differs from the spec's", file, "/metadata/packageId"
        )
    origin = Origin(spec.package_id, spec.version, alias)
    manifest = Manifest(metadata["id"], "Package", file, origin, document, loaded.facts, document)
    return Package(manifest, spec, dict(files))


def load_manifests(package: Package, problems: Problems, cache: Cache | None = None) -> list[Manifest]:
    """Step 3: return the manifests of one package, in the order of its Package manifest."""
    alias = package.origin.alias
    found: list[Manifest] = []
    listed = {package.manifest.file.rpartition(":")[2] if alias else package.manifest.file}
    for index, reference in enumerate(package.spec.manifests):
        pointer = f"/spec/manifests/{index}"
        fault = path_fault(reference.path)
        if fault is not None:
            message = f"`{reference.path}` cannot be read: {fault}"
            problems.error("bad_path", message, package.manifest.file, f"{pointer}/path")
            problems.mark_unreadable(_qualified_id(alias, reference.id), reference.kind)
            continue
        listed.add(reference.path)
        manifest = None
        if reference.path in package.files:
            manifest = _load_manifest(package, reference, problems, cache)
        else:
            _report_missing_file(package, reference, pointer, problems)
        if manifest is not None:
            found.append(manifest)
        elif reference.required is not False or reference.path in package.files:
            problems.mark_unreadable(_qualified_id(alias, reference.id), reference.kind)
    _check_package_id_unused(package, found, problems)
    _check_unlisted_files(package.files, listed, problems, cache, alias)
    return found


def check_compatibility(package: Package, context: BuildContext, problems: Problems) -> None:
    """Check the versions of core, extensions, SDK and app that the package requires (AUTH-4.1c)."""
    wanted, file, where = package.spec.compatibility, package.manifest.file, "/spec/compatibility"
    if not _fits(PROTOCOL_VERSION, wanted.uiap_core):
        message = f"the package needs UIAP `{wanted.uiap_core}`, this is {PROTOCOL_VERSION}"
        problems.error("incompatible_core", message, file, f"{where}/uiapCore")
    for index, extension in enumerate(wanted.extensions or ()):
        known = EXTENSIONS.get(extension.id, ())
        if not any(_fits(version, extension.range) for version in known):
            report = problems.error if extension.required is True else problems.warning
            message = f"the extension `{extension.id}` `{extension.range}` is not available"
            report("incompatible_extension", message, file, f"{where}/extensions/{index}")
    web = UNSET if wanted.sdk is UNSET else wanted.sdk.web
    if web is not UNSET and not _fits(SDK_VERSION, web):
        problems.error(
            "incompatible_sdk", f"the web SDK is {SDK_VERSION}, not `{web}`", file, f"{where}/sdk/web"
        )
    versions = wanted.app_versions
    if (
        versions is not UNSET
        and context.app_version is not UNSET
        and not version_fits(context.app_version, versions)
    ):
        message = f"app version `{context.app_version}` is not among {', '.join(f'`{v}`' for v in versions)}"
        problems.error("incompatible_app_version", message, file, f"{where}/appVersions")


def _fits(version: str, wanted: str) -> bool:
    try:
        return satisfies(parse_version(version), parse_range(wanted))
    except BadVersion:
        return True  # an invalid range is reported once, with the manifest


def _load_manifest(
    package: Package, reference: LocalManifestRef, problems: Problems, cache: Cache | None
) -> Manifest | None:
    alias = package.origin.alias
    loaded = _load(reference.path, package.files, problems, cache, alias)
    if loaded.document is None:
        return None
    document, file = loaded.document, _display_name(alias, reference.path)
    if document["kind"] != reference.kind:
        message = f"the package lists a {reference.kind} here, the file is a {document['kind']}"
        problems.error("wrong_kind", message, file, "/kind")
        return None
    if document["metadata"]["id"] != reference.id:
        message = f"the package calls this `{reference.id}`, the file `{document['metadata']['id']}`"
        problems.error("id_differs", message, file, "/metadata/id")
        return None
    owner = document["metadata"].get("packageId", package.spec.package_id)
    if owner != package.spec.package_id:
        problems.error("package_id_differs", f"the file belongs to `{owner}`", file, "/metadata/packageId")
    id = _qualified_id(alias, reference.id)
    return Manifest(id, reference.kind, file, package.origin, document, loaded.facts, document)


def _report_missing_file(
    package: Package, reference: LocalManifestRef, pointer: str, problems: Problems
) -> None:
    if reference.required is False:
        message = f"`{reference.path}` is missing and not required"
        problems.warning("optional_missing", message, package.manifest.file, pointer)
        return
    near = next((file for file in package.files if file.casefold() == reference.path.casefold()), None)
    hint = f"the file is called `{near}`" if near else "create it, or set required: false"
    message = f"`{reference.path}` is not in the package"
    problems.error("file_missing", message, package.manifest.file, f"{pointer}/path", hint)


def _check_package_id_unused(package: Package, found: list[Manifest], problems: Problems) -> None:
    if any(manifest.source["metadata"]["id"] == package.manifest.id for manifest in found):
        message = f"`{package.manifest.id}` is also the id of the Package manifest"
        problems.error("duplicate_id", message, package.manifest.file, "/metadata/id")


def _check_unlisted_files(
    files: Mapping[str, Any], listed: set[str], problems: Problems, cache: Cache | None, alias: str
) -> None:
    """Check the files that are not listed: a second Package is an error, any other file a warning."""
    for name in sorted(files):
        if name in listed or not name.endswith(MANIFEST_SUFFIXES):
            continue
        loaded = _load(name, files, problems, cache, alias)
        if loaded.document is not None and loaded.document["kind"] == "Package":
            problems.error(
                "second_package",
                "a package has exactly one Package manifest",
                _display_name(alias, name),
                "/kind",
            )
        elif loaded.document is not None:
            message = "the Package manifest does not list this file"
            problems.warning(
                "unlisted_file", message, _display_name(alias, name), hint="list it under spec.manifests"
            )


def _load(
    name: str, files: Mapping[str, str | bytes], problems: Problems, cache: Cache | None, alias: str
) -> Loaded:
    loaded = load(_display_name(alias, name), files[name], cache)
    problems.add(loaded.diagnostics)
    return loaded


def _has_valid_names(files: Mapping[str, Any], problems: Problems, alias: str) -> bool:
    before = len(problems)
    if len(files) > MAX_FILES:
        problems.error(
            "too_many_files", f"{len(files)} files, more than {MAX_FILES}", _display_name(alias, "")
        )
        return False
    for name in sorted(files):
        fault = path_fault(name)
        if fault is not None:
            problems.error("bad_path", f"`{name}` cannot be read: {fault}", _display_name(alias, ""))
    for first, second in collisions(files):
        problems.error(
            "case_collision", f"`{first}` and `{second}` differ only in case", _display_name(alias, "")
        )
    return len(problems) == before


def _qualified_id(alias: str, id: str) -> str:
    """Return the id with the import alias in front (AUTH-4.1b)."""
    return f"{alias}:{id}" if alias else id


def _display_name(alias: str, name: str) -> str:
    """Return the file name for diagnostics, with the import alias in front."""
    return f"{alias}:{name}" if alias else name
