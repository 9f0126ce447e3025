"""The store: durable settings, and clear messages about invalid URLs."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import event, text

from tests.host.journal_rows import row, steps
from uiap.errors import Unavailable
from uiap.host.records import tables
from uiap.host.records.store import RowRefused, Store, StoreFailed, display_url, sqlite_url


def test_rows_come_back_in_the_order_they_were_appended(store: Store, open_store):
    store.append([row(2), row(1)])
    store.append([row(3, machine="other"), (tables.gaps, {"wall": "w", "lost": 4, "reason": "r"})])
    again = open_store()
    assert steps(again) == [2, 1, 3]
    assert steps(again, "other") == [3]
    assert again.lost_count() == 4
    assert again.is_intact()


def test_a_batch_is_stored_as_a_whole_or_not_at_all(store: Store):
    with pytest.raises(RowRefused) as refused:
        store.append([row(1), row(2, machine=None)])
    assert "insert" not in refused.value.message.lower()
    assert steps(store) == []


def test_an_invalid_row_is_refused_as_that_row(store: Store):
    with pytest.raises(RowRefused):
        store.append([row(2**70)])
    store.append([row(1)])
    assert steps(store) == [1]


def test_values_never_appear_in_an_error(store: Store):
    with pytest.raises(RowRefused) as refused:
        store.append([row(1, machine=None, commands="hunter2")])
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in refused.value.message


def test_sqlite_uses_wal_and_syncs_every_commit(tmp_path: Path):
    store = Store(sqlite_url(tmp_path / "s.sqlite3"))
    with store._engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("pragma synchronous")).scalar_one() == 2  # FULL
        assert connection.execute(text("pragma foreign_keys")).scalar_one() == 1
    store.close()


@pytest.mark.postgres
def test_postgresql_commits_synchronously_whatever_its_default_is(postgres):
    postgres.clear()
    store = Store(postgres.url)
    with store._engine.begin() as connection:
        connection.execute(text("alter role uiap set synchronous_commit to off"))
    store.close()
    store = Store(postgres.url)
    with store._engine.begin() as connection:
        assert connection.execute(text("show synchronous_commit")).scalar_one() == "on"
        assert connection.execute(text("show fsync")).scalar_one() == "on"
        connection.execute(text("alter role uiap reset synchronous_commit"))
    store.close()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://ann:hunter2@db/x", "is not a store"),
        ("nonsense", "is not a store"),
        ("postgresql://ann:hunter2@db:port/x", "is not a store"),
        ("postgresql://ann:hun@ter2@db/x", "write it as %40"),
        ("sqlite+nothing:///x", "is not a store"),
        ("sqlite:////no/such/folder/x.sqlite3", "no folder `/no/such/folder`"),
        ("sqlite://", "names no file"),
        ("sqlite:////", "cannot be opened"),
        ("postgresql://ann:hunter2@127.0.0.1:1/x", "cannot be opened"),
    ],
)
def test_an_invalid_store_url_is_refused_without_its_password(url, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unavailable) as refused:
        Store(url)
    assert not list(tmp_path.iterdir())
    assert says in refused.value.message
    assert "\n" not in refused.value.message
    assert "ter2" not in refused.value.message
    assert "hunter2" not in display_url(url)


def test_a_file_that_is_not_a_database_is_refused_and_unchanged(tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("buy milk\n" * 200)
    with pytest.raises(Unavailable, match="file is not a database"):
        Store(sqlite_url(file))
    assert file.read_text() == "buy milk\n" * 200


def test_a_missing_driver_names_the_extra():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from uiap.host.records.store import Store\n"
        "try: Store('postgresql://u@h/d')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert said.stdout.strip() == "Unavailable PostgreSQL needs an extra: pip install 'uiap[postgres]'"


def test_a_read_only_database_can_be_read_and_refuses_writes(tmp_path: Path):
    file = tmp_path / "s.sqlite3"
    store = Store(sqlite_url(file))
    store.append([row(1)])
    store.close()
    reader = Store(f"sqlite:///file:{file}?mode=ro&uri=true")
    assert steps(reader) == [1]
    with pytest.raises(StoreFailed, match="readonly"):
        reader.append([row(2)])
    reader.close()


def test_an_unreadable_store_is_reported(tmp_path: Path):
    file = tmp_path / "s.sqlite3"
    store = Store(sqlite_url(file))
    with store._engine.begin() as connection:
        connection.execute(text("drop table gaps"))
    with pytest.raises(StoreFailed, match="cannot be read: no such table: gaps"):
        store.lost_count()
    store.close()


def test_one_append_is_one_transaction(store: Store):
    commits: list[object] = []
    event.listen(store._engine, "commit", commits.append)
    store.append([row(n) for n in range(100)])
    assert len(commits) == 1


def test_a_reader_creates_no_store_and_changes_no_other_database(tmp_path: Path):
    with pytest.raises(Unavailable, match="no store at"):
        Store(sqlite_url(tmp_path / "missing.sqlite3"), create=False)
    assert list(tmp_path.iterdir()) == []
    foreign = tmp_path / "foreign.sqlite3"
    with sqlite3.connect(foreign) as connection:
        connection.execute("create table theirs (x)")
    connection.close()
    before = foreign.read_bytes()
    with pytest.raises(Unavailable, match="holds no journal"):
        Store(sqlite_url(foreign), create=False)
    with sqlite3.connect(foreign) as connection:
        assert [name for (name,) in connection.execute("select name from sqlite_master")] == ["theirs"]
    connection.close()
    assert len(before) == len(foreign.read_bytes())


def test_many_rows_are_few_statements(store: Store):
    """Each statement makes the writer wait for the GIL while the event loop is busy, so rows must share statements."""
    said: list[str] = []
    event.listen(store._engine, "before_cursor_execute", lambda *call: said.append(call[2]))
    store.append([row(n) for n in range(1999)])
    assert steps(store) == list(range(1999))
    assert len([statement for statement in said if statement.startswith("insert")]) <= 20


def test_a_store_is_created_for_this_user_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        store = Store(sqlite_url(tmp_path / "a.sqlite3"))
        store.append([(tables.audit, {"body": b"{}"})])
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(umask)
    assert {"a.sqlite3", "a.sqlite3-wal", "a.sqlite3-shm", "a.sqlite3.key", ".a.sqlite3.mark"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_a_store_is_not_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite3").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="link to nothing"):
        Store(sqlite_url(tmp_path / "a.sqlite3"))
    assert not (tmp_path / "elsewhere").exists()
