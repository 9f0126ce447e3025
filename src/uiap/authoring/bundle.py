"""Step 9: the normalised bundle. Sorted by id, canonical, without times: equal input gives equal bytes (AUTH-12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.authoring.canonical import canonical, digest
from uiap.authoring.content import Content
from uiap.authoring.diagnostic import Problems
from uiap.authoring.locale import Texts
from uiap.authoring.manifest import Manifest, Package
from uiap.authoring.overlay import overlay_selected
from uiap.spec.authoring import BuildContext, UIAPCompiledBundle
from uiap.spec.versions import WEB_PROFILE


class Compiled(NamedTuple):
    bundle: UIAPCompiledBundle
    data: bytes


def generate_bundle(
    package: Package,
    manifests: Sequence[Manifest],
    content: Content,
    texts: Texts,
    context: BuildContext,
    problems: Problems,
) -> Compiled | None:
    """The bundle and its bytes, or None when an error stands in the way."""
    if content.app is None or problems.has("error"):
        return None
    members: dict[str, Any] = {
        "packageId": package.spec.package_id,
        "version": package.spec.version,
        "profile": _profile(package, content),
        "buildContext": msgspec.to_builtins(context),
        "compatibility": msgspec.to_builtins(package.spec.compatibility),
        "app": content.app.spec,
        "capabilities": content.capabilities,
        "bindings": _bindings(content),
        "actions": _sorted(content, "actions"),
        "policies": [item.value for item in content.items["policies"].values()],
        "workflows": [item["definition"] for item in _sorted(content, "workflows")],
        "locales": None if context.locale is UNSET else texts.flat(context.locale),
        "manifestIndex": [m.id for m in manifests if m.kind != "Overlay" or overlay_selected(m, context)],
    }
    try:
        bundle = msgspec.convert({k: v for k, v in members.items() if v}, UIAPCompiledBundle)
    except msgspec.ValidationError as error:
        problems.error("bundle_invalid", f"the result is no bundle: {error}", package.manifest.file)
        return None
    return sealed(bundle, package)


def sealed(bundle: UIAPCompiledBundle, package: Package) -> Compiled:
    """With its digest: SHA-256 over the canonical bundle without the digest itself."""
    kind = UNSET if package.spec.build is UNSET else package.spec.build.digest
    if kind != "none":
        bundle = msgspec.structs.replace(bundle, digest=digest(canonical(bundle)))
    return Compiled(bundle, canonical(bundle))


def digest_holds(data: bytes) -> bool:
    """Does a bundle's own digest fit its content? A bundle without one says nothing."""
    members = msgspec.json.decode(data)
    claimed = members.pop("digest", None) if isinstance(members, dict) else None
    return claimed is None or claimed == digest(canonical(members))


def _profile(package: Package, content: Content) -> str:
    build = package.spec.build
    if build is not UNSET and build.profile is not UNSET:
        return build.profile
    return str((content.capabilities or {}).get("profile", WEB_PROFILE))


def _bindings(content: Content) -> dict[str, Any]:
    sections = {section: _sorted(content, section) for section in ("routes", "scopes", "elements")}
    return {section: items for section, items in sections.items() if items}


def _sorted(content: Content, section: str) -> list[dict[str, Any]]:
    items = content.items[section]
    return [items[id].value for id in sorted(items)]
