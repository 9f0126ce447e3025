"""Turns of long work on one page: in a thread, while the events of the page wait.

A large page takes long to load, mask and search. On the event loop that would delay every other session. In a thread it
delays only its own session: events that arrive meanwhile are kept in order and handled afterwards.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import Generic, TypeVar

from uiap.fair_share import SWITCH_INTERVAL, WORKERS, FairShare, working_for

T = TypeVar("T")
E = TypeVar("E")


class PageTurns(Generic[E]):
    """Runs long work one at a time, and keeps events back while it runs."""

    def __init__(self, handle: Callable[[E], None]) -> None:
        self._handle = handle
        self._waiting: deque[E] = deque()
        self._lock = asyncio.Lock()
        self._running = False
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.share = FairShare()

    @property
    def busy(self) -> bool:
        """Whether work runs, or events wait for their turn."""
        return self._running or bool(self._waiting)

    def receive(self, event: E) -> None:
        """Handle an event now, or after the work that runs."""
        if self.busy:
            self._waiting.append(event)
        else:
            self._handle(event)

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in a thread. No event is handled while it runs."""
        async with self._lock:
            await self._wait_for_share()
            self._running = True
            try:
                return await self._in_thread(work)
            finally:
                self._end_turn()

    def start(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Run work in a thread without waiting for it, then call `then` before the next event is handled."""
        self._running = True
        task = asyncio.get_running_loop().create_task(self._run_and_then(work, then))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_and_then(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        async with self._lock:
            self._running = True
            try:
                await self._wait_for_share()
                await self._in_thread(work)
                then()
            finally:
                self._end_turn()

    async def _wait_for_share(self) -> None:
        """Wait if this page took more than its share of the process. Its events are handled meanwhile."""
        if (pause_s := self.share.pause_s()) > 0:
            await asyncio.sleep(pause_s)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        def measured() -> tuple[T, float]:
            begun = time.thread_time()
            with working_for(self.share):
                return work(), time.thread_time() - begun

        with SWITCH_INTERVAL.shortened():
            made, spent_s = await asyncio.get_running_loop().run_in_executor(
                WORKERS, copy_context().run, measured
            )
        self.share.spend(spent_s)
        return made

    async def settled(self) -> None:
        """Return once no work runs."""
        while self._running:
            self._changed.clear()
            await self._changed.wait()

    def _end_turn(self) -> None:
        self._running = False
        self._changed.set()
        while self._waiting and not self._running:
            self._handle(self._waiting.popleft())
