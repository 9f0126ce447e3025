"""The Playwright page and its popups as tabs. Other pages of the user's context are ignored."""

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
        self.on_download: Callable[[Download], Any] = lambda _: None
        self._page = page
        self._listeners: list[tuple[Page, str, Callable[..., Any]]] = []
        self._dialogs: list[Dialog] = []
        self._watch(page)

    async def open(self) -> Tab:
        """Open a new page in the user's context; Playwright reports it to the user like any other page."""
        async with self._page.context.expect_page() as opened:
            # not `new_page`: a context created by `browser.new_page()` refuses a second page
            created = await self.browser.send(
                "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
            )
        self._watch(await opened.value)
        self.add_target(created["targetId"])
        tab = await self.adopt(created["targetId"])
        self._opened.add(tab.target_id)
        self._active = tab.id
        return tab

    def _watch(self, page: Page) -> None:
        # Playwright dismisses a dialog if there is no listener; with our listener it stays open.
        self._listen(page, "dialog", self._on_dialog_opened)
        self._listen(page, "popup", self._watch)
        self._listen(page, "download", lambda download: self.on_download(download))

    def _listen(self, page: Page, event: Any, handler: Callable[..., Any]) -> None:
        page.on(event, handler)
        self._listeners.append((page, event, handler))

    def _on_dialog_opened(self, dialog: Dialog) -> None:
        self._dialogs.append(dialog)

    async def answer_dialog(self, tab: Tab, accept: bool, text: str | None) -> None:
        """Answer through Playwright if it reported the dialog, because it tracks open dialogs."""
        from playwright.async_api import Error

        reported, self._dialogs = self._dialogs, []
        for dialog in reported:
            if tab.dialog is None or (dialog.type, dialog.message) != (tab.dialog.kind, tab.dialog.message):
                continue
            with contextlib.suppress(Error):  # the user's own handler has already answered it
                await (dialog.accept(text) if accept else dialog.dismiss())
                await tab.wait_until(lambda: tab.dialog is None or tab.closed, 10.0)
                return
        await tab.answer_dialog(accept, text)

    async def tab_of_page(self, page: Page) -> str:
        """Return the tab of this Playwright page; the first tab if the page is gone."""
        with contextlib.suppress(TargetGone):
            target = (await target_info(page))["targetId"]
            if found := next((tab for tab in self._tabs.values() if tab.target_id == target), None):
                return found.id
        return next(iter(self._tabs), "t1")

    async def close(self) -> None:
        listeners, self._listeners = self._listeners, []
        for page, event, handler in listeners:
            page.remove_listener(event, handler)
        await super().close()


async def target_info(page: Page) -> dict[str, Any]:
    """Return CDP's target info of the page: its target id and its context id."""
    from playwright.async_api import Error

    try:
        session = await page.context.new_cdp_session(page)
        reply = await session.send("Target.getTargetInfo")
        await session.detach()
    except Error as error:
        raise TargetGone(f"the Playwright page is gone: {str(error).partition(chr(10))[0]}") from error
    return dict(reply["targetInfo"])
