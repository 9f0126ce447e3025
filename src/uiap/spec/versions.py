"""The supported versions, profiles, extensions and bindings, and the functions that compare them.

`uiap.protocol` negotiates which of them a session uses.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

PROTOCOL_VERSION: Final = "0.1"
PROTOCOL_VERSIONS: tuple[str, ...] = (PROTOCOL_VERSION,)

WEB_PROFILE: Final = "web@0.1"
DESKTOP_PROFILE: Final = "x.uiap.desktop@0.1"
ANDROID_PROFILE: Final = "x.uiap.android@0.1"
APPIUM_PROFILE: Final = "x.uiap.appium@0.1"
PROFILES: tuple[str, ...] = (WEB_PROFILE, DESKTOP_PROFILE, ANDROID_PROFILE, APPIUM_PROFILE)

POLICY_EXTENSION: Final = "uiap.policy"
WORKFLOW_EXTENSION: Final = "uiap.workflow"
DISCOVERY_EXTENSION: Final = "uiap.discovery"
TOOLS_EXTENSION: Final = "x.uiap.tools"
EXTENSIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        POLICY_EXTENSION: ("0.1",),
        WORKFLOW_EXTENSION: ("0.1",),
        DISCOVERY_EXTENSION: ("0.1",),
        TOOLS_EXTENSION: ("0.1",),
    }
)

HTTP_BINDING: Final = "http@0.1"
WS_BINDING: Final = "ws@0.1"


def version_key(version: str) -> tuple[int, int]:
    """Return the sort key of a `major.minor` version: 0.10 comes after 0.9."""
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def compare_versions(left: str, right: str) -> int:
    """Return a negative number if `left` is older than `right`, zero if they are equal, else a positive one."""
    a, b = version_key(left), version_key(right)
    return (a > b) - (a < b)


def highest_common(left: Iterable[str], right: Iterable[str]) -> str | None:
    """Return the highest version that both sides support, in the spelling of `left`."""
    theirs = {version_key(version) for version in right}
    return max((v for v in left if version_key(v) in theirs), key=version_key, default=None)


def split_profile(profile: str) -> tuple[str, str]:
    """Return name and version of a profile such as `web@0.1`. A missing version is empty."""
    name, _, version = profile.partition("@")
    return name, version
