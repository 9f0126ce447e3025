"""A Playwright page behind the driver protocol: the Chromium driver over Playwright's own connection.

The page, its context and its browser belong to the user: they are never closed, resized or reconfigured here.
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
from uiap.drivers.playwright.context import PlaywrightContext, describe
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
        self._lent = chromium_of(page)
        self._connection = CdpConnection()
        # Two sessions may share the page one after the other, or at once: each has a world of its own.
        own = world or WorldConfig(name=new_secret("uiap"))
        options = ContextOptions(world=own, downloads=downloads, viewport=None, adopted=True)
        super().__init__(ChromiumBrowser(BrowserProcess(self._connection)), options, secrets=secrets)

    async def start(self, sink: Sink) -> None:
        """Find the page in the browser and publish it; from now on everything seen goes to `sink`."""
        self._sink = sink
        target = await describe(self._page)
        self._wire = await PlaywrightWire.open(self._connection, self._lent)
        await self._browser.ready()
        context = PlaywrightContext(
            self._browser.session,
            self._page,
            target,
            self._emit,
            self._options,
            next_key=self._browser.next_key,
        )
        self._context = await self._browser.enter(context)
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
        """Take away what we brought; the page stays open and usable."""
        await super().close()
        await self._browser.close()
        if self._wire is not None:
            await self._wire.leave()


class PlaywrightDialogs(ChromiumDialogs):
    """Answers pass through Playwright, which keeps account of open dialogs."""

    def __init__(self, context: PlaywrightContext) -> None:
        super().__init__(context)
        self._shared = context

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        await self._shared.answer_dialog(self._shared.tab(tab), accept, text)


class PlaywrightStorage(ChromiumStorage):
    """Saved by Playwright itself, which needs no tab of its own to read other origins."""

    def __init__(self, context: PlaywrightContext, page: Page) -> None:
        super().__init__(context)
        self._page = page

    async def save(self) -> StorageState:
        return dict(await self._page.context.storage_state())


def chromium_of(page: Page) -> Browser:
    """The browser of the page, if it is one we can share."""
    browser = page.context.browser
    if browser is None:
        raise NotSupported("this Playwright page has no browser to share (an Android or Electron page)")
    kind = browser.browser_type.name
    if kind != "chromium":
        raise NotSupported(f"a Playwright page in `{kind}` is not supported yet; launch Chromium instead")
    return browser
