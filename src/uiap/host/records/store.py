"""The database of records: SQLite in WAL mode by default, PostgreSQL by URL. It is synchronous; the writer calls it.

A commit that returned is on disk (SQLite: synchronous=FULL), so an action may be reported as accepted after it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Select,
    Table,
    create_engine,
    event,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from uiap import settings
from uiap.errors import UiapError, Unavailable
from uiap.host.records import tables
from uiap.host.records.anchors import Anchor, publisher
from uiap.host.records.audit_chain import ChainHead, LinkedRows, key_id, link_rows, load_key
from uiap.host.records.high_water import HighWaterMark
from uiap.host.records.retention import PRUNE_EVERY, Retention
from uiap.private_files import open_private

Row = Mapping[str, Any]
_PASSWORD = re.compile(r"(//[^:/@]*:).*@")
STATEMENT_ROWS = (500, 100, 20, 5, 1)
"""Rows per insert statement. Few sizes mean few prepared statements; 500 rows stay below all parameter limits."""
URL_HELP = "use sqlite:///FILE or postgresql://USER@HOST/DATABASE"


class StoreFailed(UiapError):
    """The store did not take a record. Nothing that needs the record may happen."""

    retryable = True


class RowRefused(StoreFailed):
    """The row itself is invalid. Other rows of its batch may still be stored."""

    retryable = False


class Store:
    """One database. Rows are added in batches, each in one transaction.

    With `create=False`, for readers, a missing store is an error and is not created.
    """

    def __init__(
        self, url: str, *, busy_timeout_s: float = 5.0, create: bool = True, audit_key: bytes | None = None
    ) -> None:
        self.url, self._audit_key = url, audit_key
        self._traces = 0
        self._anchor: Anchor | None = None
        self._engine = _engine(url, busy_timeout_s, create)
        try:
            if create:
                tables.metadata.create_all(self._engine)
            elif not inspect(self._engine).has_table(tables.journal.name):
                raise Unavailable(f"`{display_url(url)}` holds no journal; name the database of a uiap store")
        except SQLAlchemyError as error:
            self._engine.dispose()
            raise Unavailable(
                f"the store `{display_url(url)}` cannot be opened: {reason_of(error)}"
            ) from error
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def audit_key(self) -> bytes:
        """The key of the audit chain: the given one, UIAP_AUDIT_KEY, or the one in a file of this user.

        For SQLite the file is next to the store; for a server its name is derived from the server's address.
        """
        if self._audit_key is None:
            self._audit_key = load_key(self._beside("{}.key"), settings.read().audit_key)
        return self._audit_key

    @cached_property
    def audit_mark(self) -> HighWaterMark:
        """The high-water mark of the chain, beside the key. A copy of the store by its name does not include it."""
        return HighWaterMark(self._beside(".{}.mark"))

    @property
    def shared(self) -> bool:
        """Whether several machines may write to the store. Then each has its own mark, and a new one has none."""
        return self.dialect != "sqlite"

    def _beside(self, pattern: str) -> Path:
        database = self._engine.url
        if self.dialect == "sqlite":
            file = Path((database.database or "").removeprefix("file:"))
            return file.with_name(pattern.format(file.name))
        where = f"{database.host}:{database.port}/{database.database}?{sorted(database.query.items())}"
        return settings.read().data / pattern.format(f"audit-{sha256(where.encode()).hexdigest()[:16]}")

    @property
    def dialect(self) -> str:
        return self._engine.dialect.name

    def append(self, rows: Sequence[tuple[Table, Row]]) -> None:
        """Add all rows or none. They are on disk when this returns."""
        by_table: dict[Table, list[Row]] = {}
        for table, row in rows:
            by_table.setdefault(table, []).append(row)
        linked: LinkedRows | None = None
        try:
            with self._engine.begin() as connection:
                for table, batch in by_table.items():
                    if table is tables.audit:
                        linked = self._link(connection, batch)
                        batch = linked.rows
                    _insert(connection, table, batch)
                self._prune_traces(connection, len(by_table.get(tables.traces, ())))
            if linked is not None:
                self._publish_head(linked)
        except OSError as error:
            raise StoreFailed(f"the files of the audit log cannot be written: {error.strerror}") from error
        except (DataError, IntegrityError, ValueError, TypeError, KeyError, OverflowError) as error:
            raise RowRefused(f"a record cannot be stored: {reason_of(error)}") from error
        except SQLAlchemyError as error:
            raise StoreFailed(reason_of(error)) from error

    def _link(self, connection: Connection, rows: Sequence[Row]) -> LinkedRows:
        return link_rows(connection, rows, self.audit_key, self.audit_mark, mark_required=not self.shared)

    def _publish_head(self, linked: LinkedRows) -> None:
        """Raise the high-water mark, and publish the head if an anchor is set. The rows are committed by now."""
        self.audit_mark.rise(linked.mark, self.audit_key, replace=linked.cut)
        address = settings.read().audit_anchor
        if address is not None and self._anchor is None:
            self._anchor = Anchor(publisher(address), display_url(self.url), key_id(self.audit_key))
        if self._anchor is not None:
            self._anchor.offer(linked.mark)

    def _prune_traces(self, connection: Connection, traces: int) -> None:
        """Delete old traces when the first trace is added, and then after every `PRUNE_EVERY` traces."""
        if traces and self._traces % PRUNE_EVERY < traces:
            known = settings.read()
            Retention(known.traces, known.trace_mb).prune(connection)
        self._traces += traces

    def journal(self, machine: str | None = None) -> Iterator[Row]:
        """Yield journal rows, oldest first."""
        query = select(tables.journal).order_by(tables.journal.c.seq)
        if machine is not None:
            query = query.where(tables.journal.c.machine == machine)
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=500).execute(query):
                yield row._asdict()

    def audit(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield number, body and hash of the audit records, in the order of their numbers."""
        after = -(2**63)
        with self._reading() as connection:
            mark = "?" if self.dialect == "sqlite" else "%s"
            page = f"select seq, body, hash from audit where seq > {mark} order by seq limit 5000"
            cursor = connection.connection.cursor()  # plain tuples: a long chain is read several times faster
            while rows := cursor.execute(page, (after,)).fetchall():
                yield from ((seq, _bytes(body), _bytes(hash)) for seq, body, hash in rows)
                after = rows[-1][0]

    def audit_head(self) -> ChainHead | None:
        heads = tables.audit_head
        query = select(heads.c.seq, heads.c.hash, heads.c.seal).where(heads.c.id == 1)
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
            return None if row is None else ChainHead(row[0], _bytes(row[1]), _bytes(row[2]))

    def lost_count(self) -> int:
        """Return how many journal entries a failing store did not take."""
        total = func.coalesce(func.sum(tables.gaps.c.lost), 0)
        with self._reading() as connection:
            return int(connection.execute(select(total)).scalar_one())

    def rows(self, query: Select[Any]) -> list[Row]:
        """Return the rows of a query as plain mappings."""
        with self._reading() as connection:
            return [row._asdict() for row in connection.execute(query)]

    def is_intact(self) -> bool:
        """Return whether the integrity check of the database passes."""
        if self.dialect != "sqlite":
            return True
        with self._reading() as connection:
            return bool(connection.execute(text("pragma integrity_check")).scalar_one() == "ok")

    def close(self) -> None:
        if self._anchor is not None:
            self._anchor.close()
        self._engine.dispose()
        # compiled statements refer to each other and would stay until a full garbage collection
        self._engine.clear_compiled_cache()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreFailed(
                f"the store `{display_url(self.url)}` cannot be read: {reason_of(error)}"
            ) from error


def _bytes(value: Any) -> bytes:
    """Return the column as bytes. A record that was tampered with may hold text or null."""
    return (
        value
        if isinstance(value, bytes)
        else bytes(value)
        if isinstance(value, memoryview)
        else str(value).encode()
    )


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert many rows with one statement.

    Row by row, the writer thread would have to get the GIL back from a busy event loop each time, and fall behind.
    """
    columns = list(rows[0])
    at = 0
    while at < len(rows):
        count = next(size for size in STATEMENT_ROWS if size <= len(rows) - at)
        values = tuple(row[column] for row in rows[at : at + count] for column in columns)
        connection.exec_driver_sql(
            _statement(table.name, tuple(columns), count, connection.dialect.name), values
        )
        at += count


@cache
def _statement(table: str, columns: tuple[str, ...], count: int, dialect: str) -> str:
    mark = "?" if dialect == "sqlite" else "%s"
    row = f"({', '.join([mark] * len(columns))})"
    return f"insert into {table} ({', '.join(columns)}) values {', '.join([row] * count)}"


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def display_url(url: str) -> str:
    """Return the store URL without its password, even if it is not a valid URL."""
    with suppress(ArgumentError, ValueError):
        url = make_url(url).render_as_string(hide_password=True)
    return _PASSWORD.sub(r"\1***@", url)


def reason_of(error: Exception) -> str:
    """Return the first line of the driver's message, without the statement and its parameters, which may be private."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, SQLAlchemyError):
        return str(cause).strip().splitlines()[0].split("[SQL")[0].strip()
    return str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__


def _engine(url: str, busy_timeout_s: float, create: bool) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgres", "postgresql"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise Unavailable(f"`{display_url(url)}` is not a store; {URL_HELP}")
        if parsed.get_backend_name() == "sqlite":
            _require_folder(parsed, create)
            engine = _sqlite_engine(parsed, busy_timeout_s)  # refuses an unknown driver; connects later
            if create:
                _create_file(parsed)
            return engine
        if "@" in (parsed.host or ""):
            raise Unavailable(f"`{display_url(url)}` has an unescaped @ in its password; write it as %40")
        return _postgres_engine(parsed)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise Unavailable(f"`{display_url(url)}` is not a store; {URL_HELP}") from error
    except ImportError as error:
        raise Unavailable("PostgreSQL needs an extra: pip install 'uiap[postgres]'") from error


def _sqlite_engine(url: URL, busy_timeout_s: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": busy_timeout_s}, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _postgres_engine(url: URL) -> Engine:
    """Return an engine with durable commits and timeouts, whatever the server's defaults are."""
    wanted = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "options": "-c synchronous_commit=on"}
    arguments = {name: value for name, value in wanted.items() if name not in url.query}
    # a pooled connection may have died with its server: test it before use, so that a restart needs no action
    return create_engine(url, connect_args=arguments, hide_parameters=True, pool_pre_ping=True)


def _require_folder(url: URL, create: bool) -> None:
    """Raise Unavailable with a clear reason. SQLite says "unable to open database file" for all of them."""
    file = (url.database or "").removeprefix("file:")
    if not file or file == ":memory:":
        raise Unavailable(f"`{display_url(url.render_as_string())}` names no file; use sqlite:///FILE")
    if not create and not Path(file).is_file():
        raise Unavailable(f"no store at `{file}`")
    folder = Path(file).parent
    if not folder.is_dir():
        raise Unavailable(f"no folder `{folder}` for the store; create it, or name another file")


def _create_file(url: URL) -> None:
    """Create the file for this user alone. SQLite gives its write-ahead log the same permissions."""
    file = Path((url.database or "").removeprefix("file:"))
    if file.is_symlink() and not file.exists():
        raise Unavailable(f"`{file}` is a link to nothing; remove it, or name another file")
    if not file.exists():
        os.close(open_private(file))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.execute("pragma foreign_keys=ON")
    connection.execute("pragma synchronous=FULL")
    # read before it is set: no write is needed if WAL is on already, so a read-only journal can be replayed
    if connection.execute("pragma journal_mode").fetchone()[0] != "wal":
        connection.execute("pragma journal_mode=WAL")
