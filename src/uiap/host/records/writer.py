"""Writes records on one thread, which takes rows from a queue and commits them in batches.

Many callers share one fsync. Callers await rows that must be durable. Other rows go into the same batches; if the store
fails, their loss is counted and stored as a gap.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Table

from uiap.host.records import tables
from uiap.host.records.store import Row, RowRefused, Store, StoreFailed

BATCH = 2000
QUEUE = 20_000
QUEUE_BYTES = 64 * 2**20
BATCH_BYTES = 8 * 2**20
LINGER_S, LINGER_WAITERS = 0.005, 3
"""How long a batch waits for more rows if at least this many callers waited for the last batch."""
ROW_BYTES = 400
"""The estimated size of a row without its one long column; the tables bound all other columns."""
_OVERLOADED = "the writer cannot keep up"
_CLOSED = "the store is closed"


class Waiter(NamedTuple):
    """A future and the event loop that waits for it."""

    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]

    def settle(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class _QueueEntry(NamedTuple):
    rows: list[tuple[Table, Row]]
    size: int
    waiter: Waiter | None


class Writer:
    """The only writer of a store. `close()` writes the queued rows, then ends the thread."""

    def __init__(self, store: Store, wall: Callable[[], str]) -> None:
        self.store = store
        self._wall = wall
        self._queue: queue.SimpleQueue[_QueueEntry | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._queued = self._bytes = self._last_awaited = 0
        self._lost = 0
        self._reason = ""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="uiap-writer", daemon=True)
        self._thread.start()

    @property
    def lost_count(self) -> int:
        """The number of rows that were lost and are not yet recorded as a gap."""
        return self._lost

    def put(self, table: Table, row: Row) -> None:
        """Queue a row without waiting. If the queue is full the row is lost and counted."""
        refused = self._enqueue(_queue_entry([(table, row)], None))
        if refused is not None:
            self._count_loss(1, refused)

    async def write(self, *rows: tuple[Table, Row]) -> None:
        """Return once the rows are on disk; StoreFailed if they are not."""
        await self.submit(*rows)

    def submit(self, *rows: tuple[Table, Row]) -> asyncio.Future[None]:
        """Queue rows now, before all later ones. Return a future that ends once they are on disk."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        refused = self._enqueue(_queue_entry(list(rows), Waiter(loop, done)))
        if refused is not None:
            done.set_exception(StoreFailed(refused))
        return done

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _enqueue(self, entry: _QueueEntry) -> str | None:
        """Queue the entry, or return why not. The queue is bounded, so that a stuck disk cannot fill the memory."""
        with self._lock:
            if self._closed:
                return _CLOSED
            if self._queued >= QUEUE or self._bytes + entry.size > QUEUE_BYTES:
                return _OVERLOADED
            self._queued += 1
            self._bytes += entry.size
            self._queue.put(entry)
        return None

    # -- the thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        last = False
        while not last:
            batch, last = self._next_batch()
            if batch:
                self._commit(batch)
                with self._lock:
                    self._queued -= len(batch)
                    self._bytes -= sum(entry.size for entry in batch)
        self._commit([])  # records a last gap, if the store works again

    def _next_batch(self) -> tuple[list[_QueueEntry], bool]:
        """Return the queued entries, and whether they are the last.

        A commit costs the same for one row as for a hundred. So a batch waits up to `LINGER_S` for more rows if nobody
        awaits it, or if many callers awaited the last one. A single waiting caller is never delayed.
        """
        batch: list[_QueueEntry] = []
        size, awaited = 0, 0
        entry = self._queue.get()
        until = time.monotonic() + LINGER_S
        while entry is not None:
            batch.append(entry)
            size += entry.size
            awaited += entry.waiter is not None
            if len(batch) >= BATCH or size >= BATCH_BYTES:
                break
            linger = until - time.monotonic() if not awaited or self._last_awaited >= LINGER_WAITERS else 0.0
            try:
                entry = self._queue.get(timeout=linger) if linger > 0 else self._queue.get_nowait()
            except queue.Empty:
                break
        self._last_awaited = awaited
        return batch, entry is None

    def _commit(self, batch: list[_QueueEntry]) -> None:
        lost, gap = self._gap_rows()
        rows = [*gap, *(row for entry in batch for row in entry.rows)]
        if not rows:
            return
        try:
            self.store.append(rows)
        except RowRefused as error:
            self._commit_singly(batch, error)
        except StoreFailed as error:
            self._fail(batch, error)
        except Exception as error:  # waiting callers get the error, and the thread goes on
            self._fail(batch, StoreFailed(f"the store broke: {type(error).__name__}"))
        else:
            self._count_loss(-lost, self._reason)
            _settle(batch, None)

    def _commit_singly(self, batch: list[_QueueEntry], error: RowRefused) -> None:
        """Commit each entry alone, so that one invalid row does not lose the others."""
        if len(batch) <= 1:
            self._fail(batch, error)
            return
        for entry in batch:
            self._commit([entry])

    def _fail(self, batch: list[_QueueEntry], error: StoreFailed) -> None:
        self._count_loss(sum(len(entry.rows) for entry in batch if entry.waiter is None), error.message)
        _settle(batch, error)

    def _gap_rows(self) -> tuple[int, list[tuple[Table, Row]]]:
        with self._lock:
            lost, reason = self._lost, self._reason
        if not lost:
            return 0, []
        return lost, [(tables.gaps, {"wall": self._wall(), "lost": lost, "reason": reason})]

    def _count_loss(self, count: int, reason: str) -> None:
        with self._lock:
            self._lost += count
            self._reason = reason


def _queue_entry(rows: list[tuple[Table, Row]], settled: Waiter | None) -> _QueueEntry:
    size = 0
    for _, row in rows:  # a loop takes half the time of sum(), and this runs several times per message
        size += ROW_BYTES + len(row.get("event") or row.get("body") or b"")
    return _QueueEntry(rows, size, settled)


def _settle(batch: list[_QueueEntry], error: Exception | None) -> None:
    """Settle all waiters of a loop with one call, because waking the loop costs more than settling them."""
    waiting: dict[asyncio.AbstractEventLoop, list[Waiter]] = {}
    for entry in batch:
        if entry.waiter is not None:
            waiting.setdefault(entry.waiter.loop, []).append(entry.waiter)
    for loop, waiters in waiting.items():
        with suppress(RuntimeError):  # the loop has ended, and its waiters with it
            loop.call_soon_threadsafe(_settle_waiters, waiters, error)


def _settle_waiters(waiters: list[Waiter], error: Exception | None) -> None:
    for waiter in waiters:
        waiter.settle(error)
