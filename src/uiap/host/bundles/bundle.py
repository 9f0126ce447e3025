"""Opening a compiled bundle for a running page: prove it, then believe it, and only where it belongs.

Without a trusted key a bundle helps to recognise and to verify, and can make things stricter; only what a trusted key
signed may lower a risk. Recognising elements is `bindings`' business.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from uiap.authoring.bundles.derived import capability_document
from uiap.authoring.bundles.load import BadBundle, load_bundle
from uiap.authoring.bundles.signature import TrustedKey, Untrusted, key_id_of, verify
from uiap.authoring.selector import matches
from uiap.authoring.versions import parse_version
from uiap.errors import Unavailable
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.origin import OPAQUE, origin_of
from uiap.runtime.resolve import Candidates
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import (
    AuthoredAction,
    BuildContext,
    PathMatcher,
    ScopedPolicyDocument,
    UIAPCompiledBundle,
)
from uiap.spec.capability import CapabilityDocument
from uiap.spec.discovery import UrlSeed
from uiap.spec.workflow import WorkflowDefinition

MAX_BYTES = 100 * 1024 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

Trust: TypeAlias = "str | TrustedKey | Sequence[str | TrustedKey]"
"""One public key or several: 32 raw bytes in base64, or the path of a file that holds them."""


class BundleNotApplicable(BadBundle):
    """A sound bundle, but not one for what is running."""


@dataclass(frozen=True)
class Bundle:
    """A bundle that may be used on `origins`; `signed_by` names the trusted key that vouches for it, if one does."""

    content: UIAPCompiledBundle
    bindings: Bindings
    origins: tuple[str, ...] = ()
    signed_by: str | None = None

    def covers(self, url: str) -> bool:
        """Does the bundle speak of the page at this address? Where it names none, of any."""
        return not self.origins or any(_within(url, base) for base in self.origins)

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Only on the app's own pages, and only in its own documents: elsewhere its words mean nothing."""
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

    def policies(self, running: BuildContext | None = None) -> tuple[ScopedPolicyDocument, ...]:
        """The policies that apply; selectors count again for who is here now (companions §12.3)."""
        now = merge_context(self.content.build_context, running)
        return tuple(
            policy
            for policy in self.content.policies or ()
            if policy.selector is UNSET or matches(policy.selector, now)
        )

    def seeds(self, url: str) -> tuple[UrlSeed, ...]:
        """The pages the bundle knows, as a place for discovery to begin (companions §12.3, mapper)."""
        paths = (
            matcher.value
            for route in self.bindings.routes.values()
            for matcher in route.match
            if isinstance(matcher, PathMatcher)
        )
        found = (urljoin(url, path) for path in paths)
        return tuple(UrlSeed(url=address) for address in dict.fromkeys(found) if self.covers(address))

    @property
    def actions(self) -> Mapping[str, AuthoredAction]:
        return self.bindings.actions

    @property
    def capabilities(self) -> CapabilityDocument:
        """The authored document, or the one that follows from bindings and actions."""
        return capability_document(self.content)

    @property
    def workflows(self) -> tuple[WorkflowDefinition, ...]:
        return self.content.workflows or ()

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
    """The bundle in `source` for the page at `url`. Raises Untrusted or BadBundle; nothing of it is used then.

    `seen` is the file that remembers which version was opened last, so that an older one is refused.
    """
    if isinstance(source, Bundle):
        bundle = source
        if trust is not None and bundle.signed_by not in _keys(trust):
            raise Untrusted("the bundle was not opened with one of these keys")
    else:
        bundle = _proved(Path(source), trust, running, seen, allow_older)
    if not bundle.covers(url):
        raise BundleNotApplicable(f"the bundle is for {', '.join(bundle.origins)}, not for `{url}`")
    if not bundle.origins:  # it names no address: what was opened is its place, and nothing else
        bundle = Bundle(bundle.content, bundle.bindings, (_origin(url),), bundle.signed_by)
    return bundle


def open_app_bundle(
    source: Path, *, trust: Trust | None = None, seen: Path | None = None, allow_older: bool = False
) -> Bundle:
    """A bundle for whatever pages of its application will be opened; it must say itself where that is."""
    bundle = _proved(source, trust, None, seen, allow_older)
    if not bundle.origins:
        raise BundleNotApplicable(f"`{source}` names no address; build it for an environment with baseUrls")
    return bundle


def _proved(
    path: Path, trust: Trust | None, running: BuildContext | None, seen: Path | None, allow_older: bool
) -> Bundle:
    data = _read(path)
    signed_by = None
    if trust is not None:
        keys = _keys(trust)
        signature = path.with_name(path.name + ".sig")
        claim = _read(signature) if signature.is_file() else None
        content = verify(data, claim, keys, now=datetime.now(UTC).isoformat())
        _not_older(content, seen, allow_older)
        signed_by = _signer(claim)
    content = load_bundle(data, running)
    if signed_by is not None and seen is not None:
        _remember(content, seen)
    return Bundle(content, Bindings(content, trusted=signed_by is not None), _addresses(content), signed_by)


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
    keys = [key if isinstance(key, TrustedKey) else TrustedKey(public_key=_public(key)) for key in given]
    return {key_id_of(key.public_key): key for key in keys}


def _public(text: str) -> str:
    """A key as it is, or the file that holds it."""
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


def _line(content: UIAPCompiledBundle) -> str:
    """Channels move on their own: staging ahead of prod is no step back."""
    channel = content.build_context.channel
    return content.package_id if channel is UNSET else f"{content.package_id}#{channel}"


def _not_older(content: UIAPCompiledBundle, seen: Path | None, allow_older: bool) -> None:
    before = _remembered(seen).get(_line(content)) if seen is not None else None
    if before is None or allow_older:
        return
    if parse_version(content.version).order < parse_version(before).order:
        raise Untrusted(f"version {content.version} is older than {before}, which was here before")


def _remembered(seen: Path) -> dict[str, str]:
    if not seen.is_file():
        return {}
    try:
        return msgspec.json.decode(seen.read_bytes(), type=dict[str, str])
    except msgspec.MsgspecError:
        # Not knowing is no reason to believe: whoever damaged the file may want an old bundle back.
        raise Untrusted(
            f"`{seen}` is damaged, so nobody knows which version was here; delete it to go on"
        ) from None


def _remember(content: UIAPCompiledBundle, seen: Path) -> None:
    known = _remembered(seen)
    if known.get(_line(content)) == content.version:
        return
    seen.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = seen.with_name(f"{seen.name}.{os.getpid()}.new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(msgspec.json.encode({**known, _line(content): content.version}, order="sorted"))
    beside.replace(seen)


# -- places -----------------------------------------------------------------------------------------------------


def _addresses(content: UIAPCompiledBundle) -> tuple[str, ...]:
    """The base addresses of the environment it was built for; of all, where it was built for none."""
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


def _within(url: str, base: str) -> bool:
    there, here = urlsplit(url), urlsplit(base)
    if not _covers_origin(url, base):
        return False
    inside = there.path.rstrip("/") + "/"
    # An origin alone (of a frame) says nothing about paths.
    return not there.path or inside.startswith(here.path.rstrip("/") + "/")


def _covers_origin(url: str, base: str) -> bool:
    there, here = origin_of(url), origin_of(base)
    if OPAQUE in (there, here):  # outside the web there are no origins, so scheme and authority must be equal
        return urlsplit(url)[:2] == urlsplit(base)[:2]
    return there == here or (_both_loopback(there, here) and _covers_port(there, here, base))


def _both_loopback(there: str, here: str) -> bool:
    one, other = urlsplit(there), urlsplit(here)
    return one.scheme == other.scheme and one.hostname in LOOPBACK and other.hostname in LOOPBACK


def _covers_port(there: str, here: str, base: str) -> bool:
    """`http://localhost` in a manifest means this machine, on any port if the manifest names none."""
    return urlsplit(base).port is None or urlsplit(there).port == urlsplit(here).port


def merge_context(built: BuildContext, running: BuildContext | None) -> BuildContext:
    """What the bundle was built for, completed by who is here now."""
    if running is None:
        return built
    said = {
        name: value for name in running.__struct_fields__ if (value := getattr(running, name)) is not UNSET
    }
    return replace(built, **said)
