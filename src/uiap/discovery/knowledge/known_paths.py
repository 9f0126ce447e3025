"""From one state to another without loading an address: steps that were seen to lead there and can be done again."""

from __future__ import annotations

import heapq

from uiap.discovery.knowledge.candidates import ReplayStep
from uiap.discovery.knowledge.states import State
from uiap.spec.policy import SideEffectClass

LOAD_COST = 4
"""An address costs as much as so many steps within a page."""
MAX_STATES_SEARCHED = 64
"""So many states around are looked at, however many are known."""
_REPEATABLE: frozenset[SideEffectClass] = frozenset({"none", "navigation", "ui_state"})


class KnownPaths:
    def __init__(self) -> None:
        self._from: dict[str, dict[str, tuple[int, ReplayStep]]] = {}

    def learn(self, source: State, target: State, step: ReplayStep, effect: SideEffectClass) -> None:
        if source is target or effect not in _REPEATABLE or source.principal != target.principal:
            return
        cost = 1 if source.url == target.url else LOAD_COST
        self._from.setdefault(source.id, {}).setdefault(target.id, (cost, step))

    def known(self, source: State, target: State) -> bool:
        """One step led from the one to the other."""
        return target.id in self._from.get(source.id, {})

    def find(self, here: State, target: State) -> tuple[ReplayStep, ...] | None:
        """The cheapest, if it is cheaper than loading the target's own address."""
        entry = target.entries[0] if target.entries else None
        bound = LOAD_COST + entry.depth if entry is not None else 2 * LOAD_COST
        queue: list[tuple[int, int, str, tuple[ReplayStep, ...]]] = [(0, 0, here.id, ())]
        done: set[str] = set()
        count = 0
        while queue and len(done) < MAX_STATES_SEARCHED:
            cost, _, id, steps = heapq.heappop(queue)
            if id == target.id:
                return steps
            if id in done:
                continue
            done.add(id)
            for next_id, (more, step) in self._from.get(id, {}).items():
                if cost + more < bound and next_id not in done:
                    count += 1
                    heapq.heappush(queue, (cost + more, count, next_id, (*steps, step)))
        return None
