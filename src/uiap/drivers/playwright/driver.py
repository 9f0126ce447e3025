"""A driver for a Playwright page: the Chromium driver over Playwright's own connection.

The page, its context and its browser belong to the user. This driver never closes, resizes or reconfigures them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.browser.storage import ChromiumStorage
from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.chromium.driver import ChromiumDialogs, ChromiumDriver
from uiap.drivers.chromium.page.world import WorldConfig
from uiap.drivers.chromium.process.launch import BrowserProcess
from uiap.drivers.driver import StorageState
from uiap.drivers.errors import NotSupported
from uiap.drivers.events import Sink
from uiap.drivers.playwright.context import PlaywrightContext, target_info
from uiap.drivers.playwright.files import PlaywrightFiles
from uiap.drivers.playwright.wire import PlaywrightWire
from uiap.ids import new_secret

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page


class PlaywrightDriver(ChromiumDriver):
    """Drives one Playwright page and its popups."""

    def __init__(
        self,
        page: Page,
        *,
        downloads: Path | None = None,
        world: WorldConfig | None = None,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        self._page = page
        self._wire: PlaywrightWire | None = None
        self._page_browser = chromium_of(page)
        self._connection = CdpConnection()
        # Several sessions may use the page, also at the same time, so each needs its own isolated world.
        unique_world = world or WorldConfig(name=new_secret("uiap"))
        options = ContextOptions(world=unique_world, downloads=downloads, viewport=None, adopted=True)
        super().__init__(ChromiumBrowser(BrowserProcess(self._connection)), options, secrets=secrets)

    async def start(self, sink: Sink) -> None:
        """Find the page in the browser and publish it; events go to `sink` from now on."""
        self._sink = sink
        target = await target_info(self._page)
        self._wire = await PlaywrightWire.open(self._connection, self._page_browser)
        await self._browser.enable_auto_attach()
        context = PlaywrightContext(
            self._browser.session,
            self._page,
            target,
            self._emit,
            self._options,
            next_key=self._browser.next_key,
        )
        self._context = await self._browser.start_context(context)
        self._files = PlaywrightFiles(context)
        await self._files.start()

    @property
    def shared(self) -> PlaywrightContext:
        context = self.context
        assert isinstance(context, PlaywrightContext)
        return context

    @property
    def dialog(self) -> ChromiumDialogs:
        return PlaywrightDialogs(self.shared)

    @property
    def storage(self) -> ChromiumStorage:
        return PlaywrightStorage(self.shared, self._page)

    async def close(self) -> None:
        """Detach from the page and stop our page script; the page stays open and usable."""
        await super().close()
        await self._browser.close()
        if self._wire is not None:
            await self._wire.detach()


class PlaywrightDialogs(ChromiumDialogs):
    """Answers dialogs through Playwright, which tracks open dialogs."""

    def __init__(self, context: PlaywrightContext) -> None:
        super().__init__(context)
        self._shared = context

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        await self._shared.answer_dialog(self._shared.tab(tab), accept, text)


class PlaywrightStorage(ChromiumStorage):
    """Saves storage through Playwright, which can read other origins without a tab of its own."""

    def __init__(self, context: PlaywrightContext, page: Page) -> None:
        super().__init__(context)
        self._page = page

    async def save(self) -> StorageState:
        return dict(await self._page.context.storage_state())


def chromium_of(page: Page) -> Browser:
    """Return the browser of the page; raise `NotSupported` if it is not Chromium."""
    browser = page.context.browser
    if browser is None:
        raise NotSupported("this Playwright page has no browser to share (an Android or Electron page)")
    kind = browser.browser_type.name
    if kind != "chromium":
        raise NotSupported(f"a Playwright page in `{kind}` is not supported yet; launch Chromium instead")
    return browser
