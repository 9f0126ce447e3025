"""Deletes old traces beyond a number or a size, the oldest first. Journal, ledger and audit are never deleted."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select

from uiap.host.records import tables

PRUNE_EVERY = 64
"""Old traces are deleted once per this many new ones, so the limit may be exceeded by as many."""


class Retention(NamedTuple):
    """The limits for traces, set by `UIAP_TRACES` and `UIAP_TRACE_MB`. With 0 traces none is kept."""

    traces: int = 2000
    megabytes: float = 256

    def prune(self, connection: Connection) -> int:
        """Delete traces beyond the limits. Return how many were deleted."""
        last = self._newest_to_delete(connection)
        if last is None:
            return 0
        return connection.execute(delete(tables.traces).where(tables.traces.c.seq <= last)).rowcount

    def _newest_to_delete(self, connection: Connection) -> int | None:
        """Return the number of the newest trace to delete, or None.

        The database counts. A loop over rows in the writer thread would take the GIL from the event loop.
        """
        columns = tables.traces.c
        newest_first = select(columns.seq).order_by(columns.seq.desc())
        last = connection.execute(newest_first.offset(self.traces).limit(1)).scalar()
        kept = select(func.coalesce(func.sum(func.length(columns.body)), 0))
        if last is not None:
            kept = kept.where(columns.seq > last)
        if connection.execute(kept).scalar_one() <= self.megabytes * 2**20:
            return None if last is None else int(last)
        return self._newest_beyond_size(connection)

    def _newest_beyond_size(self, connection: Connection) -> int | None:
        size, columns = 0, tables.traces.c
        query = select(columns.seq, func.length(columns.body)).order_by(columns.seq.desc())
        for count, (seq, length) in enumerate(connection.execute(query), start=1):
            size += length
            if count > self.traces or size > self.megabytes * 2**20:
                return int(seq)
        return None
