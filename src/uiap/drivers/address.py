"""Addresses of applications: `desktop:`, `android:` and `appium:` instead of a URL.

Finds the driver for an address and reports a missing extra. Opening web pages is left to `uiap.drivers.chromium`.
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
    """One kind of application, with its driver, its extra and its profile."""

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
    """Start the application that the address names, or attach to it."""
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
    """Return the address if `allowed` lists it, else raise `Forbidden`.

    An address runs a command, so an agent may open only those that its interface was started with.
    `desktop:galculator` allows that command alone, `android:*` every address with that prefix.
    """
    for pattern in allowed:
        if address == pattern or (pattern.endswith("*") and address.startswith(pattern[:-1])):
            return address
    choices = f"; allowed are {', '.join(allowed)}" if allowed else ""
    raise Forbidden(f"the application `{address}` may not be opened here{choices}")
