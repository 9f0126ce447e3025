"""The driver of a phone behind an Appium server: it reads the page source and sends pointer actions.

The facts of a session contain only what its platform supports. This driver knows how to open a session and how to
query it. `touchscreen` decides when the screen is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from uiap.actions.ops import AnyOp, Click
from uiap.drivers.appium import source
from uiap.drivers.appium.address import SCHEME, is_application
from uiap.drivers.appium.address import parse as parse_address
from uiap.drivers.appium.commands import AppiumCommands
from uiap.drivers.appium.facts import ANDROID, IOS, facts_for, platform_of
from uiap.drivers.appium.session import AppiumCommandRejected, AppiumSession
from uiap.drivers.appium.touch import AppiumTouch
from uiap.drivers.driver import PerformRefused
from uiap.drivers.touchscreen.driver import TouchscreenDriver
from uiap.drivers.touchscreen.graph import ForegroundApp
from uiap.drivers.touchscreen.hierarchy import BadDump, ScreenBounds
from uiap.drivers.touchscreen.picture import mask_picture
from uiap.drivers.touchscreen.snapshot import ScreenSnapshot, ScreenUnreadable
from uiap.drivers.touchscreen.touch_input import InputNotSent


class AppiumDriver(TouchscreenDriver):
    """One session. `close` ends it on the server."""

    def __init__(self, session: AppiumSession, secrets: Callable[[str], str] | None = None) -> None:
        self._session = session
        self.platform = platform_of(dict(session.capabilities))
        self._touch = AppiumTouch(session, self.platform)
        self._app_commands = AppiumCommands(session, self._touch, self.platform)
        super().__init__(SCHEME, facts_for(self.platform), self._touch, self._app_commands, secrets)

    @classmethod
    async def open(
        cls, address: str, *, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
    ) -> AppiumDriver:
        """Open `appium:FILE.json[@SERVER]`, or capabilities as words: `appium:platformName=iOS,bundleId=…`."""
        return cls(await AppiumSession.open(parse_address(address, environ, secrets)), secrets)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._session.close()

    # ------------------------------------------------------------------ reading and input through Appium

    async def _read_screen(self) -> ScreenSnapshot:
        started_at = time.monotonic()
        text = await self._session.call("source", lambda driver: driver.page_source)
        try:
            page = source.parse_source(text)
        except BadDump as bad:
            raise ScreenUnreadable(str(bad)) from bad
        foreground = await self._foreground(page.application)
        keyboard_shown = page.keyboard_shown or await self._is_keyboard_shown(page)
        return ScreenSnapshot(page.hierarchy, foreground, started_at, time.monotonic(), keyboard_shown)

    async def _foreground(self, application: str) -> ForegroundApp:
        with suppress(AppiumCommandRejected):  # not every server supports this
            if self.platform == ANDROID:
                activity = await self._session.mobile("getCurrentActivity")
                package = await self._session.mobile("getCurrentPackage")
                return ForegroundApp(str(package), str(activity).removeprefix(str(package)))
            if self.platform == IOS:
                return ForegroundApp(str((await self._session.mobile("activeAppInfo"))["bundleId"]))
        return ForegroundApp(application)

    async def _is_keyboard_shown(self, page: source.PageSource) -> bool:
        """Return whether the keyboard is shown; asks only if a field has the focus, since nothing else opens it."""
        if self.platform != ANDROID or not any(one.has("focused") for one in page.hierarchy.nodes()):
            return False
        with suppress(AppiumCommandRejected):
            return bool(await self._session.mobile("isKeyboardShown"))
        return False

    async def _take_screenshot(self, hide: Sequence[ScreenBounds]) -> bytes:
        png = await self._session.call("screenshot", lambda driver: driver.get_screenshot_as_png())
        return await mask_picture(png, hide, self.layout.screen)

    async def _follow_link(self, url: str) -> PerformRefused | None:
        """Start the application of an `appium:` address; open any other link as if it had been pressed."""
        if "navigate" not in self._facts.surfaces:
            return PerformRefused(
                "unsupported", f"`{self.platform}` has no addresses; press the controls that lead there"
            )
        if not url.startswith(SCHEME):
            await self._app_commands.link(url)
            return None
        if not is_application(url.removeprefix(SCHEME)):
            return PerformRefused("invalid", f"`{url}` is not an application; write `appium:com.example`")
        await self._app_commands.start(url.removeprefix(SCHEME))
        return None

    def _address_of(self, foreground: ForegroundApp) -> str:
        return f"{SCHEME}{foreground.path}"

    async def _execute(self, op: AnyOp) -> PerformRefused | dict[str, Any]:
        if self.platform in (ANDROID, IOS) or not isinstance(op, Click) or op.guard is None:
            return await super()._execute(op)
        element = self.element_by_id(op.guard.node)
        if element is None or op.button != "left" or op.count != 1 or op.modifiers or op.spot is not None:
            return PerformRefused("unsupported", f"`{self.platform}` supports plain presses only")
        try:
            await self._touch.click(element.node)
        except InputNotSent as error:
            if self._touch.sent:
                raise
            return PerformRefused(error.reason, error.message)
        return {}
