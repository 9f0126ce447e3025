"""When a page has come to rest: nothing it asked for is missing, and its graph has held still for a moment.

An observation with an upper bound, not a sleep: it ends as soon as both are so.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from uiap.discovery.plan.address import address_pattern
from uiap.drivers import events as seen
from uiap.host.clock import Clock
from uiap.host.observation.page import Page

IDLE_S, MAX_WAIT_S, MAX_WAIT_RESTLESS_S, MAX_STREAM_S = 0.05, 15.0, 2.0, 1.0
_AWAITED_RESOURCES = frozenset({"Document", "XHR", "Fetch", "Script", "Stylesheet", ""})


@dataclass
class _OpenRequest:
    where: str
    sent: float
    answered: float | None = None


class IdleWatch:
    """Follows one page; stop it when done."""

    def __init__(self, page: Page, clock: Clock) -> None:
        self._page, self._clock = page, clock
        self._open: dict[str, _OpenRequest] = {}
        self._patient: set[str] = set()
        """Places that are asked and do not answer until there is news; they are not waited for again."""
        self._longest = MAX_WAIT_S
        self._changed = clock.now().mono
        self._turn = asyncio.Event()
        self.stop = page.listen(self._heard)

    async def until(self, calm: float = IDLE_S) -> bool:
        """True once it has rested for `calm` seconds; False if it never does within the bound."""
        deadline = self._clock.now().mono + self._longest
        while True:
            now = self._clock.now().mono
            wait = self._wait(now, calm)
            if wait <= 0:
                return True
            if now >= deadline:
                self._give_up()
                return False
            self._turn.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait, deadline - now)):
                    await self._turn.wait()

    def _give_up(self) -> None:
        """Not waited for as long again: what does not answer waits for news, and else the page never rests."""
        patient = {one.where for one in self._open.values() if one.answered is None} - self._patient
        self._patient |= patient
        self._longest = self._longest if patient else MAX_WAIT_RESTLESS_S

    def held(self, since: float) -> bool:
        """Nothing has happened from `since` until now, and so soon that nothing can have been kept waiting."""
        return not self.changed(since) and self._clock.now().mono - since < IDLE_S

    def changed(self, since: float) -> bool:
        return self._changed >= since or any(one.sent >= since for one in self._open.values())

    def busy_since(self, moment: float) -> None:
        """The page did not answer at once: it may have more to show, and rests from now on at the earliest."""
        self._changed = max(self._changed, moment)

    def _wait(self, now: float, calm: float) -> float:
        """How long it has to stay as it is; a request that streams or waits for news is not waited for."""
        waits = [_remaining_s(one, now) for one in self._open.values() if one.where not in self._patient]
        if missing := [left for left in waits if left > 0]:
            return min(missing)
        if self._busy():
            return IDLE_S
        return self._changed + calm - now

    def _busy(self) -> bool:
        store = self._page.tab().store
        if store.route.status == "loading":
            return True
        return any(one.state and one.state.busy is True for one in store.scopes.values())

    def _heard(self, event: seen.AnyEvent) -> None:
        if isinstance(event, seen.RequestSent) and event.resource in _AWAITED_RESOURCES:
            self._open[event.request] = _OpenRequest(address_pattern(event.url), event.at)
        elif isinstance(event, seen.ResponseReceived) and event.request in self._open:
            self._open[event.request].answered = event.at
        elif isinstance(event, seen.RequestEnded):
            if self._open.pop(event.request, None) is not None:
                self._changed = event.at  # what came is shown a moment later
        elif isinstance(event, seen.Navigated | seen.GraphChanged):
            self._changed = event.at
        else:
            return
        self._turn.set()


def _remaining_s(one: _OpenRequest, now: float) -> float:
    """How long it may still be worth waiting for: an answer comes when it comes, a body that flows on is a stream."""
    return MAX_WAIT_S if one.answered is None else one.answered + MAX_STREAM_S - now
