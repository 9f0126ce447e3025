"""The records of runs: both stores keep the same promises."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from uiap.host.workflows.run_store import DatabaseRunStore, IntentClaim, MemoryRunStore, RunStore
from uiap.instant import Instant
from uiap.workflow import events as when

AT = Instant(0.0, "2026-03-01T10:00:00.000Z")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunStore]:
    if request.param == "memory":
        yield MemoryRunStore()
        return
    database = DatabaseRunStore(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    yield database
    database.close()


def test_the_first_claim_of_an_intent_counts(store: RunStore) -> None:
    assert store.claim_of("k") is None
    assert store.claim("k", "one", (0, 2)) == IntentClaim("one", (0, 2))
    assert store.claim("k", "two", ()) == IntentClaim("one", (0, 2))
    assert store.claim_of("k") == IntentClaim("one", (0, 2))


def test_the_first_deadline_of_a_wait_counts(store: RunStore) -> None:
    assert store.deadline("w", 10.5) == 10.5
    assert store.deadline("w", 99.0) == 10.5


def test_messages_are_read_in_order_and_per_run(store: RunStore) -> None:
    store.post("a", when.Paused(at=AT, reason="x"))
    store.post("b", when.Cancelled(at=AT))
    store.post("a", when.Resumed(at=AT, parameters={"n": 1}))
    first, second = store.messages_after("a", 0)
    assert (first.event, second.event) == (
        when.Paused(at=AT, reason="x"),
        when.Resumed(at=AT, parameters={"n": 1}),
    )
    assert [one.number for one in store.messages_after("a", first.number)] == [second.number]


async def test_a_message_wakes_those_who_wait(store: RunStore) -> None:
    waiting = store.changed()
    store.post("a", when.Cancelled(at=AT))
    await asyncio.wait_for(waiting, 5)


def test_a_database_keeps_a_write_ahead_log_for_every_connection(tmp_path: Path) -> None:
    """A commit then costs one write to disk, and reading a run does not wait for it."""
    file = tmp_path / "runs.sqlite"
    DatabaseRunStore(f"sqlite:///{file}").close()
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
