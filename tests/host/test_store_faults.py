"""F10: a store that is locked, read-only, full, or whose fsync fails. `make soak CASE=F10` runs the stated number."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.host.journal_rows import row, steps
from tests.host.store_faults import act, compile_shim
from tests.support.postgres import Postgres
from uiap.host.records.store import Store, StoreFailed, sqlite_url

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite3"


async def test_a_database_locked_for_longer_than_the_timeout_refuses_and_recovers(file: Path):
    store = Store(sqlite_url(file), busy_timeout_s=0.1)
    other = sqlite3.connect(file, isolation_level=None)
    locks = {3: lambda: other.execute("begin immediate"), 6: lambda: other.execute("rollback")}
    trial = await act(store, range(9), locks)
    assert trial.refused == [3, 4, 5]
    assert trial.accepted == [0, 1, 2, 6, 7, 8]
    trial.check(steps(store))
    assert steps(store) == trial.accepted
    assert store.is_intact()
    other.close()
    store.close()


async def test_a_lock_shorter_than_the_timeout_only_delays(file: Path):
    store = Store(sqlite_url(file), busy_timeout_s=30)
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    tried: list[object] = []

    def release(*_: object) -> None:
        if not tried:
            tried.append(other.execute("rollback"))

    event.listen(store._engine, "before_cursor_execute", release)
    trial = await act(store, range(3))
    assert trial.accepted == [0, 1, 2]
    other.close()
    store.close()


async def test_a_read_only_database_accepts_nothing(file: Path):
    store = Store(sqlite_url(file))
    store.append([row(99)])
    store.close()
    reader = Store(f"sqlite:///file:{file}?mode=ro&uri=true")
    trial = await act(reader, range(3))
    assert trial.refused == [0, 1, 2]
    trial.check(steps(reader))
    assert steps(reader) == [99]
    reader.close()


async def test_a_database_with_a_size_limit_accepts_only_what_fits_and_recovers(file: Path):
    store = Store(sqlite_url(file))
    with store._engine.connect() as connection:
        pages = [connection.exec_driver_sql("pragma page_count").scalar_one() + 2]

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"pragma max_page_count={pages[0]}")

    store.close()
    event.listen(store._engine, "connect", limit)
    trial = await act(store, range(200))
    assert trial.accepted and trial.refused
    assert trial.accepted == sorted(trial.accepted)
    trial.check(steps(store))
    assert store.is_intact()
    store.close()
    pages[0] = 100_000
    store.append([row(500)])
    assert steps(store)[-1] == 500
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, timeout=20
    ) if os.geteuid() == 0 else None  # fmt: skip
    if mounted is None or mounted.returncode:
        pytest.skip("a real full disk: mounting a tmpfs needs root and the right to mount")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True, timeout=20)


async def test_a_full_disk_refuses_keeps_stored_rows_and_recovers(small_disk: Path):
    store = Store(sqlite_url(small_disk / "s.sqlite3"))
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (7 * 2**20))
    blob = {"event": b"x" * 100_000}
    taken = []
    with pytest.raises(StoreFailed, match="full"):
        for number in range(1000, 1100):
            store.append([row(number, **blob)])
            taken.append(number)
    trial = await act(store, range(40))
    trial.check(steps(store))
    assert set(taken) <= set(steps(store))
    assert store.is_intact()
    ballast.unlink()
    healed = await act(store, range(40, 43))
    assert healed.accepted == [40, 41, 42]
    store.close()


def test_a_failing_fsync_never_loses_an_accepted_action(tmp_path: Path):
    shim = compile_shim(tmp_path)
    if shim is None:
        pytest.skip("fsync errors: needs Linux and a C compiler for a tiny shim")
    child = subprocess.run(
        [sys.executable, "-m", "tests.host.store_faults", str(tmp_path), "2", "0"],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert child.returncode == 0, child.stderr[-3000:]
    totals = json.loads(child.stdout)
    assert totals["points"] >= 4, "the shim saw no fsync"
    assert totals["trials"] == 2 * totals["points"]
    assert totals["accepted"] > 0
    assert totals["refused"] > 0


@pytest.mark.postgres
async def test_a_postgresql_server_that_stops_refuses_and_works_again_after_its_restart(postgres: Postgres):
    postgres.clear()
    store = Store(postgres.url)
    try:
        trial = await act(store, range(9), {3: postgres.stop, 6: postgres.start})
    finally:
        if not (postgres.data / "postmaster.pid").exists():
            postgres.start()
    assert trial.accepted[:3] == [0, 1, 2]
    assert trial.refused == [3, 4, 5]
    assert trial.accepted == [0, 1, 2, 6, 7, 8]
    trial.check(steps(store))
    store.close()


@pytest.mark.postgres
async def test_a_postgresql_database_made_read_only_refuses_and_recovers(postgres: Postgres):
    import psycopg

    postgres.clear()
    store = Store(postgres.url)
    with psycopg.connect(host=str(postgres.folder), user="uiap", dbname="postgres") as other:
        read_only = {
            1: lambda: _set(other, "alter role uiap set default_transaction_read_only to on", store),
            3: lambda: _set(other, "alter role uiap reset default_transaction_read_only", store),
        }
        trial = await act(store, range(5), read_only)
    assert trial.refused == [1, 2]
    assert trial.accepted == [0, 3, 4]
    trial.check(steps(store))
    store.close()


def _set(other, statement: str, store: Store) -> None:
    other.execute("set transaction read write")
    other.execute(statement)
    other.commit()
    store._engine.dispose()  # connections take the new setting when they are opened
