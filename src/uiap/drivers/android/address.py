"""Parse addresses such as `android:com.example/.Main@emulator-5554`: an application on a device. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from uiap.errors import UiapError

SCHEME = "android:"
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")
_ACTIVITY = re.compile(r"\.?[A-Za-z_$][\w.$]*")
_SERIAL = re.compile(r"[\w.:\-\[\]%()]+")


class AndroidAddress(NamedTuple):
    """An application on a device. Empty parts mean the foreground application and the only device."""

    package: str = ""
    activity: str = ""
    serial: str = ""

    def __str__(self) -> str:
        return f"{SCHEME}{self.component}" + (f"@{self.serial}" if self.serial else "")

    @property
    def component(self) -> str:
        return f"{self.package}/{self.activity}" if self.activity else self.package


def parse(address: str) -> AndroidAddress:
    """Parse an address; `android:` alone means the foreground application of the only device."""
    app, _, serial = address.removeprefix(SCHEME).strip().partition("@")
    package, slash, activity = app.partition("/")
    is_invalid = (
        (package and not _PACKAGE.fullmatch(package))
        or (slash and not _ACTIVITY.fullmatch(activity))
        or (activity and not package)
        or (serial and not _SERIAL.fullmatch(serial))
    )
    if is_invalid:
        raise UiapError(
            f"`{address}` names no application on a device; write `android:com.example`, "
            "`android:com.example/.Main@SERIAL`, or `android:@SERIAL` for the foreground application"
        )
    return AndroidAddress(package, activity, serial)


def is_package(name: str) -> bool:
    return _PACKAGE.fullmatch(name) is not None


def is_component(name: str) -> bool:
    package, slash, activity = name.partition("/")
    return is_package(package) and (not slash or _ACTIVITY.fullmatch(activity) is not None)
