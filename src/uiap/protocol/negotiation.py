"""Select the version, profiles and extensions that both peers support, or refuse the offer.

The policy extension has the alias `uicp.policy`. A peer that uses only the alias gets its answers in that spelling.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from uiap.protocol.refusal import Refusal
from uiap.spec.aliases import canonical_extension
from uiap.spec.core import ExtensionOffer, ExtensionSelection, SessionInitializePayload
from uiap.spec.versions import POLICY_EXTENSION, highest_common


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """Versions, profiles and extensions that this side supports."""

    versions: tuple[str, ...] = ("0.1",)
    profiles: tuple[str, ...] = ()
    extensions: tuple[ExtensionOffer, ...] = ()


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The common selection. `extensions` has the peer's spelling, `canonical` the canonical ids."""

    version: str
    profiles: tuple[str, ...]
    extensions: tuple[ExtensionSelection, ...]
    canonical: frozenset[str]
    policy_alias: bool = False


def negotiate(offer: SessionInitializePayload, support: Support) -> Agreement | Refusal:
    """Return what both sides support, or a refusal for the first of version, profile and extension that fails."""
    version = highest_common(offer.supported_versions, support.versions)
    if version is None:
        detail = {"supportedVersions": list(support.versions)}
        return Refusal(
            "unsupported_version", "no common protocol version", "/payload/supportedVersions", detail
        )
    profiles = tuple(p for p in offer.supported_profiles if p in support.profiles)
    if offer.supported_profiles and not profiles:
        detail = {"supportedProfiles": list(support.profiles)}
        return Refusal("unsupported_profile", "no common profile", "/payload/supportedProfiles", detail)
    return _select_extensions(offer, support, version, profiles)


def _select_extensions(
    offer: SessionInitializePayload, support: Support, version: str, profiles: tuple[str, ...]
) -> Agreement | Refusal:
    offered = () if offer.supported_extensions is UNSET else offer.supported_extensions
    theirs, ours = _merge_spellings(offered), _merge_spellings(support.extensions)
    selected = {
        id: common
        for id, their in theirs.items()
        if id in ours and (common := highest_common(their.versions, ours[id].versions)) is not None
    }
    unmet = [id for id, their in theirs.items() if their.required is True and id not in selected]
    unmet += [
        id for id, our in ours.items() if our.required is True and id not in selected and id not in unmet
    ]
    if unmet:
        message = f"a required extension is not available on both sides: {', '.join(unmet)}"
        path = "/payload/supportedExtensions"
        return Refusal("required_extension_unavailable", message, path, {"extensions": unmet})
    spelled = _peer_spellings(offered)
    return Agreement(
        version=version,
        profiles=profiles,
        # a peer that only knows the alias gets the alias back
        extensions=tuple(ExtensionSelection(id=spelled[id], version=v) for id, v in selected.items()),
        canonical=frozenset(selected),
        policy_alias=spelled.get(POLICY_EXTENSION, POLICY_EXTENSION) != POLICY_EXTENSION,
    )


def _peer_spellings(offers: Iterable[ExtensionOffer]) -> dict[str, str]:
    """Return the peer's spelling of each extension; the canonical one if it uses both."""
    spelled: dict[str, str] = {}
    for offer in offers:
        id = canonical_extension(offer.id)
        spelled[id] = id if spelled.get(id, offer.id) != offer.id else offer.id
    return spelled


def _merge_spellings(offers: Iterable[ExtensionOffer]) -> dict[str, ExtensionOffer]:
    """Join the offers of both spellings of an extension: all versions, required if either is."""
    merged: dict[str, ExtensionOffer] = {}
    for offer in offers:
        id = canonical_extension(offer.id)
        before = merged.get(id)
        versions = offer.versions
        required = offer.required is True
        if before is not None:
            versions = (*before.versions, *(v for v in versions if v not in before.versions))
            required = required or before.required is True
        merged[id] = ExtensionOffer(id=id, versions=versions, required=required)
    return merged
