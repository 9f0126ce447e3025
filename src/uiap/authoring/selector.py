"""Match selectors with the build context: every given list must match, by any of its entries."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from uiap.authoring.versions import BadVersion, parse_range, parse_version, satisfies
from uiap.spec.authoring import BuildContext, ManifestSelector

_LISTS = (
    ("environments", "environment"),
    ("channels", "channel"),
    ("locales", "locale"),
    ("tenant_ids", "tenant_id"),
    ("principal_profiles", "principal_profile"),
)


def matches(selector: ManifestSelector | UnsetType, context: BuildContext) -> bool:
    """Return whether a selector matches. No selector always matches; a list never matches an unset value."""
    if selector is UNSET:
        return True
    for wanted, member in _LISTS:
        entries = getattr(selector, wanted)
        if entries is not UNSET and getattr(context, member) not in entries:
            return False
    return selector.app_version_ranges is UNSET or version_fits(
        context.app_version, selector.app_version_ranges
    )


def any_matches(selectors: Iterable[ManifestSelector] | UnsetType, context: BuildContext) -> bool:
    """Return whether any selector matches; no list or an empty list always matches."""
    if selectors is UNSET:
        return True
    choices = tuple(selectors)
    return not choices or any(matches(selector, context) for selector in choices)


def version_fits(version: str | UnsetType, ranges: Iterable[str]) -> bool:
    """Return whether a version equals an entry or is in its range; app versions may be arbitrary strings."""
    if version is UNSET:
        return False
    return any(version == entry or _in_range(version, entry) for entry in ranges)


def _in_range(version: str, entry: str) -> bool:
    try:
        return satisfies(parse_version(version), parse_range(entry))
    except BadVersion:
        return False
