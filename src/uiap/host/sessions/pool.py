"""A pool of a few browsers for many sessions.

Each session gets its own browser context. A browser that has served many contexts, uses too much memory or does not
answer is replaced. The pool knows browsers and how full they are, and nothing about what a session does in its context.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.errors import CallTimedOut, DriverError
from uiap.errors import Busy

Launch = Callable[[], Awaitable[ChromiumBrowser]]
RevealSecret = Callable[[str], str]
CONTEXTS, RECYCLE = 8, 50
ANSWER_S = 5.0
"""A browser that does not answer a trivial question within this time is hung."""
CHECK_S = 2.0
"""A browser that answered within this time is not asked again."""
log = logging.getLogger("uiap.pool")


@dataclass(eq=False)
class Slot:
    """One browser, the number of contexts open in it, and the number it has served in all."""

    browser: ChromiumBrowser
    open_contexts: int = 0
    served_contexts: int = 0
    leases: set[Lease] = field(default_factory=set)
    worn: bool = False
    """It uses too much memory. It gets no new context unless there is no other browser."""
    hung: bool = False
    """It did not answer. It gets no new context, and ends when it is empty."""
    checked_at: float = float("-inf")

    @property
    def alive(self) -> bool:
        return self.browser.session.ended is None

    @property
    def due(self) -> bool:
        """Whether it is to be replaced because of its condition."""
        return self.worn or self.hung


class Lease:
    """A driver on its own browser context, until it is released."""

    def __init__(
        self, pool: BrowserPool, slot: Slot, options: ContextOptions, secrets: RevealSecret | None = None
    ) -> None:
        self._pool, self._slot = pool, slot
        self.driver = ChromiumDriver(slot.browser, options, secrets=secrets)
        self.on_lost: Callable[[], None] = lambda: None
        self._released = False

    async def release(self) -> None:
        """Close the context. The browser serves others, or ends if it has served enough contexts."""
        if not self._released:
            self._released = True
            await self._pool._release(self, self._slot)


class BrowserPool:
    """At most `browsers` browsers with at most `contexts` open contexts each, replaced after `recycle` contexts.

    Args:
        memory_mb: A browser whose processes use more memory gets no new context. None means no limit.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        browsers: int = 2,
        contexts: int = CONTEXTS,
        recycle: int = RECYCLE,
        memory_mb: int | None = None,
    ) -> None:
        self._memory_mb = memory_mb
        self._launch, self._browsers, self._contexts, self._recycle = launch, browsers, contexts, recycle
        self._slots: list[Slot] = []
        self._lock = asyncio.Lock()
        self._closed = False
        self.launched = 0
        self._denied = 0

    @property
    def capacity(self) -> int:
        return self._browsers * self._contexts

    @property
    def browsers(self) -> list[ChromiumBrowser]:
        return [slot.browser for slot in self._slots]

    @property
    def open_contexts(self) -> int:
        return sum(slot.open_contexts for slot in self._slots)

    @property
    def denied_connections(self) -> int:
        """The number of connections that egress rules refused, including those of closed browsers."""
        egresses = (slot.browser.egress for slot in self._slots)
        return self._denied + sum(egress.denied.total() for egress in egresses if egress is not None)

    async def warm(self) -> ChromiumBrowser:
        """Return a running browser, so that a missing browser is found before the first session."""
        async with self._lock:
            return (await self._slot()).browser

    async def lease(
        self, options: ContextOptions | None = None, secrets: RevealSecret | None = None
    ) -> Lease:
        """Return a lease on the browser with the fewest contexts. Raise Busy if all are full."""
        async with self._lock:
            slot = await self._slot()
            slot.open_contexts += 1
            slot.served_contexts += 1
            lease = Lease(self, slot, options or ContextOptions(), secrets)
            slot.leases.add(lease)
            return lease

    async def _slot(self) -> Slot:
        if self._closed:
            raise Busy("the server is stopping")
        await asyncio.gather(*(self._check(slot) for slot in self._slots))
        for dead in [slot for slot in self._slots if not slot.alive or (slot.due and not slot.open_contexts)]:
            await self._end(dead)
        # a browser with a network guard belongs to one session alone
        shared = [slot for slot in self._slots if not slot.browser.guarded and not slot.hung]
        fresh = [slot for slot in shared if slot.served_contexts < self._recycle and not slot.worn]
        emptiest = min(fresh, key=lambda slot: slot.open_contexts, default=None)
        if len(self._slots) < self._browsers and (emptiest is None or emptiest.open_contexts):
            return await self._start()
        # a browser due for replacement gets no new context unless there is no other; it ends when it is empty
        choice = min(fresh or shared, key=lambda slot: slot.open_contexts, default=None)
        if choice is not None and choice.open_contexts >= self._contexts:
            choice = min(shared, key=lambda slot: slot.open_contexts)
        if choice is None or choice.open_contexts >= self._contexts:
            raise Busy("all browsers are full; try again later")
        return choice

    async def _check(self, slot: Slot) -> None:
        """Find out whether a browser answers, and how much memory it uses."""
        now = asyncio.get_running_loop().time()
        if not slot.alive or slot.due or now < slot.checked_at + CHECK_S:
            return
        slot.checked_at = now
        if self._memory_mb is not None:
            slot.worn = await asyncio.to_thread(group_memory_mb, slot.browser.process.pid) > self._memory_mb
        try:
            await slot.browser.session.send("Browser.getVersion", timeout=ANSWER_S)
        except CallTimedOut:
            log.warning("a browser does not answer; it gets no further session")
            slot.hung = True
        except DriverError:  # it is gone, which `alive` reports
            return

    async def _start(self) -> Slot:
        slot = Slot(await self._launch())
        self.launched += 1
        self._slots.append(slot)
        slot.browser.session.on_end(lambda _reason: self._lost(slot))
        return slot

    def _lost(self, slot: Slot) -> None:
        for lease in list(slot.leases):
            lease.on_lost()

    async def _release(self, lease: Lease, slot: Slot) -> None:
        async with self._lock:
            slot.leases.discard(lease)
            slot.open_contexts -= 1
            if (
                slot in self._slots
                and slot.open_contexts == 0
                and (slot.served_contexts >= self._recycle or slot.due or not slot.alive)
            ):
                await self._end(slot)

    async def _end(self, slot: Slot) -> None:
        self._slots.remove(slot)
        if slot.browser.egress is not None:
            self._denied += slot.browser.egress.denied.total()
        if slot.hung:
            slot.browser.process.kill()  # it does not answer, so it would not end by itself
        await slot.browser.close()

    async def close(self) -> None:
        async with self._lock:
            self._closed = True
            for slot in list(self._slots):
                await self._end(slot)


def group_memory_mb(group: int | None) -> float:
    """Return the memory of all processes of a group, or 0 where the system has no /proc. Shared pages count once each.

    A browser has a process group of its own. `Pss` divides a shared page among the processes that use it.
    """
    total_kb = 0
    for process in Path("/proc").glob("[0-9]*") if group is not None else ():
        with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
            if os.getpgid(int(process.name)) == group:
                lines = (process / "smaps_rollup").read_text().splitlines()
                total_kb += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total_kb / 1024
