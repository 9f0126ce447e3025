"""What an address names besides a web page: an application of this desktop, or of a device.

Knows which driver each needs and that its extra may be missing; opening a page is not its matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

from uiap.drivers.driver import Driver
from uiap.errors import Forbidden, Unavailable
from uiap.spec.versions import ANDROID_PROFILE, APPIUM_PROFILE, DESKTOP_PROFILE


class ApplicationKind(NamedTuple):
    """One kind of application, and the driver and the profile that it has."""

    module: str
    driver: str
    extra: str
    profile: str


APPLICATION_KINDS: Mapping[str, ApplicationKind] = MappingProxyType(
    {
        "desktop:": ApplicationKind("uiap.drivers.desktop", "DesktopDriver", "desktop", DESKTOP_PROFILE),
        "android:": ApplicationKind("uiap.drivers.android", "AndroidDriver", "android", ANDROID_PROFILE),
        "appium:": ApplicationKind("uiap.drivers.appium", "AppiumDriver", "appium", APPIUM_PROFILE),
    }
)


def is_application(address: str) -> bool:
    return address.startswith(tuple(APPLICATION_KINDS))


async def open_application(
    address: str, *, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
) -> Driver:
    """Start what the address names, or attach to it."""
    kind = next(kind for scheme, kind in APPLICATION_KINDS.items() if address.startswith(scheme))
    try:
        driver = getattr(import_module(kind.module), kind.driver)
    except ModuleNotFoundError as missing:
        raise Unavailable(
            f"`{address}` needs the extra {kind.extra}: pip install 'uiap[{kind.extra}]' (no `{missing.name}`)"
        ) from missing
    opened: Driver = await driver.open(address, environ=environ, secrets=secrets)
    return opened


def check_allowed(address: str, allowed: Sequence[str]) -> str:
    """Such an address runs a command: an agent gets only those that were named when its door was opened (P11).

    `desktop:galculator` allows that command alone, `android:*` whatever begins so.
    """
    for one in allowed:
        if address == one or (one.endswith("*") and address.startswith(one[:-1])):
            return address
    named = f"; there are {', '.join(allowed)}" if allowed else ""
    raise Forbidden(f"`{address}` is no application that may be opened here{named}")
