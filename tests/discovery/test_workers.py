"""Several workers of one run: each has its own browser, and no action is tried twice."""

from __future__ import annotations

import random

import msgspec
import pytest

from tests.discovery.shop import SHOP, comparable, route_ids
from tests.discovery.simulated_app import SimulatedApp, SimulatedRun, environment, explore
from uiap.discovery import commands, events
from uiap.spec.discovery import DiscoveryPackage


class ParallelRun(SimulatedRun):
    """A run whose workers answer in any order; each has its own application."""

    def __init__(self, workers: int, seed: int = 1, *, without: int | None = None) -> None:
        super().__init__(SimulatedApp(SHOP), environment(), workers=workers)
        self.apps = [SimulatedApp(SHOP) for _ in range(workers)]
        self.chance, self.without = random.Random(seed), without
        self.most_pending = 0

    def answer(self, command: commands.Command) -> events.Event:
        if isinstance(command, commands.Prepare) and command.worker == self.without:
            return events.Prepared(at=self.now(), worker=command.worker, problem="no browser")
        self.app = self.apps[command.worker]
        return msgspec.structs.replace(super().answer(command), worker=command.worker)

    def carry_out(self, issued: list[commands.Command], limit: int = 10_000) -> list[commands.Command]:
        pending = [one for one in issued if not isinstance(one, commands.Report | commands.Finish)]
        while pending and limit:
            limit -= 1
            self.most_pending = max(self.most_pending, len(pending))
            assert len({one.worker for one in pending}) == len(pending), "a worker has one command at a time"
            command = pending.pop(self.chance.randrange(len(pending)))
            answers = self.send(self.answer(command))
            pending += [one for one in answers if not isinstance(one, commands.Report | commands.Finish)]
        return pending

    @property
    def pressed(self) -> list[str]:
        return [name for app in self.apps for name in app.pressed]


def found(package: DiscoveryPackage) -> tuple[set[str], int]:
    return route_ids(package), len(package.transition_graph.states)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("workers", [2, 3])
def test_several_workers_find_what_one_finds(workers: int, seed: int) -> None:
    alone, _, _ = explore(SHOP)
    run = ParallelRun(workers, seed)
    package = run.complete()
    assert package.run.status == "completed"
    assert found(package) == found(alone)
    assert run.most_pending > 1


def test_workers_share_the_actions() -> None:
    run = ParallelRun(2)
    run.complete()
    assert all(app.loaded for app in run.apps)


def test_a_worker_without_a_browser_leaves_its_work_to_the_others() -> None:
    run = ParallelRun(2, without=1)
    package = run.complete()
    assert found(package) == found(explore(SHOP)[0])
    assert any("no browser" in note for note in package.run.notes or ())


@pytest.mark.parametrize("after", range(4, 30, 3))
def test_an_interrupted_run_prepares_each_worker_again(after: int) -> None:
    run = ParallelRun(2, after)
    lost = run.carry_out(run.send(events.Started(at=run.now())), limit=after)
    resumed = run.send(events.Interrupted(at=run.now())) if run.package is None else []
    prepared = [one.worker for one in resumed if isinstance(one, commands.Prepare)]
    assert set(prepared) >= {one.worker for one in lost}
    run.carry_out(resumed)
    assert found(run.final_package()) == found(explore(SHOP)[0])


def test_a_journal_of_several_workers_replays_exactly() -> None:
    run = ParallelRun(2, 5)
    package = run.complete()
    again = SimulatedRun(SimulatedApp(SHOP), environment(), workers=2)
    for event in run.events:
        again.send(event)
    assert comparable(again.final_package()) == comparable(package)


def test_a_paused_run_gives_no_worker_a_task() -> None:
    run = ParallelRun(2)
    left = run.carry_out(run.send(events.Started(at=run.now())), limit=12)
    run.send(events.Paused(at=run.now()))
    assert run.carry_out(left) == [] and run.package is None
    run.carry_out(run.send(events.Resumed(at=run.now())))
    assert found(run.final_package()) == found(explore(SHOP)[0])
