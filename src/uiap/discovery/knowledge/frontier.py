"""What is still open, best first: what was seen anywhere is not tried again, near before far.

Choosing costs the same however many states are known.
"""

from __future__ import annotations

import heapq

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.states import State


class Frontier:
    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []
        self._open: dict[int, tuple[State, ActionCandidate]] = {}
        self._of_state: dict[str, list[int]] = {}
        self._covered: set[str] = set()
        self._count = 0

    def add(self, state: State, candidate: ActionCandidate) -> None:
        self._count += 1
        self._open[self._count] = (state, candidate)
        self._of_state.setdefault(state.id, []).append(self._count)
        # DISC-11.5a: by rank, then by how far it is to go back there, then in the order it was seen.
        heapq.heappush(self._heap, (candidate.rank, state.depth, self._count))

    def cover(self, key: str) -> None:
        self._covered.add(key)

    def uncover(self, state: State, candidate: ActionCandidate) -> None:
        """What was tried elsewhere said nothing about it: it is open here again."""
        self._covered.discard(candidate.cover)
        self.add(state, candidate)

    def covered(self, key: str) -> bool:
        return key in self._covered

    def choose(self, here: State | None) -> tuple[State, ActionCandidate] | None:
        """The best where we stand; else the best of all. It is taken out."""
        if here is not None:
            numbers = [one for one in self._of_state.get(here.id, ()) if self._fresh(one)]
            self._of_state[here.id] = numbers
            if numbers:
                best = min(numbers, key=lambda one: (self._open[one][1].rank, one))
                numbers.remove(best)
                return self._open.pop(best)
        while self._heap:
            _, _, number = heapq.heappop(self._heap)
            if self._fresh(number):
                return self._open.pop(number)
        return None

    def drop(self, state: State) -> int:
        """Give up what is open in a state; how much that was."""
        numbers = [one for one in self._of_state.pop(state.id, ()) if self._fresh(one)]
        for number in numbers:
            del self._open[number]
        return len(numbers)

    def _fresh(self, number: int) -> bool:
        found = self._open.get(number)
        if found is None:
            return False
        if found[1].cover in self._covered:
            del self._open[number]
            return False
        return True

    def __len__(self) -> int:
        return sum(one.cover not in self._covered for _, one in self._open.values())
