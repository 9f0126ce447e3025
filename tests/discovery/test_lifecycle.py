"""The lifecycle table: which statuses follow each other, and which events matter in which status."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.discovery.shop import SHOP, comparable
from tests.discovery.simulated_app import SimulatedApp, SimulatedRun, environment
from uiap.discovery import commands, events, machine
from uiap.discovery.lifecycle import EVENTS, MOVES, TERMINAL, EventRow
from uiap.discovery.machine import Run
from uiap.spec.discovery import DISCOVERY_RUN_STATUSES


@pytest.mark.requirement("DISC-10")
def test_the_statuses_follow_each_other_in_the_order_of_the_specification() -> None:
    order = [
        "planning",
        "preparing",
        "seeding",
        "exploring",
        "extracting",
        "synthesizing",
        "reviewing",
        "completed",
    ]
    forward = {status: {following} for status, following in pairwise(order)}
    forward["exploring"].add("preparing")  # the next principal
    stopped = {"failed", "cancelled"}
    assert {status: set(moves) - stopped for status, moves in MOVES.items()} == forward
    assert {status for status, moves in MOVES.items() if stopped <= moves} == set(order[:4])
    assert set(MOVES) | TERMINAL == set(DISCOVERY_RUN_STATUSES)


def test_no_event_matters_in_a_final_status() -> None:
    assert not {status for status, _ in EVENTS} & TERMINAL


def test_a_run_paused_and_resumed_before_its_start_starts_once() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    for event in (events.Paused(at=run.now()), events.Resumed(at=run.now())):
        assert all(isinstance(one, commands.Report) for one in run.send(event))
    assert run.machine.status == "planning"
    assert comparable(run.complete()) == comparable(
        SimulatedRun(SimulatedApp(SHOP), environment()).complete()
    )


def test_a_run_interrupted_before_its_start_starts() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    left = run.carry_out(run.send(events.Interrupted(at=run.now())))
    assert not left and comparable(run.final_package()) == comparable(
        SimulatedRun(SimulatedApp(SHOP), environment()).complete()
    )


def test_a_move_outside_the_table_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    row = EventRow(lambda run, _event: run.history.append("reviewing") or [], frozenset({"preparing"}))
    monkeypatch.setattr(machine, "EVENTS", {("planning", events.Started): row})
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    with pytest.raises(AssertionError, match="planning is not followed by reviewing"):
        run.send(events.Started(at=run.now()))


def test_the_package_of_a_run_that_ended_is_in_the_replayed_commands() -> None:
    first = SimulatedRun(SimulatedApp(SHOP), environment())
    package = first.complete()
    again = Run(first.terms)
    issued = [command for event in first.events for command in again.handle(event)]
    assert issued == first.commands and issued[-1] == commands.Finish(package=package)
