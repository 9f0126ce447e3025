"""The one writer: a thread that takes rows from a queue and commits them in groups.

Many callers share one fsync. A row that must be durable is awaited; the others follow in the same batches, and
if the store fails, their loss is counted and written down as a gap, never hidden.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import Table

from uiap.host import tables
from uiap.host.store import Row, Store, StoreFailed

BATCH = 500
QUEUE = 20_000


class _Entry(NamedTuple):
    rows: list[tuple[Table, Row]]
    settled: Callable[[Exception | None], None] | None


class Writer:
    """Owns the store's write side. `close()` writes what is queued, then ends the thread."""

    def __init__(self, store: Store, wall: Callable[[], str]) -> None:
        self._store = store
        self._wall = wall
        self._queue: queue.Queue[_Entry | None] = queue.Queue(QUEUE)
        self._lost = 0
        self._reason = ""
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="uiap-writer", daemon=True)
        self._thread.start()

    def put(self, table: Table, row: Row) -> None:
        """Write when convenient; a full queue counts as a loss."""
        try:
            self._queue.put_nowait(_Entry([(table, row)], None))
        except queue.Full:
            self._lose(1, "the writer cannot keep up")

    async def write(self, *rows: tuple[Table, Row]) -> None:
        """Return once the rows are on disk; StoreFailed if they are not."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def settle(error: Exception | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        def settled(error: Exception | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, error)

        if self._closed:
            raise StoreFailed("the store is closed")
        try:
            self._queue.put_nowait(_Entry(list(rows), settled))
        except queue.Full:
            raise StoreFailed("the writer cannot keep up") from None
        await done

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()

    def _run(self) -> None:
        while True:
            batch, last = self._next_batch()
            if batch:
                self._commit(batch)
            if last:
                return

    def _next_batch(self) -> tuple[list[_Entry], bool]:
        batch: list[_Entry] = []
        entry: Any = self._queue.get()
        while entry is not None:
            batch.append(entry)
            if len(batch) >= BATCH:
                return batch, False
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_Entry]) -> None:
        rows = [row for entry in batch for row in entry.rows]
        gap = self._gap()
        try:
            self._store.append([*gap, *rows])
        except StoreFailed as error:
            self._lose(sum(len(entry.rows) for entry in batch if entry.settled is None), str(error))
            self._settle(batch, error)
        else:
            if gap:
                self._lost = 0
            self._settle(batch, None)

    def _settle(self, batch: list[_Entry], error: Exception | None) -> None:
        for entry in batch:
            if entry.settled is not None:
                entry.settled(error)

    def _gap(self) -> list[tuple[Table, Row]]:
        if not self._lost:
            return []
        return [(tables.gaps, {"wall": self._wall(), "lost": self._lost, "reason": self._reason})]

    def _lose(self, count: int, reason: str) -> None:
        self._lost += count
        self._reason = reason
