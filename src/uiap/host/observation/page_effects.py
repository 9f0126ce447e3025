"""What happens on a page while something is done to it: messages, dialogs, popups, downloads, held-back requests.

Dialogs are answered with no, except those that only tell or guard leaving; popups are closed again.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from uiap.discovery.events import BlockedRequest, Effects
from uiap.discovery.safety.redaction import clean_url, mask_text
from uiap.drivers import events as seen
from uiap.drivers.errors import DriverError
from uiap.host.observation.page import Page
from uiap.spec.web import StatusUpdatedSignal, ToastShownSignal

_ACCEPTED_DIALOGS = frozenset({"alert", "beforeunload"})


class PageEffects:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._toasts: dict[str, None] = {}
        self._statuses: dict[str, None] = {}
        self._dialogs: list[str] = []
        self._popups: dict[str, str] = {}
        self._downloads: list[str] = []
        self._blocked: dict[BlockedRequest, None] = {}
        self._answers: set[asyncio.Task[None]] = set()

    def __enter__(self) -> PageEffects:
        self._home = self._page.driver.tabs.active
        self._stop = self._page.listen(self._heard)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        for task in list(self._answers):
            task.cancel()

    def effects(self, *, storage_changed: bool = False) -> Effects:
        popups = dict.fromkeys(clean_url(url) for url in self._popups.values() if url.startswith("http"))
        return Effects(
            toasts=tuple(mask_text(text) for text in self._toasts),
            statuses=tuple(mask_text(text) for text in self._statuses),
            dialogs=tuple(self._dialogs),
            popups=tuple(popups),
            downloads=tuple(mask_text(name) for name in self._downloads),
            blocked=tuple(sorted(self._blocked)),
            storage_changed=storage_changed,
        )

    async def close_popups(self) -> None:
        for tab in self._page.driver.tabs.all():
            if tab.tab in self._popups:
                self._popups[tab.tab] = tab.url or self._popups[tab.tab]
                with suppress(DriverError, TimeoutError):
                    await self._page.driver.tabs.close(tab.tab)
        if self._popups:
            with suppress(DriverError):
                await self._page.driver.tabs.activate(self._home)

    def _heard(self, event: seen.AnyEvent) -> None:
        match event:
            case seen.SignalObserved(signal=ToastShownSignal() as toast):
                self._toasts[toast.text] = None
            case seen.SignalObserved(signal=StatusUpdatedSignal() as status):
                self._statuses[status.text] = None
            case seen.PageDialogOpened():
                self._dialogs.append(event.kind)
                self._answer(event)
            case seen.TabOpened():
                self._popups[event.tab] = event.url
            case seen.Navigated(new_document=True, document=None) if event.tab in self._popups:
                self._popups[event.tab] = event.url
            case seen.Downloaded():
                self._downloads.append(event.suggested_name)
            case seen.RequestBlocked():
                held = BlockedRequest(event.method, clean_url(event.url), event.reason, event.resource)
                self._blocked[held] = None

    def _answer(self, event: seen.PageDialogOpened) -> None:
        async def answered() -> None:
            with suppress(DriverError):
                await self._page.driver.dialog.answer(event.kind in _ACCEPTED_DIALOGS, tab=event.tab)

        task = asyncio.create_task(answered())
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)
