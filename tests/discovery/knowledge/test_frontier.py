"""The frontier of a run: the best action first, and no action twice."""

from __future__ import annotations

from typing import Any, cast

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.frontier import Frontier
from uiap.discovery.knowledge.states import State


class Candidate:
    def __init__(self, key: str, rank: int) -> None:
        self.cover_key, self.rank = key, rank


class KnownState:
    def __init__(self, id: str, depth: int = 0) -> None:
        self.id, self.depth = id, depth


def state(id: str, depth: int = 0) -> State:
    return cast(State, KnownState(id, depth))


def candidate(key: str, rank: int = 1) -> ActionCandidate:
    return cast(ActionCandidate, Candidate(key, rank))


def taken(frontier: Frontier, current: State | None = None) -> Any:
    best = frontier.take_best(current)
    return None if best is None else (best[0].id, best[1].cover_key)


def test_the_best_rank_comes_first_then_the_shorter_path_then_the_first_found() -> None:
    frontier, near, far = Frontier(), state("near"), state("far", depth=3)
    frontier.add(far, candidate("far", 1))
    frontier.add(near, candidate("second", 1))
    frontier.add(near, candidate("worse", 2))
    frontier.add(near, candidate("best", 0))
    assert [taken(frontier) for _ in range(4)] == [
        ("near", "best"),
        ("near", "second"),
        ("far", "far"),
        ("near", "worse"),
    ]
    assert taken(frontier) is None


def test_an_action_in_work_stays_until_another_worker_has_tried_it() -> None:
    frontier, one, other = Frontier(), state("one"), state("other")
    frontier.add(one, candidate("same", 0))
    frontier.add(other, candidate("same", 0))
    frontier.add(one, candidate("next", 1))
    in_work = frozenset({"same"})
    best = frontier.take_best(one, in_work)
    assert best is not None and best[1].cover_key == "next"
    assert frontier.take_best(one, in_work) is None
    assert taken(frontier) == ("one", "same")


def test_candidates_of_the_current_state_are_preferred() -> None:
    frontier, here, there = Frontier(), state("here"), state("there")
    frontier.add(there, candidate("better", 0))
    frontier.add(here, candidate("worse", 5))
    assert taken(frontier, here) == ("here", "worse")


def test_a_covered_key_is_dropped_everywhere_and_can_be_reopened() -> None:
    frontier, one = Frontier(), state("one")
    frontier.add(one, candidate("menu"))
    frontier.add(state("two"), candidate("menu"))
    frontier.cover("menu")
    assert len(frontier) == 0 and taken(frontier, one) is None
    frontier.reopen(one, candidate("menu"))
    assert not frontier.is_covered("menu") and taken(frontier) == ("one", "menu")


def test_dropping_a_state_drops_its_open_candidates() -> None:
    frontier, one = Frontier(), state("one")
    frontier.add(one, candidate("a"))
    frontier.add(one, candidate("b"))
    frontier.cover("a")
    assert frontier.drop_state(one) == 1
    assert taken(frontier) is None
