"""How many traces are kept: by number and by size, the oldest go first. Journal, ledger and audit are never touched."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select

from uiap.host.records import tables

PRUNE_EVERY = 64
"""Looked at after so many traces: the limits may be passed by as many."""


class Retention(NamedTuple):
    """`UIAP_TRACES` and `UIAP_TRACE_MB` set it; nothing is kept where the number is 0."""

    traces: int = 2000
    megabytes: float = 256

    def prune(self, connection: Connection) -> int:
        """Remove what is too much; how many went."""
        last = self._newest_to_delete(connection)
        if last is None:
            return 0
        return connection.execute(delete(tables.traces).where(tables.traces.c.seq <= last)).rowcount

    def _newest_to_delete(self, connection: Connection) -> int | None:
        """The database counts: row by row, the writer's thread would take the interpreter from those it serves."""
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
