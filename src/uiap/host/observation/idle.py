"""Watches a page until it is idle: no awaited request is open, and its graph has not changed for a while.

The wait has an upper bound and ends as soon as both conditions hold; it is not a fixed sleep.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from uiap.discovery.plan.address import address_pattern
from uiap.drivers import events as driver_events
from uiap.drivers.network_rules import READ_METHODS
from uiap.host.clock import Clock
from uiap.host.observation.page import Page

IDLE_S, MAX_WAIT_S, MAX_WAIT_RESTLESS_S, MAX_STREAM_S = 0.05, 15.0, 2.0, 1.0
_AWAITED_RESOURCES = frozenset({"Document", "XHR", "Fetch", "Script", "Stylesheet", ""})


@dataclass
class _OpenRequest:
    address: str
    sent_at: float
    writes: bool = False
    """It could write. The network guard blocks it, and a page that repeats such requests is idle."""
    answered_at: float | None = None


class IdleWatch:
    """Follows one page; call `stop` when done."""

    def __init__(self, page: Page, clock: Clock) -> None:
        self._page, self._clock = page, clock
        self._open: dict[str, _OpenRequest] = {}
        self._long_polls: set[str] = set()
        """Addresses that answer only when there is news; they are not awaited again."""
        self._max_wait_s = MAX_WAIT_S
        self._changed_at = clock.now().mono
        self._event_received = asyncio.Event()
        self.stop = page.listen(self._on_event)

    async def wait_until_idle(self, idle_s: float = IDLE_S) -> bool:
        """Return True once the page was idle for `idle_s` seconds; False if it never was within the bound."""
        deadline = self._clock.now().mono + self._max_wait_s
        while True:
            now = self._clock.now().mono
            wait_s = self._wait_s(now, idle_s)
            if wait_s <= 0:
                return True
            if now >= deadline:
                self._shorten_next_wait()
                return False
            self._event_received.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait_s, deadline - now)):
                    await self._event_received.wait()

    async def wait_for(self, condition: Callable[[], bool], limit_s: float) -> bool:
        """Return whether the condition becomes true within the limit. It is checked after each event of the page."""
        deadline = self._clock.now().mono + limit_s
        while not condition():
            now = self._clock.now().mono
            if now >= deadline:
                return False
            self._event_received.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline - now):
                    await self._event_received.wait()
        return True

    def _shorten_next_wait(self) -> None:
        """Treat unanswered requests as long polls. If there are none, the page is never idle: wait less next time."""
        unanswered = {one.address for one in self._open.values() if one.answered_at is None}
        new_long_polls = unanswered - self._long_polls
        self._long_polls |= new_long_polls
        self._max_wait_s = self._max_wait_s if new_long_polls else MAX_WAIT_RESTLESS_S

    def is_unchanged_since(self, moment: float) -> bool:
        """Whether nothing happened since `moment`, which is too short ago for the page to have been blocked."""
        return not self.changed_since(moment) and self._clock.now().mono - moment < IDLE_S

    def changed_since(self, moment: float) -> bool:
        return self._changed_at >= moment or any(one.sent_at >= moment for one in self._open.values())

    def mark_busy(self, moment: float) -> None:
        """Count a page that answered late as changed at `moment`; it may have more to show."""
        self._changed_at = max(self._changed_at, moment)

    def _wait_s(self, now: float, idle_s: float) -> float:
        """Return how long the page must stay as it is. Streams and long polls are not awaited."""
        waits = [_remaining_s(one, now) for one in self._open.values() if one.address not in self._long_polls]
        if pending := [wait_s for wait_s in waits if wait_s > 0]:
            return min(pending)
        if self._is_busy():
            return IDLE_S
        return self._changed_at + idle_s - now

    def _is_busy(self) -> bool:
        store = self._page.tab().store
        if store.route.status == "loading":
            return True
        return any(one.state and one.state.busy is True for one in store.scopes.values())

    def _on_event(self, event: driver_events.AnyEvent) -> None:
        if isinstance(event, driver_events.RequestSent) and event.resource in _AWAITED_RESOURCES:
            self._open[event.request] = _OpenRequest(
                address_pattern(event.url), event.at, writes=event.method not in READ_METHODS
            )
        elif isinstance(event, driver_events.ResponseReceived) and event.request in self._open:
            self._open[event.request].answered_at = event.at
        elif isinstance(event, driver_events.RequestEnded):
            request = self._open.pop(event.request, None)
            if request is not None and not (event.failed and request.writes):
                self._changed_at = event.at  # the page shows the answer a moment later
        elif isinstance(event, driver_events.Navigated | driver_events.GraphChanged):
            self._changed_at = event.at
        else:
            return
        self._event_received.set()


def _remaining_s(request: _OpenRequest, now: float) -> float:
    """Return how long a request is still awaited. A body that arrives longer than `MAX_STREAM_S` is a stream."""
    return MAX_WAIT_S if request.answered_at is None else request.answered_at + MAX_STREAM_S - now
