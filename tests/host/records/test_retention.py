"""Traces are kept up to a number and a size. No other records are deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.host.journal_rows import row, steps
from uiap import settings
from uiap.host.records import tables
from uiap.host.records.retention import PRUNE_EVERY, Retention
from uiap.host.records.store import Store, sqlite_url


def trace(number: int, size: int = 10) -> tuple[Any, dict[str, Any]]:
    row = {
        "action": "ui.activate",
        "status": "succeeded",
        "wall": "2026-03-26T14:00:00.000Z",
        "duration": 1.0,
    }
    return tables.traces, {"handle": f"act_{number}", "body": b"x" * size, **row}


def stored_handles(store: Store) -> list[str]:
    found = store.rows(select(tables.traces.c.handle).order_by(tables.traces.c.seq))
    return [one["handle"] for one in found]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = Store(sqlite_url(tmp_path / "s.sqlite3"))
    yield opened
    opened.close()


def test_the_oldest_traces_are_deleted_first_and_the_journal_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UIAP_TRACES", "10")
    store.append([row(1)])
    for number in range(3 * PRUNE_EVERY):
        store.append([trace(number)])
    assert len(stored_handles(store)) < 10 + PRUNE_EVERY
    assert stored_handles(store)[-1] == f"act_{3 * PRUNE_EVERY - 1}"
    assert len(steps(store)) == 1


def test_large_traces_are_limited_by_their_size(store: Store) -> None:
    store.append([trace(number, 2**20) for number in range(6)])
    with store._engine.begin() as connection:
        assert Retention(100, 3).prune(connection) == 3
        assert Retention(100, 3).prune(connection) == 0
    assert stored_handles(store) == ["act_3", "act_4", "act_5"]


def test_a_retention_setting_must_be_a_number() -> None:
    read = settings.read({"UIAP_TRACES": "many", "UIAP_TRACE_MB": "0.5"})
    assert (read.traces, read.trace_mb) == (2000, 0.5)
