"""Paths between known states without loading an address: steps that led there before and can be repeated."""

from __future__ import annotations

import heapq

from uiap.discovery.knowledge.candidates import ReplayStep
from uiap.discovery.knowledge.states import State
from uiap.spec.policy import SideEffectClass

LOAD_COST = 4
"""Loading an address costs as much as this many steps within a page."""
MAX_STATES_SEARCHED = 64
_REPEATABLE: frozenset[SideEffectClass] = frozenset({"none", "navigation", "ui_state"})


class KnownPaths:
    def __init__(self) -> None:
        self._from: dict[str, dict[str, tuple[int, ReplayStep]]] = {}

    def learn(self, source: State, target: State, step: ReplayStep, effect: SideEffectClass) -> None:
        """Remember that this step leads from one state to the other, if it may be repeated."""
        if source is target or effect not in _REPEATABLE or source.principal != target.principal:
            return
        cost = 1 if source.url == target.url else LOAD_COST
        self._from.setdefault(source.id, {}).setdefault(target.id, (cost, step))

    def has_step(self, source: State, target: State) -> bool:
        """Whether one step led from the source to the target."""
        return target.id in self._from.get(source.id, {})

    def find(self, source: State, target: State) -> tuple[ReplayStep, ...] | None:
        """Return the cheapest steps to the target; None if loading its address is as cheap."""
        entry = target.entries[0] if target.entries else None
        bound = LOAD_COST + entry.depth if entry is not None else 2 * LOAD_COST
        queue: list[tuple[int, int, str, tuple[ReplayStep, ...]]] = [(0, 0, source.id, ())]
        done: set[str] = set()
        count = 0
        while queue and len(done) < MAX_STATES_SEARCHED:
            cost, _, id, steps = heapq.heappop(queue)
            if id == target.id:
                return steps
            if id in done:
                continue
            done.add(id)
            for next_id, (step_cost, step) in self._from.get(id, {}).items():
                if cost + step_cost < bound and next_id not in done:
                    count += 1
                    heapq.heappush(queue, (cost + step_cost, count, next_id, (*steps, step)))
        return None
