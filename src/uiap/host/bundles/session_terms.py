"""The terms on which a session uses a bundle: it must fit the session, and it adds to the capability document."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.host.bundles.bundle import Bundle, BundleNotApplicable
from uiap.spec.aliases import canonical_extension
from uiap.spec.authoring import BuildContext
from uiap.spec.capability import CapabilityDocument

DEFAULT_PREFIX = "data-uiap-"


def require_fit(bundle: Bundle, profile: str, extensions: frozenset[str]) -> None:
    """Raise BundleNotApplicable unless the session has the profile and the extensions that the bundle needs."""
    if bundle.content.profile != profile:
        raise BundleNotApplicable(
            f"the bundle is for `{bundle.content.profile}`, and this session is `{profile}`; build it for that"
        )
    needed = [one for one in bundle.content.compatibility.extensions or () if one.required is True]
    missing = [one.id for one in needed if canonical_extension(one.id) not in extensions]
    if missing:
        raise BundleNotApplicable(f"the bundle needs {', '.join(missing)}, which this session does not offer")


def merge_capabilities(own: CapabilityDocument, bundle: Bundle | None) -> CapabilityDocument:
    """Return the document of the session with the name of the application and the authored words and actions.

    The actions of the bundle itself are listed where they are carried out. Signal kinds and modes of the driver are
    facts, so the bundle cannot add to them.
    """
    if bundle is None:
        return own
    app = {"app": {"id": bundle.content.app.app_id, "name": bundle.content.app.display_name}}
    authored = bundle.content.capabilities
    if authored is UNSET:
        return msgspec.structs.replace(own, metadata={**app, **(own.metadata or {})})
    known = {one.id for one in own.actions} | set(bundle.actions)
    described = tuple(
        msgspec.structs.replace(one, execution_modes=()) for one in authored.actions if one.id not in known
    )
    return msgspec.structs.replace(
        own,
        roles=_union(own.roles, authored.roles),
        risk_tags=_union(own.risk_tags or (), authored.risk_tags or ()),
        actions=(*own.actions, *described),
        metadata={**app, **(authored.metadata or {}), **(own.metadata or {})},
    )


def _union(first: tuple[Any, ...], second: tuple[Any, ...]) -> Any:
    return tuple(dict.fromkeys((*first, *second)))


def annotation_prefix(bundle: Bundle | None) -> str:
    """Return the prefix of the annotations of the application."""
    sdk = UNSET if bundle is None else bundle.content.app.sdk
    given = UNSET if sdk is UNSET else sdk.annotation_prefix
    return DEFAULT_PREFIX if given is UNSET else given


def draws_overlays(bundle: Bundle | None) -> bool:
    """Return whether anything may be drawn on the pages of the application."""
    sdk = UNSET if bundle is None else bundle.content.app.sdk
    return sdk is UNSET or sdk.overlay_enabled is not False


def running_context(
    *,
    profile: str | None = None,
    tenant: str | None = None,
    environment: str | None = None,
    locale: str | None = None,
    app_version: str | None = None,
) -> BuildContext:
    """Return where a session runs, as far as its caller says so."""
    return BuildContext(
        principal_profile=profile or UNSET,
        tenant_id=tenant or UNSET,
        environment=environment or UNSET,
        locale=locale or UNSET,
        app_version=app_version or UNSET,
    )
