"""Applications on a device: start, stop, restart, reset, install, uninstall, permissions, links. Knows no screens.

Android's own programs end with code 0 even where they did nothing, so what they say is read; a word that is not known
as good is an error.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from uiap.drivers.android.address import is_component, is_package
from uiap.drivers.android.device import CommandFailed, Device
from uiap.errors import UiapError

START_S = 20.0
LAUNCHER = ("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")
_PERMISSION = re.compile(r"[A-Za-z][\w.]*")


class DeviceApplications:
    def __init__(self, device: Device) -> None:
        self._device = device

    async def start(self, component: str) -> None:
        """`com.example` by its launcher icon, `com.example/.Main` by its activity; back when it is drawn."""
        _check_name(is_component(component), component, "application")
        package, slash, _ = component.partition("/")
        target = component if slash else await self._launcher(package)
        icon = () if slash else LAUNCHER  # as its icon does: what runs comes to the front as it is
        said = await self._device.must("am", "start", "-W", *icon, "-n", target, seconds=START_S)
        _check_started(f"am start -n {target}", said)

    async def _launcher(self, package: str) -> str:
        """What its icon starts."""
        said = await self._device.run("cmd", "package", "resolve-activity", "--brief", *LAUNCHER, package)
        lines = [line.strip() for line in said.text.splitlines() if is_component(line.strip())]
        found = next((line for line in reversed(lines) if line.startswith(f"{package}/")), None)
        if found is not None:
            return found
        if not await self._device.has(package):
            raise UiapError(f"`{package}` is not installed on `{self._device.serial}`; install it first")
        raise UiapError(f"`{package}` has nothing to start by itself; name its activity: `{package}/.Main`")

    async def stop(self, package: str) -> None:
        _check_name(is_package(package), package, "application")
        await self._device.must("am", "force-stop", package)

    async def restart(self, component: str) -> None:
        await self.stop(component.partition("/")[0])
        await self.start(component)

    async def reset(self, package: str) -> None:
        """All its data and permissions, as if it were new."""
        _check_name(is_package(package), package, "application")
        _check_success(f"pm clear {package}", await self._device.must("pm", "clear", package))

    async def install(self, apk: Path) -> None:
        """Anew or over what is there; test builds too."""
        try:
            data = await asyncio.to_thread(apk.read_bytes)
        except OSError as error:
            raise UiapError(f"`{apk}` cannot be read: {error.strerror}") from error
        said = await self._device.feed(data, "cmd", "package", "install", "-r", "-t", "-S", len(data))
        _check_success("install", said)

    async def uninstall(self, package: str) -> None:
        _check_name(is_package(package), package, "application")
        said = await self._device.run("pm", "uninstall", package)
        _check_success(f"pm uninstall {package}", said.text or said.complaint)

    async def installed(self, *, own: bool = True) -> Sequence[str]:
        """What is installed; `own`: without what came with the system."""
        said = await self._device.must("pm", "list", "packages", *(("-3",) if own else ()))
        return sorted(line.removeprefix("package:").strip() for line in said.splitlines() if line.strip())

    async def grant(self, package: str, permission: str) -> None:
        await self._permission("grant", package, permission)

    async def revoke(self, package: str, permission: str) -> None:
        await self._permission("revoke", package, permission)

    async def _permission(self, verb: str, package: str, permission: str) -> None:
        _check_name(is_package(package), package, "application")
        _check_name(_PERMISSION.fullmatch(permission) is not None, permission, "permission")
        full = permission if "." in permission else f"android.permission.{permission}"
        said = await self._device.must("pm", verb, package, full)
        if said.strip():  # it says nothing when it is done
            raise CommandFailed(f"pm {verb}", 0, said.strip().splitlines()[0])

    async def follow(self, link: str, package: str = "") -> None:
        """Open a link as if it had been pressed; in this application, if one is named."""
        if ":" not in link:
            raise UiapError(f"`{link}` is no link; begin with https:// or the application's own scheme")
        to = ("-p", package) if package else ()
        args = ("am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", link, *to)
        _check_started(f"am start -d {link}", await self._device.must(*args, seconds=START_S))

    async def pids(self, package: str) -> frozenset[int]:
        said = await self._device.run("pidof", package)
        return frozenset(int(one) for one in said.text.split() if one.isdigit())


def _check_name(fits: bool, said: str, what: str) -> None:
    if not fits:
        raise UiapError(f"`{said}` is not the name of an {what}; write for example `com.example`")


def _check_started(command: str, said: str) -> None:
    wrong = re.search(r"^(?:Error|Exception|java\.).*$", said, re.MULTILINE)
    if wrong is not None:
        raise CommandFailed(command, 0, wrong.group()[:300])


def _check_success(command: str, said: str) -> None:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if "Success" not in lines:
        raise CommandFailed(command, 0, lines[-1] if lines else "")
