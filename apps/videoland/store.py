"""The SQLite file of Videoland: tables, seed rows, transactions and the log of writes.

Every effect and its log record are one transaction, so the log can neither miss a write nor invent one. This
module knows nothing of HTTP, languages or knobs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from apps.videoland import seed

_TABLES = """
CREATE TABLE IF NOT EXISTS videos (
  id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, description TEXT NOT NULL, category TEXT NOT NULL,
  use_case TEXT NOT NULL, visibility TEXT NOT NULL, subtitles INTEGER NOT NULL, notify INTEGER NOT NULL,
  quality INTEGER NOT NULL, volume INTEGER NOT NULL, duration INTEGER NOT NULL, release_date TEXT NOT NULL,
  release_time TEXT NOT NULL, file_name TEXT NOT NULL, file_size INTEGER NOT NULL, status TEXT NOT NULL,
  views INTEGER NOT NULL, updated_at TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS videos_status ON videos (status);
CREATE TABLE IF NOT EXISTS accounts (
  email TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, password TEXT NOT NULL,
  job TEXT NOT NULL DEFAULT '', notifications TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL, role TEXT NOT NULL, sent_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS billing (id INTEGER PRIMARY KEY CHECK (id = 1), plan TEXT NOT NULL, paid INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS writes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
  effect TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT, actor TEXT);
"""
_NAMES = ("videos", "accounts", "invitations", "billing", "writes")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    def __init__(self, path: str | None, rows: int, password: str) -> None:
        # The app runs on one event loop thread, but is often built on another one.
        self._db = sqlite3.connect(path or ":memory:", check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._rows, self._password = rows, password
        with self._db:
            self._db.executescript(_TABLES)
            if not self.one("SELECT 1 FROM accounts"):
                self._seed()

    def all(self, sql: str, *args: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._db.execute(sql, args)]

    def one(self, sql: str, *args: Any) -> dict[str, Any] | None:
        row = self._db.execute(sql, args).fetchone()
        return None if row is None else dict(row)

    def value(self, sql: str, *args: Any) -> Any:
        return self._db.execute(sql, args).fetchone()[0]

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        with self._db:
            yield Writing(self._db)

    def reset(self) -> None:
        with self._db:
            for name in _NAMES:
                self._db.execute(f"DELETE FROM {name}")
            self._db.execute("DELETE FROM sqlite_sequence")
            self._seed()

    def close(self) -> None:
        self._db.close()

    def _seed(self) -> None:
        self._db.executemany(seed.insert("videos", seed.VIDEO_COLUMNS), seed.videos(self._rows))
        self._db.executemany(seed.insert("accounts", seed.ACCOUNT_COLUMNS), seed.accounts(self._password))
        self._db.executemany(seed.insert("invitations", seed.INVITATION_COLUMNS), seed.INVITATIONS)
        self._db.execute("INSERT INTO billing (id, plan, paid) VALUES (1, 'team', 0)")


class Writing:
    """Run one transaction: statements, and one log record per effect."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def run(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return self._db.execute(sql, args)

    def record(
        self,
        method: str,
        path: str,
        effect: str,
        *,
        kind: str = "data",
        entity: str | None = None,
        actor: str | None,
    ) -> None:
        self._db.execute(
            "INSERT INTO writes (at, method, path, effect, kind, entity, actor) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (now(), method, path, effect, kind, entity, actor),
        )
