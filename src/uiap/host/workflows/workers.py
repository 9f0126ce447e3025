"""The processes that execute the runs of one database, and how a lost one is noticed.

Each process counts in a row of its own. A process whose count stands still is lost, and another takes its runs over.
The time is measured by the observer alone, so the clocks of the machines need not agree.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping
from typing import Protocol

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

    def keep(self, ids: Iterable[str]) -> None:
        """Forget all others, so that one that comes back is observed from the beginning."""
        self._changed = {id: self._changed[id] for id in ids}


class HeldRuns(Protocol):
    """The runs that processes of the database have taken from its queue."""

    def holders(self) -> Mapping[str, str]:
        """Return the process that holds each run, by the id of the run."""
        ...

    def executing(self) -> frozenset[str]:
        """Return the ids of the runs that this process executes."""
        ...

    def take_over(self, executor_id: str) -> None:
        """Make the runs of a lost process available to all others. It may be called more than once."""
        ...

    def put_back(self, run_id: str) -> None:
        """Make a run available again that this process holds and does not execute."""
        ...


class WorkerPresence:
    """Counts for this process, takes over the runs of lost ones, and puts back its own that it does not execute.

    A connection that ends while a run is taken from the queue leaves the run with a process that knows nothing of it.

    Args:
        alone: No other process executes runs of this database, so nobody has to count.
    """

    def __init__(
        self,
        id: str,
        store: DatabaseRunStore,
        clock: Clock,
        runs: HeldRuns,
        *,
        alone: bool = False,
        beat_s: float = BEAT_S,
        lost_s: float = LOST_S,
    ) -> None:
        self._id, self._store, self._clock, self._runs, self._alone = id, store, clock, runs, alone
        self._beat_s, self._lost, self._forgotten = beat_s, LostWorkers(lost_s), LostWorkers(lost_s)
        self._task: asyncio.Task[None] | None = None

    async def announce(self) -> None:
        """Count for the first time. A process that holds runs and never counted would be noticed later."""
        if not self._alone:
            await asyncio.to_thread(self._store.beat, self._id)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="uiap-worker-presence")

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            try:
                await asyncio.to_thread(self._beat)
            except Exception:  # the database may be away for a while
                log.exception("worker %s could not report its presence", self._id)

    def _beat(self) -> None:
        if not self._alone:
            self._store.beat(self._id)
        holders, now = self._runs.holders(), self._clock.now().mono
        self._put_back_forgotten(holders, now)
        if self._alone:
            return
        never_counted = dict.fromkeys(holders.values(), -1)
        counts = {
            id: count for id, count in {**never_counted, **self._store.beats()}.items() if id != self._id
        }
        for lost in self._lost.observe(counts, now):
            log.warning("worker %s is lost; its runs are taken over", lost)
            self._runs.take_over(lost)
            self._store.forget(lost)

    def _put_back_forgotten(self, holders: Mapping[str, str], mono: float) -> None:
        executing = self._runs.executing()
        mine = {id: 0 for id, holder in holders.items() if holder == self._id and id not in executing}
        for id in self._forgotten.observe(mine, mono):
            log.warning("run %s is put back into the queue; this worker does not execute it", id)
            self._runs.put_back(id)
        self._forgotten.keep(mine)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
