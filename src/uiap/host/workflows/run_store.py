"""Records of workflow runs besides their journal: intents, messages to a run, and deadlines of waits.

An intent is claimed once. Its token names the execution that claimed it, so an execution after a restart, or a second
one at the same time, sees that the action may have happened. A message is stored before it is acknowledged.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import (
    Column,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy import create_engine as create_database_engine
from sqlalchemy.exc import IntegrityError, InterfaceError, InternalError, OperationalError, SQLAlchemyError

from uiap.workflow.events import AnyEvent

STORE_FAILURES = (OperationalError, InternalError, InterfaceError)
"""A database that is away or locked, a lost connection, a full or read-only disk. The same call may succeed later."""
_EVENT = msgspec.json.Decoder(AnyEvent)


class IntentClaim(NamedTuple):
    """The first claim of an intent: the execution that made it, and the signals that held before."""

    token: str
    held: tuple[int, ...]


class StoredMessage(NamedTuple):
    number: int
    event: AnyEvent


class RunStore(Protocol):
    def claim(self, key: str, token: str, held: tuple[int, ...]) -> IntentClaim:
        """Claim an intent and return the first claim, which is another execution's if that was earlier."""
        ...

    def claim_of(self, key: str) -> IntentClaim | None: ...

    def deadline(self, key: str, wall_s: float) -> float:
        """Return the deadline of a wait; the first one that was given counts."""
        ...

    def post(self, instance_id: str, event: AnyEvent) -> None: ...

    def messages_after(self, instance_id: str, number: int) -> Sequence[StoredMessage]: ...

    def wants_picture(self, key: str) -> bool:
        """Return whether pictures are kept, and there is none of this step."""
        ...

    def keep_picture(self, key: str, png: str) -> None: ...

    def picture(self, key: str) -> str:
        """Return the picture of a step as PNG in Base64, or an empty text."""
        ...

    blocks: bool
    """Whether a call may take long, so that it must not run on the event loop."""
    poll_s: float
    """Messages of other processes are found by looking this often."""

    def changed(self) -> asyncio.Future[None]:
        """Return a future that is done when a message of this process arrives after this call. Cancel it after use."""
        ...


class _Wakeup:
    """Wakes every waiting task of this process, from any thread."""

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Future[None], asyncio.AbstractEventLoop] = {}

    def wake(self) -> None:
        for future, loop in list(self._waiting.items()):
            loop.call_soon_threadsafe(_resolve, future)

    def future(self) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._waiting[future] = loop
        future.add_done_callback(self._waiting.pop)
        return future


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class MemoryRunStore:
    """Records of runs that live as long as this process."""

    blocks = False
    poll_s = 3600.0

    def __init__(self) -> None:
        self._claims: dict[str, IntentClaim] = {}
        self._deadlines: dict[str, float] = {}
        self._messages: dict[str, list[AnyEvent]] = {}
        self._wakeup = _Wakeup()

    def claim(self, key: str, token: str, held: tuple[int, ...]) -> IntentClaim:
        return self._claims.setdefault(key, IntentClaim(token, held))

    def claim_of(self, key: str) -> IntentClaim | None:
        return self._claims.get(key)

    def deadline(self, key: str, wall_s: float) -> float:
        return self._deadlines.setdefault(key, wall_s)

    def post(self, instance_id: str, event: AnyEvent) -> None:
        self._messages.setdefault(instance_id, []).append(event)
        self._wakeup.wake()

    def messages_after(self, instance_id: str, number: int) -> Sequence[StoredMessage]:
        known = self._messages.get(instance_id, ())
        return [StoredMessage(at, one) for at, one in enumerate(known, 1) if at > number]

    def wants_picture(self, key: str) -> bool:
        return False  # a run of a session proposes no repair

    def keep_picture(self, key: str, png: str) -> None:
        pass

    def picture(self, key: str) -> str:
        return ""

    def changed(self) -> asyncio.Future[None]:
        return self._wakeup.future()


METADATA = MetaData()
INTENTS = Table(
    "uiap_workflow_intents",
    METADATA,
    Column("key", String(400), primary_key=True),
    Column("token", String(64), nullable=False),
    Column("held", Text, nullable=False),
)
WAITS = Table(
    "uiap_workflow_waits",
    METADATA,
    Column("key", String(400), primary_key=True),
    Column("deadline", Float, nullable=False),
)
MESSAGES = Table(
    "uiap_workflow_messages",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("instance_id", String(200), nullable=False, index=True),
    Column("event", Text, nullable=False),
)


WORKERS = Table(
    "uiap_workflow_workers",
    METADATA,
    Column("id", String(100), primary_key=True),
    Column("beats", Integer, nullable=False),
)


PICTURES = Table(
    "uiap_workflow_pictures",
    METADATA,
    Column("key", String(400), primary_key=True),
    Column("png", Text, nullable=False),
)


class DatabaseRunStore:
    """Records of durable runs. A call that returned is on disk."""

    blocks = True
    poll_s = 0.5

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._wakeup = _Wakeup()
        self._pictured: set[str] = set()
        METADATA.create_all(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def is_reachable(self) -> bool:
        """Return whether the database answers."""
        try:
            with self._engine.connect() as connection:
                return bool(connection.execute(select(1)).scalar_one() == 1)
        except SQLAlchemyError:
            return False

    def has_table(self, name: str, schema: str | None) -> bool:
        return bool(inspect(self._engine).has_table(name, schema))

    def claim(self, key: str, token: str, held: tuple[int, ...]) -> IntentClaim:
        row = {"key": key, "token": token, "held": " ".join(map(str, held))}
        if self._insert(INTENTS, row):
            return IntentClaim(token, held)
        first = self.claim_of(key)
        assert first is not None, "an intent is never deleted"
        return first

    def claim_of(self, key: str) -> IntentClaim | None:
        with self._engine.connect() as connection:
            row = connection.execute(select(INTENTS).where(INTENTS.c.key == key)).first()
        return None if row is None else IntentClaim(row.token, _numbers(row.held.split()))

    def deadline(self, key: str, wall_s: float) -> float:
        if self._insert(WAITS, {"key": key, "deadline": wall_s}):
            return wall_s
        with self._engine.connect() as connection:
            found = connection.execute(select(WAITS.c.deadline).where(WAITS.c.key == key)).scalar_one()
        return float(found)

    def post(self, instance_id: str, event: AnyEvent) -> None:
        text = msgspec.json.encode(event).decode()
        with self._engine.begin() as connection:
            connection.execute(insert(MESSAGES).values(instance_id=instance_id, event=text))
        self._wakeup.wake()

    def messages_after(self, instance_id: str, number: int) -> Sequence[StoredMessage]:
        wanted = (
            select(MESSAGES)
            .where(MESSAGES.c.instance_id == instance_id, MESSAGES.c.number > number)
            .order_by(MESSAGES.c.number)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(wanted).all()
        return [StoredMessage(row.number, _EVENT.decode(row.event)) for row in rows]

    def changed(self) -> asyncio.Future[None]:
        return self._wakeup.future()

    # -- pictures of targets, one for each step of a definition ----------------------------------------------

    def wants_picture(self, key: str) -> bool:
        if key not in self._pictured and self.picture(key):
            self._pictured.add(key)
        return key not in self._pictured

    def keep_picture(self, key: str, png: str) -> None:
        self._insert(PICTURES, {"key": key, "png": png})
        self._pictured.add(key)

    def picture(self, key: str) -> str:
        with self._engine.connect() as connection:
            found = connection.execute(select(PICTURES.c.png).where(PICTURES.c.key == key)).scalar()
        return str(found or "")

    # -- the processes that execute runs ---------------------------------------------------------------------

    def beat(self, worker: str) -> None:
        """Count once more for a process."""
        if self._insert(WORKERS, {"id": worker, "beats": 0}):
            return
        with self._engine.begin() as connection:
            mine = WORKERS.c.id == worker
            connection.execute(update(WORKERS).where(mine).values(beats=WORKERS.c.beats + 1))

    def beats(self) -> Mapping[str, int]:
        with self._engine.connect() as connection:
            return {row.id: row.beats for row in connection.execute(select(WORKERS))}

    def forget(self, worker: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(WORKERS).where(WORKERS.c.id == worker))

    def _insert(self, table: Table, row: Mapping[str, object]) -> bool:
        """Insert a row; return False if its key exists."""
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(table).values(dict(row)))
        except IntegrityError:
            return False
        return True


def _numbers(texts: Iterable[str]) -> tuple[int, ...]:
    return tuple(int(text) for text in texts)


def _engine(url: str) -> Engine:
    """Return an engine whose commits are on disk when they return."""
    # a pooled connection may have ended with its server; each use of one checks it first
    engine = create_database_engine(
        url.replace("postgresql://", "postgresql+psycopg://", 1), pool_pre_ping=True
    )
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _durable(connection: object, _record: object) -> None:
            cursor = connection.cursor()  # type: ignore[attr-defined]
            cursor.execute("PRAGMA synchronous=FULL")
            _use_write_ahead_log(cursor)
            cursor.execute("PRAGMA busy_timeout=30000")
            cursor.close()

    return engine


def _use_write_ahead_log(cursor: Any) -> None:
    """Let a commit write once, and readers not block it. The file keeps this mode for all its connections."""
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        with suppress(sqlite3.OperationalError):  # another process uses the file; it works in both modes
            cursor.execute("PRAGMA journal_mode=WAL")
