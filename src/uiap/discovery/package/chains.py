"""Chains of transitions: how the run came from the page where it began to the state that shows a control."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from uiap.discovery.knowledge.findings import ElementFinding
from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.catalog import Catalog

_REPEATABLE = frozenset({"none", "navigation", "ui_state"})


class Chains:
    def __init__(self, states: Iterable[State], log: RunLog, catalog: Catalog) -> None:
        self._states = {one.id: one for one in states}
        self._catalog = catalog
        self._to = _shortest_chains(self._states, log)

    def to(self, one: ElementFinding) -> tuple[Transition, ...]:
        """Return the shortest chain from a first state to a state that shows the element; empty without one."""
        found = [self._to[id] for id in one.states if id in self._to]
        return min(found, key=len, default=())

    def routes(self, chain: tuple[Transition, ...]) -> list[str]:
        """Return the routes that the chain passes, in order."""
        ids = [chain[0].source, *(one.target for one in chain)] if chain else []
        return list(dict.fromkeys(map(self._route, ids)))

    def steps_to_last_route(self, chain: tuple[Transition, ...]) -> int:
        """Return how many steps of the chain lead to its last route."""
        moves = [n for n, one in enumerate(chain, 1) if self._route(one.source) != self._route(one.target)]
        return moves[-1] if moves else 0

    def _route(self, state: str) -> str:
        return self._catalog.route(self._states[state].route)


def _shortest_chains(states: dict[str, State], log: RunLog) -> dict[str, tuple[Transition, ...]]:
    """Return the shortest chain to each state from the first state of its principal, else from a seed."""
    following: dict[str, list[Transition]] = {}
    for one in log.transitions:
        if one.source != one.target and not one.blocked and one.side_effect in _REPEATABLE:
            following.setdefault(one.source, []).append(one)
    first: dict[str | None, str] = {}
    for state in states.values():
        first.setdefault(state.principal, state.id)
    chains: dict[str, tuple[Transition, ...]] = {}
    for start in (*first.values(), *(state.id for state in states.values() if state.seed is not None)):
        if start not in chains:
            chains[start] = ()
            _extend_chains(chains, start, following)
    return chains


def _extend_chains(
    chains: dict[str, tuple[Transition, ...]], start: str, following: dict[str, list[Transition]]
) -> None:
    queue = deque([start])
    while queue:
        id = queue.popleft()
        for one in following.get(id, ()):
            if one.target not in chains:
                chains[one.target] = (*chains[id], one)
                queue.append(one.target)
