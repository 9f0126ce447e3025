"""Opens a compiled bundle for a running page: verifies its signature and version, and limits it to its origins.

An unsigned bundle helps to recognise and verify, and can make rules stricter. Only a bundle signed with a trusted key
may lower a risk. `bindings` recognises the elements.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as with_members
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from uiap.authoring.bundles.derived import capability_document
from uiap.authoring.bundles.load import BadBundle, check_context, load_bundle
from uiap.authoring.bundles.signature import TrustedKey, Untrusted, key_id_of, verify
from uiap.authoring.selector import matches
from uiap.authoring.versions import parse_version
from uiap.errors import Unavailable
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.texts import locale_chain, localized
from uiap.origin import OPAQUE, origin_of
from uiap.runtime.resolve import Candidates
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import (
    AuthoredAction,
    BuildContext,
    ScopedPolicyDocument,
    UIAPCompiledBundle,
)
from uiap.spec.capability import CapabilityDocument
from uiap.spec.web import RouteInfo
from uiap.spec.workflow import WorkflowDefinition

MAX_BYTES = 100 * 1024 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

Trust: TypeAlias = "str | TrustedKey | Sequence[str | TrustedKey]"
"""One or more public keys: 32 raw bytes in base64, or the path of a file that holds them."""


class BundleNotApplicable(BadBundle):
    """A valid bundle that is not for this page."""


@dataclass(frozen=True)
class Bundle:
    """A bundle that may be used on `origins`. `signed_by` is the id of the trusted key that signed it, if any."""

    content: UIAPCompiledBundle
    bindings: Bindings
    origins: tuple[str, ...] = ()
    signed_by: str | None = None
    running: BuildContext = field(default_factory=BuildContext)
    """Where the session runs: its environment, profile and tenant, as far as they are known."""

    def within(self, running: BuildContext) -> Bundle:
        """Return the bundle for a session that runs there. Raise BadBundle if it was built for another context."""
        check_context(self.content, running)
        profile = running.principal_profile
        declared = {one.id: one.description for one in self.content.app.principal_profiles or ()}
        if profile is not UNSET and profile not in declared:
            known = ", ".join(f"{id} ({text})" if text else id for id, text in declared.items()) or "none"
            raise BundleNotApplicable(
                f"the application declares no principal profile `{profile}`; it declares: {known}"
            )
        return with_members(self, running=running)

    def covers(self, url: str) -> bool:
        """Return whether the bundle is for the page at this URL. A bundle without origins is for every page."""
        return not self.origins or any(_is_within(url, base) for base in self.origins)

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Return the candidates with the bundle's bindings, applied only to pages and documents of its origins."""
        if not self.covers(store.route.url):
            return gathered
        bound = self.bindings.bind(store, target, gathered)
        foreign = {d.document_id for d in store.documents.values() if d.origin and not self.covers(d.origin)}
        if not foreign:
            return bound
        known = {c.element.instance_id: c for c in gathered.candidates}
        kept = (
            known.get(c.element.instance_id) if c.element.document_id in foreign else c
            for c in bound.candidates
        )
        return replace(bound, candidates=tuple(c for c in kept if c is not None))

    def name_route(self, route: RouteInfo) -> RouteInfo:
        """Return the route with the id of the binding that fits it, on pages of the bundle."""
        return self.bindings.known_routes.name(route) if self.covers(route.url) else route

    @property
    def policies(self) -> tuple[ScopedPolicyDocument, ...]:
        """The policies whose selectors match the running context."""
        context = merge_context(self.content.build_context, self.running)
        return tuple(
            localized(policy, self._locales)
            for policy in self.content.policies or ()
            if policy.selector is UNSET or matches(policy.selector, context)
        )

    @property
    def route_provider(self) -> str | None:
        """The id of the functions that read and write the routes of the application, if the App names one."""
        for part in (self.content.app.routing, self.content.app.sdk):
            if part is not UNSET and part.route_provider_ref is not UNSET:
                return part.route_provider_ref
        return None

    @property
    def actions(self) -> Mapping[str, AuthoredAction]:
        return self.bindings.actions

    @property
    def capabilities(self) -> CapabilityDocument:
        """The authored capability document, or the one derived from bindings and actions."""
        return capability_document(self.content)

    @property
    def workflows(self) -> tuple[WorkflowDefinition, ...]:
        return localized(self.content.workflows or (), self._locales)

    @property
    def _locales(self) -> tuple[str, ...]:
        """The locales of texts that people read: of the session, then of the build, then the default of the app."""
        built = self.content.build_context.locale
        return locale_chain(self.running.locale, built, self.content.app.default_locale)

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the locale the bundle was built for, by `namespace.key`."""
        return self.content.locales or {}


def open_bundle(
    source: str | Path | Bundle,
    url: str,
    *,
    trust: Trust | None = None,
    running: BuildContext | None = None,
    seen: Path | None = None,
    allow_older: bool = False,
) -> Bundle:
    """Return the bundle in `source` for the page at `url`. Raise Untrusted or BadBundle if it must not be used.

    The file `seen` holds the version that was opened last, so that an older one is refused.
    """
    if isinstance(source, Bundle):
        bundle = source
        if trust is not None and bundle.signed_by not in _keys(trust):
            raise Untrusted("the bundle was not opened with one of these keys")
    else:
        bundle = _verified_bundle(Path(source), trust, running, seen, allow_older)
    if not bundle.covers(url):
        raise BundleNotApplicable(f"the bundle is for {', '.join(bundle.origins)}, not for `{url}`")
    if not bundle.origins:  # a bundle without origins is limited to the origin it was opened for
        bundle = with_members(bundle, origins=(_origin(url),))
    return bundle if running is None else bundle.within(running)


def open_app_bundle(
    source: Path,
    *,
    trust: Trust | None = None,
    running: BuildContext | None = None,
    seen: Path | None = None,
    allow_older: bool = False,
) -> Bundle:
    """Return a bundle for all pages of its application. It must name its own origins."""
    bundle = _verified_bundle(source, trust, running, seen, allow_older)
    if not bundle.origins:
        raise BundleNotApplicable(f"`{source}` names no origin; build it for an environment with baseUrls")
    return bundle if running is None else bundle.within(running)


def _verified_bundle(
    path: Path, trust: Trust | None, running: BuildContext | None, seen: Path | None, allow_older: bool
) -> Bundle:
    data = _read(path)
    signed_by = None
    if trust is not None:
        keys = _keys(trust)
        signature = path.with_name(path.name + ".sig")
        claim = _read(signature) if signature.is_file() else None
        content = verify(data, claim, keys, now=datetime.now(UTC).isoformat())
        _refuse_older(content, seen, allow_older)
        signed_by = _signer(claim)
    content = load_bundle(data, running)
    if signed_by is not None and seen is not None:
        _write_version(content, seen)
    return Bundle(content, Bindings(content, trusted=signed_by is not None), _base_urls(content), signed_by)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unavailable(f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(data) > MAX_BYTES:
        raise BadBundle(f"`{path}` is larger than {MAX_BYTES:,} bytes")
    return data


# -- keys -------------------------------------------------------------------------------------------------------


def _keys(trust: Trust) -> dict[str, TrustedKey]:
    given = [trust] if isinstance(trust, str | TrustedKey) else list(trust)
    keys = [key if isinstance(key, TrustedKey) else TrustedKey(public_key=_public_key(key)) for key in given]
    return {key_id_of(key.public_key): key for key in keys}


def _public_key(text: str) -> str:
    """Return a key given directly, or read it from the file that holds it."""
    if len(text) == 44 and text.endswith("="):
        return text
    try:
        return Path(text).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise Unavailable(
            f"`{text}` is neither a public key nor a file with one; see: uiap key --help"
        ) from None


def _signer(claim: bytes | None) -> str:
    assert claim is not None  # verified above
    signer: str = msgspec.json.decode(claim)["keyId"]
    return signer


# -- versions ---------------------------------------------------------------------------------------------------


def _version_key(content: UIAPCompiledBundle) -> str:
    """Return the key of a bundle's version. Channels count separately: staging may be ahead of prod."""
    channel = content.build_context.channel
    return content.package_id if channel is UNSET else f"{content.package_id}#{channel}"


def _refuse_older(content: UIAPCompiledBundle, seen: Path | None, allow_older: bool) -> None:
    before = _read_versions(seen).get(_version_key(content)) if seen is not None else None
    if before is None or allow_older:
        return
    if parse_version(content.version).order < parse_version(before).order:
        raise Untrusted(
            f"version {content.version} is older than {before}, which was opened before; open a newer one"
        )


def _read_versions(seen: Path) -> dict[str, str]:
    if not seen.is_file():
        return {}
    try:
        return msgspec.json.decode(seen.read_bytes(), type=dict[str, str])
    except msgspec.MsgspecError:
        # A damaged file may be an attempt to bring back an old bundle.
        raise Untrusted(
            f"`{seen}` is damaged, so the last version is unknown; delete it to continue"
        ) from None


def _write_version(content: UIAPCompiledBundle, seen: Path) -> None:
    known = _read_versions(seen)
    if known.get(_version_key(content)) == content.version:
        return
    seen.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = seen.with_name(f"{seen.name}.{os.getpid()}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(msgspec.json.encode({**known, _version_key(content): content.version}, order="sorted"))
    draft.replace(seen)


# -- origins ----------------------------------------------------------------------------------------------------


def _base_urls(content: UIAPCompiledBundle) -> tuple[str, ...]:
    """Return the base URLs of the environment the bundle was built for, or of all environments."""
    wanted = content.build_context.environment
    return tuple(
        base
        for environment in content.app.environments or ()
        if wanted is UNSET or environment.id == wanted
        for base in environment.base_urls or ()
    )


def _origin(url: str) -> str:
    """Return the origin of a web page. An application outside the web has none: its address stands for it."""
    origin = origin_of(url)
    return url if origin == OPAQUE else origin


def _is_within(url: str, base: str) -> bool:
    target, base_parts = urlsplit(url), urlsplit(base)
    if not _covers_origin(url, base):
        return False
    inside = target.path.rstrip("/") + "/"
    # the origin of a frame has no path to compare
    return not target.path or inside.startswith(base_parts.path.rstrip("/") + "/")


def _covers_origin(url: str, base: str) -> bool:
    there, here = origin_of(url), origin_of(base)
    if OPAQUE in (there, here):  # outside the web there are no origins, so scheme and authority must be equal
        return urlsplit(url)[:2] == urlsplit(base)[:2]
    return there == here or (_both_loopback(there, here) and _covers_port(there, here, base))


def _both_loopback(target: str, base: str) -> bool:
    one, other = urlsplit(target), urlsplit(base)
    return one.scheme == other.scheme and one.hostname in LOOPBACK and other.hostname in LOOPBACK


def _covers_port(there: str, here: str, base: str) -> bool:
    """`http://localhost` in a manifest means this machine, on any port if the manifest names none."""
    return urlsplit(base).port is None or urlsplit(there).port == urlsplit(here).port


def merge_context(built: BuildContext, running: BuildContext) -> BuildContext:
    """Return the build context, with the values of the running context in its place."""
    given = {
        name: value for name in running.__struct_fields__ if (value := getattr(running, name)) is not UNSET
    }
    return replace(built, **given)
