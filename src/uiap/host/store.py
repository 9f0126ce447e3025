"""Where records rest: SQLite in WAL mode by default, PostgreSQL by URL. Synchronous; the writer calls it.

A commit that returned is on disk (SQLite: synchronous=FULL), so "accepted" may be said after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Table, create_engine, event, func, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from uiap.errors import Unavailable
from uiap.host import tables

Row = Mapping[str, Any]


class StoreFailed(Exception):
    """The store did not take a record; nothing that needs it may happen."""


class Store:
    """One database. Rows go in by whole batches, each in one transaction."""

    def __init__(self, url: str, *, busy_timeout_s: float = 5.0) -> None:
        self.url = url
        self._engine = _engine(url, busy_timeout_s)
        try:
            tables.metadata.create_all(self._engine)
        except SQLAlchemyError as error:
            self._engine.dispose()
            raise Unavailable(f"the store `{display(url)}` cannot be opened: {reason_of(error)}") from error

    @property
    def dialect(self) -> str:
        return self._engine.dialect.name

    def append(self, rows: Sequence[tuple[Table, Row]]) -> None:
        """All rows or none, and on disk when this returns."""
        by_table: dict[Table, list[Row]] = {}
        for table, row in rows:
            by_table.setdefault(table, []).append(row)
        try:
            with self._engine.begin() as connection:
                for table, batch in by_table.items():
                    connection.execute(insert(table), [dict(row) for row in batch])
        except SQLAlchemyError as error:
            raise StoreFailed(reason_of(error)) from error

    def journal(self, machine: str | None = None) -> Iterator[Row]:
        """Journal rows, oldest first."""
        query = select(tables.journal).order_by(tables.journal.c.seq)
        if machine is not None:
            query = query.where(tables.journal.c.machine == machine)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=500).execute(query):
                yield row._asdict()

    def lost(self) -> int:
        """How many journal entries a failing store could not take."""
        with self._engine.connect() as connection:
            return int(
                connection.execute(select(func.coalesce(func.sum(tables.gaps.c.lost), 0))).scalar_one()
            )

    def intact(self) -> bool:
        """Does the database itself say it is whole?"""
        if self.dialect != "sqlite":
            return True
        with self._engine.connect() as connection:
            return bool(connection.execute(text("pragma integrity_check")).scalar_one() == "ok")

    def close(self) -> None:
        self._engine.dispose()


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def display(url: str) -> str:
    """A store URL that may be shown: without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url


def reason_of(error: SQLAlchemyError) -> str:
    """The driver's own first line; never the statement or its parameters, which may hold what people typed."""
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__


def _engine(url: str, busy_timeout_s: float) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgres", "postgresql"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise Unavailable(f"`{display(url)}` is not a store; use sqlite:///FILE or postgresql://…")
        arguments = {"timeout": busy_timeout_s} if parsed.get_backend_name() == "sqlite" else {}
        engine = create_engine(parsed, connect_args=arguments, hide_parameters=True)
    except (ArgumentError, NoSuchModuleError) as error:
        raise Unavailable(f"`{display(url)}` is not a store; use sqlite:///FILE or postgresql://…") from error
    except ImportError as error:
        raise Unavailable("PostgreSQL needs an extra: pip install 'uiap[postgres]'") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"pragma {pragma}")
