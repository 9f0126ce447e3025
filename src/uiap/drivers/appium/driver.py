"""A phone behind an Appium server: read by its page source, touched by pointer actions.

What a platform cannot do is not in the facts of its sessions. It knows how a session is opened and asked; when a screen
is read is the touch screen's own affair.
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

    def __init__(self, wire: AppiumSession, secrets: Callable[[str], str] | None = None) -> None:
        self._wire = wire
        self.platform = platform_of(dict(wire.capabilities))
        self._touch = AppiumTouch(wire, self.platform)
        self._asked = AppiumCommands(wire, self._touch, self.platform)
        super().__init__(SCHEME, facts_for(self.platform), self._touch, self._asked, secrets)

    @classmethod
    async def open(
        cls, address: str, *, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
    ) -> AppiumDriver:
        """`appium:FILE.json[@SERVER]`, or the capabilities as words: `appium:platformName=iOS,bundleId=…`."""
        return cls(await AppiumSession.open(parse_address(address, environ, secrets)), secrets)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._wire.close()

    # ------------------------------------------------------------------ what the wire brings

    async def _read(self) -> ScreenSnapshot:
        begun = time.monotonic()
        text = await self._wire.call("source", lambda driver: driver.page_source)
        try:
            found = source.parse_source(text)
        except BadDump as bad:
            raise ScreenUnreadable(str(bad)) from bad
        front = await self._front(found.application)
        keyboard = found.keyboard or await self._keyboard(found)
        return ScreenSnapshot(found.hierarchy, front, begun, time.monotonic(), keyboard)

    async def _front(self, application: str) -> ForegroundApp:
        with suppress(AppiumCommandRejected):  # not every server tells
            if self.platform == ANDROID:
                activity = await self._wire.mobile("getCurrentActivity")
                package = await self._wire.mobile("getCurrentPackage")
                return ForegroundApp(str(package), str(activity).removeprefix(str(package)))
            if self.platform == IOS:
                return ForegroundApp(str((await self._wire.mobile("activeAppInfo"))["bundleId"]))
        return ForegroundApp(application)

    async def _keyboard(self, found: source.PageSource) -> bool:
        """Only asked where a field has the focus: nothing else calls for it."""
        if self.platform != ANDROID or not any(one.has("focused") for one in found.hierarchy.nodes()):
            return False
        with suppress(AppiumCommandRejected):
            return bool(await self._wire.mobile("isKeyboardShown"))
        return False

    async def _picture(self, hide: Sequence[ScreenBounds]) -> bytes:
        png = await self._wire.call("screenshot", lambda driver: driver.get_screenshot_as_png())
        return await mask_picture(png, hide, self.drawing.screen)

    async def _follow_link(self, url: str) -> PerformRefused | None:
        """An `appium:` address starts that application; any other link is opened as if it had been pressed."""
        if "navigate" not in self._facts.surfaces:
            return PerformRefused(
                "unsupported", f"`{self.platform}` has no addresses; press what leads there"
            )
        if not url.startswith(SCHEME):
            await self._asked.link(url)
            return None
        if not is_application(url.removeprefix(SCHEME)):
            return PerformRefused("invalid", f"`{url}` is no application; write `appium:com.example`")
        await self._asked.start(url.removeprefix(SCHEME))
        return None

    def _address_of(self, front: ForegroundApp) -> str:
        return f"{SCHEME}{front.path}"

    async def _carried(self, op: AnyOp) -> PerformRefused | dict[str, Any]:
        if self.platform in (ANDROID, IOS) or not isinstance(op, Click) or op.guard is None:
            return await super()._carried(op)
        shown = self.named(op.guard.node)
        if shown is None or op.button != "left" or op.count != 1 or op.modifiers or op.spot is not None:
            return PerformRefused("unsupported", f"`{self.platform}` knows plain presses only")
        try:
            await self._touch.click(shown.node)
        except InputNotSent as undone:
            if self._touch.sent:
                raise
            return PerformRefused(undone.reason, undone.message)
        return {}
