"""The application of the contract suite behind an Appium server, as an Android or an iOS screen."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.android_apps import notes
from tests.support.appium_screen import AppiumScreen
from tests.support.appium_server import missing, server
from uiap.drivers.driver import Driver


def open_screen(stack: AsyncExitStack, platform: str) -> tuple[AppiumScreen, str]:
    """Open a new screen; return it and the address of its session."""
    if reason := missing():
        pytest.skip(reason)
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="uiap-ap-", ignore_cleanup_errors=True)))
    screen = AppiumScreen(notes(), platform, folder / "screen")
    stack.callback(screen.close)
    capabilities = f"platformName={platform},automationName=UiapScreen,socket={screen.socket}"
    return screen, f"appium:{capabilities}@{server()}"


class AppiumHarness:
    def __init__(self, platform: str) -> None:
        self._platform = platform
        activity = ("/.Main", "/.Other") if platform == "Android" else ("", "")
        self.home = f"appium:org.example.notes{activity[0]}"
        self.other = f"appium:org.example.other{activity[1]}"

    async def open(self, stack: AsyncExitStack) -> Driver:
        self._screen, address = open_screen(stack, self._platform)
        from uiap.drivers.appium import AppiumDriver  # only after the check that Appium is installed

        return await AppiumDriver.open(address, environ={})

    async def reset(self, driver: Driver) -> None:
        if self._screen.inputs or not self._screen.app.component.endswith("/.Main"):
            self._screen.inputs.clear()
            self._screen.app.start("org.example.notes/.Main")
            await driver.observe()
