"""The Playwright page and its popups as tabs. Other pages of the user's context are none of our business."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uiap.drivers.chromium.browser.adopted import AdoptedContext
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.errors import TargetGone
from uiap.drivers.events import Sink

if TYPE_CHECKING:
    from playwright.async_api import Dialog, Download, Page


class PlaywrightContext(AdoptedContext):
    """Tabs that are Playwright pages at the same time."""

    def __init__(
        self,
        browser: CdpSession,
        page: Page,
        target: dict[str, Any],
        emit: Sink,
        options: ContextOptions,
        *,
        next_key: Callable[[], str],
    ) -> None:
        super().__init__(
            browser,
            target["browserContextId"],
            emit,
            options,
            next_key=next_key,
            targets=(target["targetId"],),
        )
        self.downloaded: Callable[[Download], Any] = lambda _: None
        self._page = page
        self._kept: list[tuple[Page, str, Callable[..., Any]]] = []
        self._dialogs: list[Dialog] = []
        self._watch(page)

    async def open(self) -> Tab:
        """A new page of the user's context; Playwright tells it to the user as any other."""
        async with self._page.context.expect_page() as told:
            # not `new_page`: a context made by `browser.new_page()` refuses a second one
            made = await self.browser.send(
                "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
            )
        self._watch(await told.value)
        self.name(made["targetId"])
        tab = await self.adopt(made["targetId"])
        self._opened.add(tab.target_id)
        self._active = tab.id
        return tab

    def _watch(self, page: Page) -> None:
        # Playwright dismisses a dialog that nobody listens for; with a listener it stays open, as state.
        self._listen(page, "dialog", self._dialog_opened)
        self._listen(page, "popup", self._watch)
        self._listen(page, "download", lambda download: self.downloaded(download))

    def _listen(self, page: Page, event: Any, heard: Callable[..., Any]) -> None:
        page.on(event, heard)
        self._kept.append((page, event, heard))

    def _dialog_opened(self, dialog: Dialog) -> None:
        self._dialogs.append(dialog)

    async def answer_dialog(self, tab: Tab, accept: bool, text: str | None) -> None:
        """Through Playwright where it has told of the dialog: it keeps account of what is open."""
        from playwright.async_api import Error

        told, self._dialogs = self._dialogs, []
        for dialog in told:
            if tab.dialog is None or (dialog.type, dialog.message) != (tab.dialog.kind, tab.dialog.message):
                continue
            with contextlib.suppress(Error):  # one that its own handler has answered already
                await (dialog.accept(text) if accept else dialog.dismiss())
                await tab.until(lambda: tab.dialog is None or tab.closed, 10.0)
                return
        await tab.answer_dialog(accept, text)

    async def tab_of_page(self, page: Page) -> str:
        """The tab this Playwright page is; a page that has gone is told of as the first one."""
        with contextlib.suppress(TargetGone):
            target = (await describe(page))["targetId"]
            if found := next((tab for tab in self._tabs.values() if tab.target_id == target), None):
                return found.id
        return next(iter(self._tabs), "t1")

    async def close(self) -> None:
        kept, self._kept = self._kept, []
        for page, event, heard in kept:
            page.remove_listener(event, heard)
        await super().close()


async def describe(page: Page) -> dict[str, Any]:
    """What the browser calls this page: its target and its context."""
    from playwright.async_api import Error

    try:
        session = await page.context.new_cdp_session(page)
        said = await session.send("Target.getTargetInfo")
        await session.detach()
    except Error as error:
        raise TargetGone(f"the Playwright page is gone: {str(error).partition(chr(10))[0]}") from error
    return dict(said["targetInfo"])
