"""The presence of workers: a count that stands still is a lost worker, and its runs are taken over once it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

from uiap.host.clock import FakeClock, SystemClock
from uiap.host.workflows.run_store import DatabaseRunStore
from uiap.host.workflows.workers import LOST_S, LostWorkers, WorkerPresence


def test_a_count_that_stands_still_long_enough_is_a_lost_worker() -> None:
    lost = LostWorkers()
    assert lost.observe({"a": 1, "b": 1}, 0.0) == []
    assert lost.observe({"a": 2, "b": 1}, LOST_S - 1) == []
    assert lost.observe({"a": 2, "b": 1}, LOST_S) == ["b"]
    assert lost.observe({"a": 2, "b": 2}, LOST_S + 1) == [], "it was only slow"
    assert lost.observe({"b": 2}, 2 * LOST_S) == []


def store(folder: Path) -> DatabaseRunStore:
    return DatabaseRunStore(f"sqlite:///{folder / 'runs.sqlite'}")


def test_the_runs_of_a_lost_worker_are_taken_over_and_it_is_forgotten(tmp_path: Path) -> None:
    records, clock, taken = store(tmp_path), FakeClock(), list[str]()
    presence = WorkerPresence("me", records, clock, taken.append)
    records.beat("other")
    presence._beat()
    clock.advance(LOST_S)
    presence._beat()
    presence._beat()
    assert taken == ["other"]
    assert records.beats() == {"me": 2}
    records.close()


async def test_a_worker_counts_until_it_stops_and_survives_a_fault(tmp_path: Path) -> None:
    records, calls = store(tmp_path), asyncio.Event()

    class Failing(DatabaseRunStore):
        def beats(self) -> dict[str, int]:
            loop.call_soon_threadsafe(calls.set)
            raise OSError("the database is away")

    loop = asyncio.get_running_loop()
    failing = Failing(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    presence = WorkerPresence("me", failing, SystemClock(), lambda _id: None, beat_s=0.001)
    await presence.start()
    for _ in range(2):
        await asyncio.wait_for(calls.wait(), 10)
        calls.clear()
    await presence.stop()
    assert records.beats()["me"] >= 2
    failing.close()
    records.close()
