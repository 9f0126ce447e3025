"""The processes that execute the runs of one database, and how a lost one is noticed.

Each process counts in a row of its own. A process whose count stands still is lost, and another takes its runs over.
The time is measured by the observer alone, so the clocks of the machines need not agree.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping

from uiap.host.clock import Clock
from uiap.host.workflows.run_store import DatabaseRunStore

BEAT_S = 5.0
LOST_S = 30.0
log = logging.getLogger("uiap.workflows")


class LostWorkers:
    """Notices counts that stand still. It reads no clock."""

    def __init__(self, lost_s: float = LOST_S) -> None:
        self._lost_s = lost_s
        self._changed: dict[str, tuple[int, float]] = {}

    def observe(self, counts: Mapping[str, int], mono: float) -> list[str]:
        """Return the processes whose count has not changed for `LOST_S`."""
        for id, count in counts.items():
            known = self._changed.get(id)
            if known is None or known[0] != count:
                self._changed[id] = (count, mono)
        return [id for id in counts if mono - self._changed[id][1] >= self._lost_s]


class WorkerPresence:
    """Counts for this process, and takes over the runs of lost ones.

    Args:
        take_over: Makes the runs of a lost process available to all others. It may be called more than once.
    """

    def __init__(
        self,
        id: str,
        store: DatabaseRunStore,
        clock: Clock,
        take_over: Callable[[str], None],
        *,
        beat_s: float = BEAT_S,
        lost_s: float = LOST_S,
    ) -> None:
        self._id, self._store, self._clock, self._take_over = id, store, clock, take_over
        self._beat_s, self._lost = beat_s, LostWorkers(lost_s)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await asyncio.to_thread(self._store.beat, self._id)
        self._task = asyncio.create_task(self._run(), name="uiap-worker-presence")

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            try:
                await asyncio.to_thread(self._beat)
            except Exception:  # the database may be away for a while
                log.exception("worker %s could not report its presence", self._id)

    def _beat(self) -> None:
        self._store.beat(self._id)
        counts = {id: count for id, count in self._store.beats().items() if id != self._id}
        for lost in self._lost.observe(counts, self._clock.now().mono):
            log.warning("worker %s is lost; its runs are taken over", lost)
            self._take_over(lost)
            self._store.forget(lost)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
