"""Load a compiled bundle: check its digest, its compatibility and its build context.

`signature.verify` checks signatures before this. Consumers register the content of the bundle themselves.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from uiap.authoring.assembly.package import SDK_VERSION
from uiap.authoring.bundles.bundle import digest_matches
from uiap.authoring.selector import version_fits
from uiap.authoring.versions import BadVersion, parse_range, parse_version, satisfies
from uiap.errors import UiapError
from uiap.protocol.duplicates import scan_for_duplicate_member
from uiap.spec.aliases import canonical_extension
from uiap.spec.authoring import BuildContext, UIAPCompiledBundle
from uiap.spec.versions import EXTENSIONS, PROTOCOL_VERSION


class BadBundle(UiapError):
    """A bundle that this runtime cannot use; the message says why."""


def load_bundle(data: bytes, running: BuildContext | None = None) -> UIAPCompiledBundle:
    """Return the bundle; raise BadBundle if it is damaged, incompatible or built for another context."""
    if scan_for_duplicate_member(data):
        raise BadBundle("an object in the bundle has the same member twice; build it again")
    try:
        bundle = msgspec.json.decode(data, type=UIAPCompiledBundle)
    except msgspec.MsgspecError as error:
        raise BadBundle(f"this is not a bundle: {error}") from None
    if not digest_matches(data):
        raise BadBundle(
            "the bundle was changed after it was built: its digest does not match; build it again"
        )
    _check_versions(bundle)
    check_context(bundle, running or BuildContext())
    return bundle


def _check_versions(bundle: UIAPCompiledBundle) -> None:
    wanted = bundle.compatibility
    _require_version("UIAP", (PROTOCOL_VERSION,), wanted.uiap_core)
    for extension in wanted.extensions or ():
        if extension.required is True:
            known = EXTENSIONS.get(canonical_extension(extension.id), ())
            _require_version(f"the extension {extension.id}", known, extension.range)
    if wanted.sdk is not UNSET and wanted.sdk.web is not UNSET:
        _require_version("the web SDK", (SDK_VERSION,), wanted.sdk.web)


def _require_version(what: str, known: tuple[str, ...], wanted: str) -> None:
    try:
        fits = any(satisfies(parse_version(version), parse_range(wanted)) for version in known)
    except BadVersion as error:
        raise BadBundle(str(error)) from None
    if not fits:
        raise BadBundle(f"the bundle needs {what} `{wanted}`; this runtime has {', '.join(known) or 'none'}")


def check_context(bundle: UIAPCompiledBundle, running: BuildContext) -> None:
    """Raise BadBundle if a member of both contexts differs; an unset member matches everything (RUN-5)."""
    for name in running.__struct_fields__:
        theirs: str | UnsetType = getattr(bundle.build_context, name)
        ours: str | UnsetType = getattr(running, name)
        if theirs is not UNSET and ours is not UNSET and theirs != ours:
            word = name.replace("_", " ")
            raise BadBundle(f"the bundle was built for {word} `{theirs}`, this is `{ours}`")
    versions, app = bundle.compatibility.app_versions, running.app_version
    if versions is not UNSET and app is not UNSET and not version_fits(app, versions):
        raise BadBundle(f"the bundle is for versions {', '.join(versions)} of the app, this is `{app}`")
