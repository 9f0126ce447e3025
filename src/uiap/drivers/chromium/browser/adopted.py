"""A browser context that we did not create: we use its tabs as they are and leave them unchanged.

The context is never disposed of. On close we stop our page script, detach our sessions, and close only the tabs that
we opened.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection
from typing import Any

from uiap.drivers.chromium.browser.context import BrowserContext, ContextOptions
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import evaluation_params, sdk_call, value_of
from uiap.drivers.errors import CallFailed, DriverError
from uiap.drivers.events import Sink

LEAVE_TIMEOUT_S = 2.0
BROWSER_SCHEMES = ("devtools://", "chrome://", "chrome-extension://", "chrome-untrusted://")
"""Pages of the browser itself, which an agent must not use."""
IS_VISIBLE = "document.visibilityState === 'visible'"


class AdoptedContext(BrowserContext):
    """Tabs of a running browser: all tabs of its default context, or given targets and their popups."""

    def __init__(
        self,
        browser: CdpSession,
        context_id: str,
        emit: Sink,
        options: ContextOptions,
        *,
        next_key: Callable[[], str],
        targets: Collection[str] | None = None,
    ) -> None:
        super().__init__(browser, context_id, emit, options, next_key=next_key)
        self._targets = None if targets is None else set(targets)
        self._opened: set[str] = set()
        self._visibility: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def start(self) -> None:
        targets = (await self.browser.send("Target.getTargets"))["targetInfos"]
        accepted = [
            target["targetId"]
            for target in targets
            if target["type"] == "page" and target.get("browserContextId") == self.id and self.accepts(target)
        ]
        for target_id in accepted:
            with contextlib.suppress(DriverError):  # it was just closed, or it does not answer
                await self.adopt(target_id)
        if not self._tabs and self._targets is None:
            await self.open()
        self._active = self._visible_tab()

    async def adopt(self, target_id: str) -> Tab:
        """Attach to an existing page, and wait for its first graph."""
        await self.browser.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        return await self._wait_for_start(target_id)

    async def open(self) -> Tab:
        tab = await super().open()
        self._opened.add(tab.target_id)
        return tab

    def accepts(self, target: dict[str, Any]) -> bool:
        if self._targets is None:
            return not target["url"].startswith(BROWSER_SCHEMES)
        tabs = {tab.target_id for tab in self._tabs.values()}
        return target["targetId"] in self._targets or target.get("openerId") in tabs

    def add_target(self, target_id: str) -> None:
        """Accept this page as a tab, too."""
        if self._targets is not None:
            self._targets.add(target_id)

    def on_attached(self, target: dict[str, Any], session: CdpSession) -> None:
        # This must run before our focus emulation, which makes every tab report that it is visible.
        params = {"expression": IS_VISIBLE, "returnByValue": True}
        self._visibility[target["targetId"]] = session.post("Runtime.evaluate", params)
        super().on_attached(target, session)

    def _visible_tab(self) -> str | None:
        """Return the tab that is visible to the person."""
        visible = [tab.id for tab in self._tabs.values() if self._was_visible(tab)]
        return visible[0] if visible else next(iter(self._tabs), None)

    def _was_visible(self, tab: Tab) -> bool:
        answer = self._visibility.get(tab.target_id)
        if answer is None or not answer.done() or answer.cancelled() or answer.exception():
            return False
        with contextlib.suppress(CallFailed):
            return bool(value_of(answer.result()))
        return False

    async def close(self) -> None:
        """Detach from all tabs; they stay open, except those that we opened."""
        if self.browser.ended is None:
            tabs = list(self._tabs.values())
            await asyncio.gather(*(self._leave(tab) for tab in tabs))
            await self._reset_download_behavior()
        self.end()

    async def _leave(self, tab: Tab) -> None:
        with contextlib.suppress(DriverError, TimeoutError):
            if tab.target_id in self._opened:
                await self.close_tab(tab.id)
                return
            async with asyncio.timeout(LEAVE_TIMEOUT_S):
                await stop_page_script(tab)
        with contextlib.suppress(DriverError):
            await self.browser.send("Target.detachFromTarget", {"sessionId": tab.session.id})

    async def _reset_download_behavior(self) -> None:
        if self.options.downloads is not None:
            with contextlib.suppress(DriverError):
                await self.browser.send(
                    "Browser.setDownloadBehavior", {"behavior": "default", "browserContextId": self.id}
                )


async def stop_page_script(tab: Tab) -> None:
    """Stop the page script in every document of the tab; a page blocked by a dialog keeps it."""
    if tab.dialog is not None:
        return
    answers = [
        document.session.post("Runtime.evaluate", evaluation_params(document, sdk_call("stop")))
        for document in tab.feed.booted_documents()
    ]
    await asyncio.gather(*answers, return_exceptions=True)


async def default_context_id(browser: CdpSession) -> str:
    """Return the id of the context that holds the person's own windows."""
    contexts = await browser.send("Target.getBrowserContexts")
    if default := contexts.get("defaultBrowserContextId"):
        return str(default)
    created = set(contexts["browserContextIds"])
    targets = (await browser.send("Target.getTargets"))["targetInfos"]
    found = next(
        (t["browserContextId"] for t in targets if t.get("browserContextId", "") not in created), None
    )
    if found is None:
        raise CallFailed("Target.getTargets", 0, "the browser has no default context to adopt")
    return str(found)
