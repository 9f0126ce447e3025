"""The commands of an Appium session besides touches: applications, links, rotation, and system alerts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from uiap.drivers.appium.address import is_application
from uiap.drivers.appium.facts import ANDROID
from uiap.drivers.appium.session import AppiumSession
from uiap.drivers.appium.touch import AppiumTouch
from uiap.drivers.touchscreen.commands import DeviceCommand, DeviceCommands
from uiap.errors import UiapError

_ORIENTATIONS = {"portrait": "PORTRAIT", "landscape": "LANDSCAPE"}


class AppiumCommands(DeviceCommands):
    def __init__(self, session: AppiumSession, touch: AppiumTouch, platform: str) -> None:
        self._session, self._touch, self._platform = session, touch, platform
        super().__init__(
            {
                "appium.start": DeviceCommand(self.start, "Start an application, or bring it to the front"),
                "appium.stop": DeviceCommand(self._stop, "Stop an application"),
                "appium.install": DeviceCommand(
                    self._install, "Install an application from a file", destructive=True
                ),
                "appium.uninstall": DeviceCommand(self._uninstall, "Remove an application", destructive=True),
                "appium.link": DeviceCommand(self.link, "Open a link as if it had been pressed"),
                "appium.back": DeviceCommand(self._back, "Go back"),
                "appium.home": DeviceCommand(self._home, "Go to the home screen"),
                "appium.rotate": DeviceCommand(self._rotate, "Rotate the screen: portrait or landscape"),
                "appium.hideKeyboard": DeviceCommand(self._hide_keyboard, "Hide the keyboard"),
                "appium.accept": DeviceCommand(self._accept, "Accept the open system alert"),
                "appium.dismiss": DeviceCommand(self._dismiss, "Dismiss the open system alert"),
            }
        )

    async def start(self, app: str) -> Any:
        _check_application(app)
        if "/" in app and self._platform == ANDROID:
            await self._session.mobile("startActivity", component=app, wait=True)
        else:
            await self._session.call("start", lambda driver: driver.activate_app(app.partition("/")[0]))

    async def _stop(self, app: str) -> Any:
        _check_application(app)
        await self._session.call("stop", lambda driver: driver.terminate_app(app))

    async def _install(self, path: str) -> Any:
        if "://" not in path and not Path(path).is_file():  # noqa: ASYNC240 - one check of a local file
            raise UiapError(f"there is no file `{path}`")
        await self._session.call("install", lambda driver: driver.install_app(path))

    async def _uninstall(self, app: str) -> Any:
        _check_application(app)
        await self._session.call("uninstall", lambda driver: driver.remove_app(app))

    async def link(self, url: str) -> Any:
        if ":" not in url:
            raise UiapError(f"`{url}` is not a link; start it with https:// or the application's own scheme")
        await self._session.call("link", lambda driver: driver.get(url))

    async def _back(self) -> Any:
        await self._touch.back()

    async def _home(self) -> Any:
        await self._touch.press("GoHome")

    async def _rotate(self, to: str) -> Any:
        if to not in _ORIENTATIONS:
            raise UiapError(f"`{to}` is not an orientation; use {', '.join(_ORIENTATIONS)}")
        await self._session.call("rotate", lambda driver: setattr(driver, "orientation", _ORIENTATIONS[to]))

    async def _hide_keyboard(self) -> Any:
        await self._session.call("hideKeyboard", lambda driver: driver.hide_keyboard())

    async def _accept(self) -> Any:
        await self._session.call("accept", lambda driver: driver.switch_to.alert.accept())

    async def _dismiss(self) -> Any:
        await self._session.call("dismiss", lambda driver: driver.switch_to.alert.dismiss())


def _check_application(app: str) -> None:
    if not is_application(app):
        raise UiapError(f"`{app}` is not the name of an application; write for example `com.example`")
