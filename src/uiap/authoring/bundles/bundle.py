"""Step 9: the bundle, sorted by id, in canonical JSON, without times. Equal input gives equal bytes (AUTH-12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.authoring.assembly.content import Content
from uiap.authoring.assembly.overlay import overlay_selected
from uiap.authoring.canonical import canonical
from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.locale import Texts
from uiap.authoring.manifest import Manifest, Package
from uiap.digests import content_digest
from uiap.spec.authoring import BuildContext
from uiap.spec.versions import WEB_PROFILE


def generate_bundle(
    package: Package,
    manifests: Sequence[Manifest],
    content: Content,
    texts: Texts,
    context: BuildContext,
    problems: Problems,
) -> bytes | None:
    """Return the canonical bytes of the bundle, or None if there are errors."""
    if content.app is None or problems.has("error"):
        return None
    members: dict[str, Any] = {
        "packageId": package.spec.package_id,
        "version": package.spec.version,
        "profile": profile_of(package, content),
        "buildContext": msgspec.to_builtins(context),
        "compatibility": msgspec.to_builtins(package.spec.compatibility),
        "app": content.app.spec,
        "capabilities": content.capabilities,
        "bindings": _bindings(content),
        "actions": _sorted(content, "actions"),
        "policies": [item.value for item in content.items["policies"].values()],
        "workflows": [item["definition"] for item in _sorted(content, "workflows")],
        "locales": None if context.locale is UNSET else texts.all_in_locale(context.locale),
        "manifestIndex": [m.id for m in manifests if m.kind != "Overlay" or overlay_selected(m, context)],
    }
    # A schema made from the bundle types has checked every part, so no part is decoded again.
    bundle = {name: value for name, value in members.items() if value or name == "buildContext"}
    if package.spec.build is not UNSET and package.spec.build.digest == "none":
        return canonical(bundle)
    return with_digest(bundle)


def with_digest(bundle: dict[str, Any]) -> bytes:
    """Return the canonical bundle with the SHA-256 of the bundle without its digest.

    The members before and after `digest` are encoded once, so that a large bundle needs one pass, not two.
    """
    before = canonical({name: value for name, value in bundle.items() if name < "digest"})[:-1]
    after = canonical({name: value for name, value in bundle.items() if name > "digest"})[1:]
    checksum = content_digest(before + b"," + after)
    return b'%b,"digest":"%b",%b' % (before, checksum.encode(), after)


def digest_matches(data: bytes) -> bool:
    """Return whether the digest of a bundle matches its content; a bundle without a digest always matches."""
    members = msgspec.json.decode(data)
    claimed = members.pop("digest", None) if isinstance(members, dict) else None
    return claimed is None or claimed == content_digest(canonical(members))


def profile_of(package: Package, content: Content) -> str:
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
