"""One isolated browser context: its tabs and popups, in the order they appeared."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import WorldConfig
from uiap.drivers.driver import TabInfo
from uiap.drivers.errors import CallFailed, DriverError, TargetGone
from uiap.drivers.events import AnyEvent, GraphChanged, Sink, TabClosed, TabOpened


@dataclass(frozen=True, kw_only=True)
class ContextOptions:
    world: WorldConfig = field(default_factory=WorldConfig)
    downloads: Path | None = None
    """The only folder downloads may land in; without it they are refused."""
    uploads: tuple[Path, ...] = ()
    """The only folders files may be given to a page from; without one, none are."""
    viewport: tuple[int, int] | None = (1280, 800)
    """Its size on the page; without it the tab stays as large as it is."""
    adopted: bool = False
    """Use the running browser's own context and its tabs instead of a fresh one, and leave them as they were."""


class Context:
    """The tabs of one session; implements the `Tabs` protocol."""

    def __init__(
        self,
        browser: CdpSession,
        context_id: str,
        emit: Sink,
        options: ContextOptions,
        *,
        next_key: Callable[[], str],
    ) -> None:
        self.id = context_id
        self.browser = browser
        self.options = options
        self.emit = emit
        self.origins: set[str] = set()
        """Where this context has been; their storage is what `storage.save` saves."""
        self._next_key = next_key
        self._tabs: dict[str, Tab] = {}
        self._active: str | None = None
        self._numbers = itertools.count(1)
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._unseen = 0
        self._errands: dict[str, CdpSession] = {}

    async def start(self) -> None:
        await self.open()

    # ------------------------------------------------------------------ Tabs

    @property
    def active(self) -> str:
        if self._active is None:
            raise TargetGone("no tab is open; open one first")
        return self._active

    def all(self) -> tuple[TabInfo, ...]:
        return tuple(_with_active(tab.info, tab.id == self._active) for tab in self._tabs.values())

    def tab(self, tab_id: str | None = None) -> Tab:
        tab = self._tabs.get(tab_id or self.active)
        if tab is None:
            raise TargetGone(f"there is no tab `{tab_id}`; list the tabs")
        return tab

    def tab_of(self, document_key: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.frames.document(document_key)), None)

    def tab_with_frame(self, frame_id: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.frames.get(frame_id)), None)

    async def open(self) -> Tab:
        """Open an empty tab and make it the active one."""
        made = await self.browser.send(
            "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
        )
        tab = await self._started(made["targetId"])
        self._active = tab.id
        return tab

    async def open_unseen(self) -> tuple[str, CdpSession]:
        """A page of this context that is no tab: for our own errands in it."""
        self._unseen += 1
        try:
            made = await self.browser.send(
                "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
            )
        finally:
            self._unseen -= 1
        return made["targetId"], self._errands.pop(made["targetId"])

    async def activate(self, tab: str) -> None:
        chosen = self.tab(tab)
        await self.browser.send("Target.activateTarget", {"targetId": chosen.target_id})
        self._active = chosen.id

    async def close_tab(self, tab: str) -> None:
        chosen = self.tab(tab)
        await self.browser.send("Target.closeTarget", {"targetId": chosen.target_id})
        await chosen.until(lambda: chosen.closed, 10.0)

    # ------------------------------------------------------------------ targets

    def takes(self, target: dict[str, Any]) -> bool:
        """Whether a page of this context is one of our tabs; in one that we made, all of them are."""
        return True

    def attached(self, target: dict[str, Any], session: CdpSession) -> None:
        """A page appeared: one we opened, or a popup."""
        if self._unseen and "openerId" not in target:
            self._errands[target["targetId"]] = session
            session.tell("Runtime.runIfWaitingForDebugger")
            return
        opener = next(
            (tab.id for tab in self._tabs.values() if tab.target_id == target.get("openerId")), None
        )
        tab = Tab(
            f"t{next(self._numbers)}",
            target["targetId"],
            session,
            world=self.options.world,
            emit=self._pass_on,
            next_key=self._next_key,
            opener=opener,
        )
        self._tabs[tab.id] = tab
        self._active = self._active or tab.id
        self.emit(TabOpened(tab=tab.id, at=time.monotonic(), url=target["url"], opener=opener))
        session.on_end(lambda _: self._closed(tab))
        self._starting[tab.target_id] = asyncio.get_running_loop().create_task(self._start(tab))

    async def _start(self, tab: Tab) -> None:
        if self.options.viewport is not None:
            width, height = self.options.viewport
            tab.session.tell(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False},
            )
        try:
            await tab.start()
        except (DriverError, TimeoutError):  # closed again before it was ready; TabClosed has told
            return

    async def _started(self, target_id: str) -> Tab:
        if target_id not in self._starting:
            raise CallFailed("Target.createTarget", 0, "the browser did not attach the new tab")
        await self._starting[target_id]
        tab = next((tab for tab in self._tabs.values() if tab.target_id == target_id), None)
        if tab is None:
            raise TargetGone("the new tab was closed at once")
        await tab.until(lambda: tab.feed.published or tab.closed or tab.dialog, 10.0)
        return tab

    def _closed(self, tab: Tab) -> None:
        if self._tabs.pop(tab.id, None) is None:
            return
        self._starting.pop(tab.target_id, None)
        if self._active == tab.id:
            self._active = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), None)
        self.emit(TabClosed(tab=tab.id, at=time.monotonic()))

    def _pass_on(self, event: AnyEvent) -> None:
        if isinstance(event, GraphChanged) and event.graph is not None:
            self._remember_origins()
        self.emit(event)

    def _remember_origins(self) -> None:
        for tab in self._tabs.values():
            root = tab.frames.root.document
            if root is not None and root.origin.startswith("http"):
                self.origins.add(root.origin)

    async def close(self) -> None:
        """Close every tab and forget all state."""
        if self.browser.ended is None:
            with contextlib.suppress(DriverError):  # already disposed of, or the browser went first
                await self.browser.send("Target.disposeBrowserContext", {"browserContextId": self.id})
        self.end()

    def end(self) -> None:
        for task in self._starting.values():
            task.cancel()


def _with_active(info: TabInfo, active: bool) -> TabInfo:
    return TabInfo(
        tab=info.tab,
        url=info.url,
        title=info.title,
        active=active,
        opener=info.opener,
        crashed=info.crashed,
    )
