"""Collects the effects of a load or an action on a page: messages, dialogs, popups, downloads, blocked requests.

Dialogs are dismissed, except alerts and questions before leaving a page. Popups are closed again.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from uiap.discovery.events import BlockedRequest, Effects
from uiap.discovery.safety.redaction import clean_url, mask_text
from uiap.drivers import events as driver_events
from uiap.drivers.errors import DriverError
from uiap.drivers.network_rules import READ_METHODS
from uiap.host.observation.page import Page
from uiap.spec.web import StatusUpdatedSignal, ToastShownSignal

_ACCEPTED_DIALOGS = frozenset({"alert", "beforeunload"})


class PermittedRequests:
    """A context manager that records the requests which could write and which the network guard permitted."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._found: dict[str, None] = {}

    def __enter__(self) -> PermittedRequests:
        self._stop = self._page.listen(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def requests(self) -> tuple[str, ...]:
        return tuple(self._found)

    def _on_event(self, event: driver_events.AnyEvent) -> None:
        if isinstance(event, driver_events.RequestPermitted):
            self._found[f"{event.method} {clean_url(event.url)}"] = None


class GuardedRequests:
    """Records every request that the network guard decides about, as long as the page is used.

    The answer to a slow request may come during a later step than the decision.
    """

    def __init__(self, page: Page) -> None:
        self.decided: set[tuple[str, str]] = set()
        """Method and address of each request."""
        self.stop = page.listen(self._on_event)

    def _on_event(self, event: driver_events.AnyEvent) -> None:
        if isinstance(event, driver_events.RequestPermitted | driver_events.RequestBlocked):
            self.decided.add((event.method, event.url))


class PageEffects:
    """A context manager that records effects while it is open."""

    def __init__(self, page: Page, guarded: GuardedRequests | None = None) -> None:
        self._page = page
        self._earlier = guarded.decided if guarded is not None else set[tuple[str, str]]()
        """The requests that the network guard decided about before, too."""
        self._toasts: dict[str, None] = {}
        self._statuses: dict[str, None] = {}
        self._dialogs: list[str] = []
        self._popups: dict[str, str] = {}
        self._downloads: list[str] = []
        self._blocked: dict[BlockedRequest, None] = {}
        self._guarded: set[tuple[str, str]] = set()
        """Method and address of the requests that the network guard decided about."""
        self._written: dict[tuple[str, str], None] = {}
        """Method and address of the requests that could write and had a response."""
        self._answers: set[asyncio.Task[None]] = set()

    def __enter__(self) -> PageEffects:
        self._first_tab = self._page.driver.tabs.active
        self._stop = self._page.listen(self._on_event)
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
            reached=tuple(
                f"{method} {clean_url(url)}"
                for method, url in self._written
                if (method, url) not in self._guarded | self._earlier
            ),
            storage_changed=storage_changed,
        )

    async def close_popups(self) -> None:
        """Close every popup and return to the first tab."""
        for tab in self._page.driver.tabs.all():
            if tab.tab in self._popups:
                self._popups[tab.tab] = tab.url or self._popups[tab.tab]
                with suppress(DriverError, TimeoutError):
                    await self._page.driver.tabs.close(tab.tab)
        if self._popups:
            with suppress(DriverError):
                await self._page.driver.tabs.activate(self._first_tab)

    def _on_event(self, event: driver_events.AnyEvent) -> None:
        match event:
            case driver_events.SignalObserved(signal=ToastShownSignal() as toast):
                self._toasts[toast.text] = None
            case driver_events.SignalObserved(signal=StatusUpdatedSignal() as status):
                self._statuses[status.text] = None
            case driver_events.PageDialogOpened():
                self._dialogs.append(event.kind)
                self._answer_dialog(event)
            case driver_events.TabOpened():
                self._popups[event.tab] = event.url
            case driver_events.Navigated(new_document=True, document=None) if event.tab in self._popups:
                self._popups[event.tab] = event.url
            case driver_events.Downloaded():
                self._downloads.append(event.suggested_name)
            case driver_events.RequestPermitted():
                self._guarded.add((event.method, event.url))
            case driver_events.ResponseReceived(by_worker=False) if event.method not in READ_METHODS:
                self._written[event.method, event.url] = None
            case driver_events.RequestBlocked():
                self._guarded.add((event.method, event.url))
                blocked = BlockedRequest(event.method, clean_url(event.url), event.reason, event.resource)
                self._blocked[blocked] = None

    def _answer_dialog(self, event: driver_events.PageDialogOpened) -> None:
        async def answer() -> None:
            with suppress(DriverError):
                await self._page.driver.dialog.answer(event.kind in _ACCEPTED_DIALOGS, tab=event.tab)

        task = asyncio.create_task(answer())
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)
