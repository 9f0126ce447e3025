"""One isolated browser context: its tabs and popups, in order of appearance."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
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
    """The folder for downloads; without it, downloads are refused."""
    uploads: tuple[Path, ...] = ()
    """The folders from which files may be uploaded; without one, uploads are refused."""
    viewport: tuple[int, int] | None = (1280, 800)
    """Width and height in CSS pixels; None keeps the size of the tab."""
    adopted: bool = False
    """Use the default context of a running browser and its tabs instead of a new one, and leave them unchanged."""


class BrowserContext:
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
        """The origins that this context has visited; `storage.save` saves their storage."""
        self.guard_script = ""
        """The script that a network guard runs in every document and worker."""
        self._next_key = next_key
        self._tabs: dict[str, Tab] = {}
        self._active: str | None = None
        self._numbers = itertools.count(1)
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._hidden_page_requests = 0
        self._hidden_pages: dict[str, CdpSession] = {}

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

    def tab_of_document(self, document_key: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.frames.document(document_key)), None)

    def tab_with_frame(self, frame_id: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.frames.get(frame_id)), None)

    async def open(self) -> Tab:
        """Open an empty tab and make it the active one."""
        created = await self.browser.send(
            "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
        )
        tab = await self._wait_for_start(created["targetId"])
        self._active = tab.id
        return tab

    async def open_hidden_page(self) -> tuple[str, CdpSession]:
        """Open a page of this context for internal use; it is not reported as a tab."""
        self._hidden_page_requests += 1
        try:
            created = await self.browser.send(
                "Target.createTarget", {"url": "about:blank", "browserContextId": self.id}
            )
        finally:
            self._hidden_page_requests -= 1
        return created["targetId"], self._hidden_pages.pop(created["targetId"])

    async def set_guard_script(self, source: str) -> None:
        self.guard_script = source
        for tab in list(self._tabs.values()):
            await tab.set_guard_script(source)

    def read_annotations(self, world: WorldConfig) -> None:
        """Use another configuration of the page script in new tabs and documents, and tell it to open documents."""
        self.options = replace(self.options, world=world)
        for tab in self._tabs.values():
            tab.world = world
            for document in tab.frames.documents:
                tab.feed.send(document, world.annotations_call)

    async def leave_pages(self) -> None:
        """Replace every page that may have run code by an empty one."""
        for tab in list(self._tabs.values()):
            if tab.frames.root.url != "about:blank":
                await tab.leave_page()

    async def activate(self, tab: str) -> None:
        chosen = self.tab(tab)
        await self.browser.send("Target.activateTarget", {"targetId": chosen.target_id})
        self._active = chosen.id

    async def close_tab(self, tab: str) -> None:
        chosen = self.tab(tab)
        await self.browser.send("Target.closeTarget", {"targetId": chosen.target_id})
        await chosen.wait_until(lambda: chosen.closed, 10.0)

    # ------------------------------------------------------------------ targets

    def accepts(self, target: dict[str, Any]) -> bool:
        """Return whether a page of this context is one of our tabs; here all pages are."""
        return True

    def on_attached(self, target: dict[str, Any], session: CdpSession) -> None:
        """Add a tab for a new page: one that we opened, or a popup."""
        if self._hidden_page_requests and "openerId" not in target:
            self._hidden_pages[target["targetId"]] = session
            session.send_and_forget("Runtime.runIfWaitingForDebugger")
            return
        opener = next(
            (tab.id for tab in self._tabs.values() if tab.target_id == target.get("openerId")), None
        )
        tab = Tab(
            f"t{next(self._numbers)}",
            target["targetId"],
            session,
            world=self.options.world,
            emit=self._forward,
            next_key=self._next_key,
            opener=opener,
            guard_script=self.guard_script,
        )
        self._tabs[tab.id] = tab
        self._active = self._active or tab.id
        self.emit(TabOpened(tab=tab.id, at=time.monotonic(), url=target["url"], opener=opener))
        session.on_end(lambda _: self._on_closed(tab))
        self._starting[tab.target_id] = asyncio.get_running_loop().create_task(self._start(tab))

    async def _start(self, tab: Tab) -> None:
        if self.options.viewport is not None:
            width, height = self.options.viewport
            tab.session.send_and_forget(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False},
            )
        try:
            await tab.start()
        except (DriverError, TimeoutError):  # closed before it was ready; TabClosed reports it
            return

    async def _wait_for_start(self, target_id: str) -> Tab:
        if target_id not in self._starting:
            raise CallFailed("Target.createTarget", 0, "the browser did not attach the new tab")
        await self._starting[target_id]
        tab = next((tab for tab in self._tabs.values() if tab.target_id == target_id), None)
        if tab is None:
            raise TargetGone("the new tab was closed immediately; open another one")
        await tab.wait_until(lambda: tab.feed.has_published or tab.closed or tab.dialog, 10.0)
        return tab

    def _on_closed(self, tab: Tab) -> None:
        if self._tabs.pop(tab.id, None) is None:
            return
        self._starting.pop(tab.target_id, None)
        if self._active == tab.id:
            self._active = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), None)
        self.emit(TabClosed(tab=tab.id, at=time.monotonic()))

    def _forward(self, event: AnyEvent) -> None:
        if isinstance(event, GraphChanged) and event.graph is not None:
            self._remember_origins()
        self.emit(event)

    def _remember_origins(self) -> None:
        for tab in self._tabs.values():
            root = tab.frames.root.document
            if root is not None and root.origin.startswith("http"):
                self.origins.add(root.origin)

    async def close(self) -> None:
        """Close every tab and dispose of the context."""
        if self.browser.ended is None:
            with contextlib.suppress(DriverError):  # already disposed of, or the browser has ended
                await self.browser.send("Target.disposeBrowserContext", {"browserContextId": self.id})
        self.end()

    def end(self) -> None:
        """Cancel tabs that are still starting."""
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
