"""Durable runs on DBOS: a worker that is killed with SIGKILL, and the next one that continues."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("dbos", reason="install uiap[workflows]")

from tests.host.workflows.fleet_worker import fleet_order
from tests.host.workflows.killed_worker import STEPS, CountingServer
from tests.support.postgres import Postgres
from uiap.errors import Busy, Unavailable
from uiap.host.workflows import durable

ROOT = Path(__file__).resolve().parents[3]


def worker(database: str, server: CountingServer, kill_at: int) -> int:
    """Execute the run in a process of its own and return its exit code."""
    command = [sys.executable, "-m", "tests.host.workflows.killed_worker", database, str(server.port)]
    done = subprocess.run([*command, str(kill_at)], cwd=ROOT, timeout=100, capture_output=True, text=True)
    return done.returncode


@pytest.mark.requirement("WF-6b")
def test_a_killed_worker_loses_no_run_and_writes_nothing_twice(tmp_path: Path) -> None:
    """The first worker dies right after a write that nothing but the server knows about (F8)."""
    _kill_one_worker(f"sqlite:///{tmp_path / 'runs.sqlite'}")


@pytest.mark.postgres
def test_another_worker_takes_the_run_of_a_killed_one_over(postgres: Postgres) -> None:
    """Workers of a PostgreSQL database have names of their own; a lost one is noticed."""
    postgres.clear()
    _kill_one_worker(postgres.url)


def _kill_one_worker(database: str) -> None:
    server = CountingServer()
    try:
        assert worker(database, server, 17) == -9
        assert len(server.writes) == 1
        assert worker(database, server, 0) == 0
        assert server.writes == [f"s{number}" for number in range(STEPS)]
    finally:
        server.close()


@pytest.mark.postgres
def test_a_run_is_queued_before_the_first_worker_starts(postgres: Postgres) -> None:
    postgres.clear()
    records = durable.RunRecords(postgres.url)
    records.enqueue(fleet_order(1))
    assert records.instance_ids() == ["run1"] and records.is_reachable()
    records.close()


def test_one_process_executes_the_runs_of_a_sqlite_database(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    first = durable._lock(database)
    with pytest.raises(Busy, match="another process executes the runs"):
        durable._lock(database)
    first.close()
    durable._lock(database).close()


def test_without_dbos_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dbos", None)
    with pytest.raises(Unavailable, match=r"install `uiap\[workflows\]`"):
        durable.dbos()
