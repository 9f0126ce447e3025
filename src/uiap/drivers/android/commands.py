"""The commands of an Android device besides touches: applications, permissions, links, rotation, clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from uiap.drivers.android.applications import DeviceApplications
from uiap.drivers.android.screen import AndroidScreen
from uiap.drivers.android.touch import AdbTouch
from uiap.drivers.touchscreen.commands import DeviceCommand, DeviceCommands
from uiap.errors import UiapError

_ROTATIONS = {"portrait": 0, "landscape": 1, "upside-down": 2, "landscape-left": 3}


class AndroidCommands(DeviceCommands):
    def __init__(
        self, apps: DeviceApplications, screen: AndroidScreen, touch: AdbTouch, component: str
    ) -> None:
        self._apps, self._screen, self._touch, self._component = apps, screen, touch, component
        commands = {
            "android.start": DeviceCommand(self._start, "Start an application"),
            "android.stop": DeviceCommand(self._stop, "Stop an application"),
            "android.restart": DeviceCommand(self._restart, "Stop an application and start it again"),
            "android.reset": DeviceCommand(
                self._reset, "Delete all data of an application", destructive=True
            ),
            "android.install": DeviceCommand(
                self._install, "Install an application from a file of this computer", destructive=True
            ),
            "android.uninstall": DeviceCommand(self._uninstall, "Remove an application", destructive=True),
            "android.installed": DeviceCommand(self._installed, "List the installed applications"),
            "android.grant": DeviceCommand(
                self._grant, "Grant a permission to an application", destructive=True
            ),
            "android.revoke": DeviceCommand(self._revoke, "Revoke a permission of an application"),
            "android.link": DeviceCommand(self._link, "Open a link as if it had been pressed"),
            "android.back": DeviceCommand(self._back, "Go back"),
            "android.home": DeviceCommand(self._home, "Go to the home screen"),
            "android.rotate": DeviceCommand(self._rotate, "Rotate the screen: portrait, landscape, or auto"),
            "android.copy": DeviceCommand(self._copy, "Put a text on the clipboard"),
            "android.paste": DeviceCommand(self._paste, "Paste the clipboard into the focused field"),
        }
        super().__init__(commands)

    async def _start(self, app: str = "") -> Any:
        await self._apps.start(self._app_or_default(app))

    async def _stop(self, app: str = "") -> Any:
        await self._apps.stop(self._app_or_default(app).partition("/")[0])

    async def _restart(self, app: str = "") -> Any:
        await self._apps.restart(self._app_or_default(app))

    async def _reset(self, app: str = "") -> Any:
        await self._apps.reset(self._app_or_default(app).partition("/")[0])

    async def _install(self, path: str) -> Any:
        await self._apps.install(Path(path))

    async def _uninstall(self, app: str) -> Any:
        await self._apps.uninstall(app)

    async def _installed(self) -> Any:
        return {"applications": list(await self._apps.installed())}

    async def _grant(self, permission: str, app: str = "") -> Any:
        await self._apps.grant(self._app_or_default(app).partition("/")[0], permission)

    async def _revoke(self, permission: str, app: str = "") -> Any:
        await self._apps.revoke(self._app_or_default(app).partition("/")[0], permission)

    async def _link(self, url: str, app: str = "") -> Any:
        await self._apps.open_link(url, app)

    async def _back(self) -> Any:
        await self._touch.press("GoBack")

    async def _home(self) -> Any:
        await self._touch.press("GoHome")

    async def _rotate(self, to: str) -> Any:
        if to != "auto" and to not in _ROTATIONS:
            raise UiapError(f"`{to}` is not a rotation; use auto, {', '.join(_ROTATIONS)}")
        await self._screen.rotate(_ROTATIONS.get(to))

    async def _copy(self, text: str) -> Any:
        await self._touch.copy(text)

    async def _paste(self) -> Any:
        await self._touch.paste()

    def _app_or_default(self, app: str) -> str:
        if not (app or self._component):
            raise UiapError("name an application, because this session was opened without one")
        return app or self._component
