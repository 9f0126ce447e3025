"""Does a selector fit the build context? All given lists must match, any entry inside a list does."""

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
    """No selector always matches; a list that the context cannot answer never does (companions §12.2)."""
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
    """A list of selectors is a choice between them; no list, or an empty one, asks for nothing."""
    if selectors is UNSET:
        return True
    choices = tuple(selectors)
    return not choices or any(matches(selector, context) for selector in choices)


def version_fits(version: str | UnsetType, ranges: Iterable[str]) -> bool:
    """App versions may be fixed strings that are no versions at all; those match only themselves."""
    if version is UNSET:
        return False
    return any(version == entry or _in_range(version, entry) for entry in ranges)


def _in_range(version: str, entry: str) -> bool:
    try:
        return satisfies(parse_version(version), parse_range(entry))
    except BadVersion:
        return False
