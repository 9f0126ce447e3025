"""The presence of workers: a count that stands still is a lost worker, and its runs are taken over once it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

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


class Held:
    """Runs and their holders; `mine` are those that this process executes."""

    def __init__(self, holders: dict[str, str] | None = None, mine: frozenset[str] = frozenset()) -> None:
        self._holders, self._mine = holders or {}, mine
        self.taken: list[str] = []
        self.returned: list[str] = []

    def holders(self) -> dict[str, str]:
        return self._holders

    def executing(self) -> frozenset[str]:
        return self._mine

    def take_over(self, executor_id: str) -> None:
        self.taken.append(executor_id)

    def put_back(self, run_id: str) -> None:
        self.returned.append(run_id)


def test_the_runs_of_a_lost_worker_are_taken_over_and_it_is_forgotten(tmp_path: Path) -> None:
    records, clock, runs = store(tmp_path), FakeClock(), Held()
    presence = WorkerPresence("me", records, clock, runs)
    records.beat("other")
    presence._beat()
    clock.advance(LOST_S)
    presence._beat()
    presence._beat()
    assert runs.taken == ["other"]
    assert records.beats() == {"me": 2}
    records.close()


def test_a_worker_that_took_a_run_and_died_before_it_counted_is_lost_too(tmp_path: Path) -> None:
    records, clock, runs = (
        store(tmp_path),
        FakeClock(),
        Held({"run1": "dead", "run2": "me"}, frozenset({"run2"})),
    )
    presence = WorkerPresence("me", records, clock, runs)
    presence._beat()
    assert runs.taken == []
    clock.advance(LOST_S)
    presence._beat()
    assert (runs.taken, runs.returned) == (["dead"], [])
    records.close()


@pytest.mark.parametrize("alone", [False, True])
def test_a_run_that_this_process_holds_and_does_not_execute_is_put_back(tmp_path: Path, alone: bool) -> None:
    records, clock, runs = (
        store(tmp_path),
        FakeClock(),
        Held({"run1": "me", "run2": "me"}, frozenset({"run2"})),
    )
    presence = WorkerPresence("me", records, clock, runs, alone=alone)
    presence._beat()
    assert runs.returned == [], "it may be about to start"
    clock.advance(LOST_S)
    presence._beat()
    assert (runs.returned, runs.taken) == (["run1"], [])
    assert bool(records.beats()) is not alone
    records.close()


async def test_a_worker_counts_until_it_stops_and_survives_a_fault(tmp_path: Path) -> None:
    records, calls = store(tmp_path), asyncio.Event()

    class Failing(DatabaseRunStore):
        def beats(self) -> dict[str, int]:
            loop.call_soon_threadsafe(calls.set)
            raise OSError("the database is away")

    loop = asyncio.get_running_loop()
    failing = Failing(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    presence = WorkerPresence("me", failing, SystemClock(), Held(), beat_s=0.001)
    await presence.announce()
    presence.start()
    for _ in range(2):
        await asyncio.wait_for(calls.wait(), 10)
        calls.clear()
    await presence.stop()
    assert records.beats()["me"] >= 2
    failing.close()
    records.close()
