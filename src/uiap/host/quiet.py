"""When a page has come to rest: nothing it asked for is missing, and its graph has held still for a moment.

An observation with an upper bound, not a sleep: it ends as soon as both are so.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from uiap.drivers import events as seen
from uiap.host.clock import Clock
from uiap.host.page import Page

CALM_S, LONGEST_S, STREAM_S = 0.05, 6.0, 2.5
_COUNTED = frozenset({"Document", "XHR", "Fetch", "Script", "Stylesheet", ""})


class Quiet:
    """Follows one page; stop it when done."""

    def __init__(self, page: Page, clock: Clock) -> None:
        self._page, self._clock = page, clock
        self._open: dict[str, float] = {}
        self._changed = clock.now().mono
        self._turn = asyncio.Event()
        self.stop = page.listen(self._heard)

    async def until(self, since: float = 0.0) -> bool:
        """True once it has rested, no earlier than `since`; False if it never does within the bound."""
        deadline = self._clock.now().mono + LONGEST_S
        while True:
            now = self._clock.now().mono
            wait = max(self._wait(now), since + CALM_S - now)
            if wait <= 0:
                return True
            if now >= deadline:
                return False
            self._turn.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait, deadline - now)):
                    await self._turn.wait()

    def _wait(self, now: float) -> float:
        """How long it has to stay as it is; a request that streams is not waited for."""
        missing = [at for at in self._open.values() if now - at < STREAM_S]
        if missing:
            return min(missing) + STREAM_S - now
        if self._busy():
            return CALM_S
        return self._changed + CALM_S - now

    def _busy(self) -> bool:
        store = self._page.tab().store
        if store.route.status == "loading":
            return True
        return any(one.state and one.state.busy is True for one in store.scopes.values())

    def _heard(self, event: seen.AnyEvent) -> None:
        if isinstance(event, seen.RequestSent) and event.resource in _COUNTED:
            self._open[event.request] = event.at
        elif isinstance(event, seen.RequestEnded):
            self._open.pop(event.request, None)
        elif isinstance(event, seen.Navigated | seen.GraphChanged):
            self._changed = event.at
        else:
            return
        self._turn.set()
