"""Manage the applications of a device: start, stop, reset, install, uninstall, permissions and links.

Android's own programs exit with code 0 even if they did nothing, so their output is checked: anything but a known
success message is an error.
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
    """The applications of one device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    async def start(self, component: str) -> None:
        """Start `com.example` by its launcher icon or `com.example/.Main` by its activity; wait until it is drawn."""
        _check_name(is_component(component), component, "application")
        package, slash, _ = component.partition("/")
        target = component if slash else await self._launcher(package)
        # as the launcher icon does: a running application comes to the foreground as it is
        category = () if slash else LAUNCHER
        output = await self._device.check_output(
            "am", "start", "-W", *category, "-n", target, timeout_s=START_S
        )
        _check_started(f"am start -n {target}", output)

    async def _launcher(self, package: str) -> str:
        """Return the activity that the launcher icon starts."""
        output = await self._device.run("cmd", "package", "resolve-activity", "--brief", *LAUNCHER, package)
        lines = [line.strip() for line in output.text.splitlines() if is_component(line.strip())]
        found = next((line for line in reversed(lines) if line.startswith(f"{package}/")), None)
        if found is not None:
            return found
        if not await self._device.has_package(package):
            raise UiapError(f"`{package}` is not installed on `{self._device.serial}`; install it first")
        raise UiapError(f"`{package}` has no launcher icon; name its activity, for example `{package}/.Main`")

    async def stop(self, package: str) -> None:
        _check_name(is_package(package), package, "application")
        await self._device.check_output("am", "force-stop", package)

    async def restart(self, component: str) -> None:
        await self.stop(component.partition("/")[0])
        await self.start(component)

    async def reset(self, package: str) -> None:
        """Delete all data and permissions of an application, as if it were newly installed."""
        _check_name(is_package(package), package, "application")
        _check_success(f"pm clear {package}", await self._device.check_output("pm", "clear", package))

    async def install(self, apk: Path) -> None:
        """Install an application or replace it; test builds are allowed."""
        try:
            data = await asyncio.to_thread(apk.read_bytes)
        except OSError as error:
            raise UiapError(f"`{apk}` cannot be read: {error.strerror}") from error
        output = await self._device.run_with_input(
            data, "cmd", "package", "install", "-r", "-t", "-S", len(data)
        )
        _check_success("install", output)

    async def uninstall(self, package: str) -> None:
        _check_name(is_package(package), package, "application")
        output = await self._device.run("pm", "uninstall", package)
        _check_success(f"pm uninstall {package}", output.text or output.error_line)

    async def installed(self, *, own: bool = True) -> Sequence[str]:
        """Return the installed packages; with `own`, without those of the system."""
        output = await self._device.check_output("pm", "list", "packages", *(("-3",) if own else ()))
        return sorted(line.removeprefix("package:").strip() for line in output.splitlines() if line.strip())

    async def grant(self, package: str, permission: str) -> None:
        await self._permission("grant", package, permission)

    async def revoke(self, package: str, permission: str) -> None:
        await self._permission("revoke", package, permission)

    async def _permission(self, verb: str, package: str, permission: str) -> None:
        _check_name(is_package(package), package, "application")
        _check_name(_PERMISSION.fullmatch(permission) is not None, permission, "permission")
        full = permission if "." in permission else f"android.permission.{permission}"
        output = await self._device.check_output("pm", verb, package, full)
        if output.strip():  # `pm` prints nothing on success
            raise CommandFailed(f"pm {verb}", 0, output.strip().splitlines()[0])

    async def open_link(self, link: str, package: str = "") -> None:
        """Open a link as if it had been pressed; in this application if one is given."""
        if ":" not in link:
            raise UiapError(f"`{link}` is not a link; start it with https:// or the application's own scheme")
        target = ("-p", package) if package else ()
        args = ("am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", link, *target)
        _check_started(f"am start -d {link}", await self._device.check_output(*args, timeout_s=START_S))

    async def pids(self, package: str) -> frozenset[int]:
        output = await self._device.run("pidof", package)
        return frozenset(int(word) for word in output.text.split() if word.isdigit())


def _check_name(is_valid: bool, name: str, kind: str) -> None:
    if not is_valid:
        raise UiapError(f"`{name}` is not the name of an {kind}; write for example `com.example`")


def _check_started(command: str, output: str) -> None:
    error = re.search(r"^(?:Error|Exception|java\.).*$", output, re.MULTILINE)
    if error is not None:
        raise CommandFailed(command, 0, error.group()[:300])


def _check_success(command: str, output: str) -> None:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if "Success" not in lines:
        raise CommandFailed(command, 0, lines[-1] if lines else "")
