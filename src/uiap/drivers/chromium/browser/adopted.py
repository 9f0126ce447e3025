"""A context that somebody else made: its tabs are used as they are, and left as they were.

Nothing of it is ever disposed of. When we go, our script falls silent, our sessions are detached, and only tabs
that we opened ourselves are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection
from typing import Any

from uiap.drivers.chromium.browser.context import Context, ContextOptions
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import evaluation, sdk_call, value_of
from uiap.drivers.errors import CallFailed, DriverError
from uiap.drivers.events import Sink

FAREWELL_TIMEOUT = 2.0
NOT_PAGES = ("devtools://", "chrome://", "chrome-extension://", "chrome-untrusted://")
"""The browser's own surfaces; an agent has no business there."""
SEEN = "document.visibilityState === 'visible'"


class AdoptedContext(Context):
    """Tabs of a running browser: all of its own context, or those that were named and their popups."""

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
        self._named = None if targets is None else set(targets)
        self._opened: set[str] = set()
        self._seen: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def start(self) -> None:
        known = (await self.browser.send("Target.getTargets"))["targetInfos"]
        wanted = [
            target["targetId"]
            for target in known
            if target["type"] == "page" and target.get("browserContextId") == self.id and self.takes(target)
        ]
        for target_id in wanted:
            with contextlib.suppress(DriverError):  # closed in this moment, or it does not answer
                await self.adopt(target_id)
        if not self._tabs and self._named is None:
            await self.open()
        self._active = self._front()

    async def adopt(self, target_id: str) -> Tab:
        """Attach to a page that was there before us, and wait for its first graph."""
        await self.browser.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        return await self._started(target_id)

    async def open(self) -> Tab:
        tab = await super().open()
        self._opened.add(tab.target_id)
        return tab

    def takes(self, target: dict[str, Any]) -> bool:
        if self._named is None:
            return not target["url"].startswith(NOT_PAGES)
        tabs = {tab.target_id for tab in self._tabs.values()}
        return target["targetId"] in self._named or target.get("openerId") in tabs

    def name(self, target_id: str) -> None:
        """From now on this page is one of ours, too."""
        if self._named is not None:
            self._named.add(target_id)

    def attached(self, target: dict[str, Any], session: CdpSession) -> None:
        # asked before our focus emulation makes every tab look as if it were in front
        question = {"expression": SEEN, "returnByValue": True}
        self._seen[target["targetId"]] = session.post("Runtime.evaluate", question)
        super().attached(target, session)

    def _front(self) -> str | None:
        """The tab that the person has in front of them."""
        shown = [tab.id for tab in self._tabs.values() if self._was_shown(tab)]
        return shown[0] if shown else next(iter(self._tabs), None)

    def _was_shown(self, tab: Tab) -> bool:
        answer = self._seen.get(tab.target_id)
        if answer is None or not answer.done() or answer.cancelled() or answer.exception():
            return False
        with contextlib.suppress(CallFailed):
            return bool(value_of(answer.result()))
        return False

    async def close(self) -> None:
        """Leave: the tabs stay, without us."""
        if self.browser.ended is None:
            tabs = list(self._tabs.values())
            await asyncio.gather(*(self._leave(tab) for tab in tabs))
            await self._give_back_downloads()
        self.end()

    async def _leave(self, tab: Tab) -> None:
        with contextlib.suppress(DriverError, TimeoutError):
            if tab.target_id in self._opened:
                await self.close_tab(tab.id)
                return
            async with asyncio.timeout(FAREWELL_TIMEOUT):
                await silence(tab)
        with contextlib.suppress(DriverError):
            await self.browser.send("Target.detachFromTarget", {"sessionId": tab.session.id})

    async def _give_back_downloads(self) -> None:
        if self.options.downloads is not None:
            with contextlib.suppress(DriverError):
                await self.browser.send(
                    "Browser.setDownloadBehavior", {"behavior": "default", "browserContextId": self.id}
                )


async def silence(tab: Tab) -> None:
    """Our script in every document of the tab stops listening; a page that stands still keeps it as it is."""
    if tab.dialog is not None:
        return
    answers = [
        document.session.post("Runtime.evaluate", evaluation(document, sdk_call("stop")))
        for document in tab.feed.booted()
    ]
    await asyncio.gather(*answers, return_exceptions=True)


async def own_context(browser: CdpSession) -> str:
    """The id of the context a person's own windows are in."""
    said = await browser.send("Target.getBrowserContexts")
    if default := said.get("defaultBrowserContextId"):
        return str(default)
    made = set(said["browserContextIds"])
    known = (await browser.send("Target.getTargets"))["targetInfos"]
    found = next((t["browserContextId"] for t in known if t.get("browserContextId", "") not in made), None)
    if found is None:
        raise CallFailed("Target.getTargets", 0, "the browser has no context of its own to adopt")
    return str(found)
