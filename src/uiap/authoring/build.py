"""The ten build steps in the order of the spec (AUTH-7), from texts to a bundle or to diagnostics.

Pure: files, imports, discovery runs, the lock and the time are all arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from uiap.authoring.assembly.content import Content, merge_content
from uiap.authoring.assembly.imports import Files, Library, Lock, resolve_imports
from uiap.authoring.assembly.merge import merge_locales
from uiap.authoring.assembly.overlay import apply_overlays
from uiap.authoring.assembly.package import check_compatibility, load_manifests, load_package
from uiap.authoring.bundles.bundle import generate_bundle, profile_of
from uiap.authoring.checks.declared import check_capabilities, check_hints, check_selectors
from uiap.authoring.checks.gates import check_gates
from uiap.authoring.checks.references import validate_references
from uiap.authoring.checks.review import Reviews, apply_reviews
from uiap.authoring.diagnostic import Diagnostic, Problems, sort_diagnostics, warnings_as_errors
from uiap.authoring.documents.document import Cache
from uiap.authoring.documents.locale import Texts, resolve_locales
from uiap.authoring.documents.position import with_positions
from uiap.authoring.from_discovery.findings import apply_discovery
from uiap.authoring.manifest import Manifest, Package
from uiap.spec.authoring import BuildContext, PackageManifest, UIAPCompiledBundle


class Built(NamedTuple):
    """The result of a build: the bundle if there is one, and all diagnostics."""

    diagnostics: tuple[Diagnostic, ...]
    context: BuildContext
    data: bytes = b""  # the canonical bundle; empty if there are errors or refusals
    lock: Lock | None = None
    package: Package | None = None
    manifests: tuple[Manifest, ...] = ()
    content: Content | None = None
    reviews: Reviews | None = None
    packages: tuple[Package, ...] = ()  # this package and all its imports
    preview: bytes = b""  # the bundle even if a gate refuses it; for inspection only

    @property
    def bundle(self) -> UIAPCompiledBundle | None:
        """The bundle as a struct, decoded on each access."""
        return msgspec.json.decode(self.data, type=UIAPCompiledBundle) if self.data else None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "refusal")


def build(
    files: Files,
    *,
    context: BuildContext | None = None,
    now: str,
    imports: Library | None = None,
    lock: Lock | None = None,
    discovery: Mapping[str, str | bytes] | None = None,
    cache: Cache | None = None,
) -> Built:
    """Build one package for one context. `now` decides which waivers are valid; the bundle does not contain it."""
    problems = Problems()
    package = load_package(files, problems, cache)  # 1
    if package is None:
        return _finish(Built((), context or BuildContext()), files, problems)
    context = _complete_context(package, context)
    check_compatibility(package, context, problems)
    imported = resolve_imports(package, {} if imports is None else imports, lock, problems, cache)  # 2
    manifests = [*imported.manifests, *load_manifests(package, problems, cache)]  # 3
    manifests = apply_discovery(manifests, [*imported.packages, package], discovery or {}, problems)  # 4
    manifests = apply_overlays(manifests, context, problems)  # 5
    texts = Texts(merge_locales(manifests, problems), _default_locale(manifests))
    manifests = resolve_locales(manifests, texts, _text_or_none(context.locale), problems)  # 6
    reviews = apply_reviews(package, manifests, now, problems)  # 7
    content = merge_content(package, manifests, context, problems)
    validate_references(manifests, content, context, problems)  # 8
    check_selectors(package.manifest, manifests, content, problems)
    check_capabilities(manifests, content, problems)
    check_hints(manifests, profile_of(package, content), problems)
    compiled = generate_bundle(package, manifests, content, texts, context, problems)  # 9
    check_gates(package, manifests, content, reviews, context, problems)  # 10
    built = Built(
        (),
        context,
        data=compiled or b"",
        preview=compiled or b"",
        lock=imported.lock,
        package=package,
        packages=(*imported.packages, package),
        manifests=tuple(manifests),
        content=content,
        reviews=reviews,
    )
    return _finish(built, files, problems)


def contexts_of(spec: PackageManifest) -> tuple[BuildContext, ...]:
    """Return the contexts to build: the list of the package, else one for each channel, else one empty context."""
    if spec.build is not UNSET and spec.build.contexts is not UNSET and spec.build.contexts:
        return spec.build.contexts
    if spec.publish is not UNSET and spec.publish.channels:
        return tuple(BuildContext(channel=channel.name) for channel in spec.publish.channels)
    return (BuildContext(),)


def _complete_context(package: Package, given: BuildContext | None) -> BuildContext:
    """Return the context with the default channel of the package, if it names no channel (AUTH-8)."""
    context = given or BuildContext()
    publish = package.spec.publish
    if context.channel is UNSET and publish is not UNSET and publish.default_channel is not UNSET:
        return replace(context, channel=publish.default_channel)
    return context


def _default_locale(manifests: list[Manifest]) -> str | None:
    return next((m.spec.get("defaultLocale") for m in manifests if m.kind == "App"), None)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _finish(built: Built, files: Files, problems: Problems) -> Built:
    """Return the build with sorted, positioned diagnostics; without a bundle if there are errors or refusals."""
    options = UNSET if built.package is None else built.package.spec.build
    is_strict = options is not UNSET and options.strict is True
    found = list(warnings_as_errors(problems) if is_strict else problems)
    texts = _source_texts({d.file for d in found}, files, built.packages)
    built = built._replace(diagnostics=sort_diagnostics(with_positions(found, texts)))
    return built._replace(data=b"") if built.errors or built.refusals else built


def _source_texts(names: set[str], files: Files, packages: tuple[Package, ...]) -> dict[str, str]:
    """Return the texts of the named files, imported ones under their alias."""
    sources = [("", files), *((f"{p.origin.alias}:", p.files) for p in packages if p.origin.alias)]
    found = {
        prefix + name: content
        for prefix, texts in sources
        for name, content in texts.items()
        if prefix + name in names
    }
    return {name: c if isinstance(c, str) else c.decode(errors="replace") for name, c in found.items()}
