"""The frontier of a run: the actions that are still to be tried, best first.

An action that was tried in one state covers the same action everywhere. Taking the best one costs the same however many
states are known.
"""

from __future__ import annotations

import heapq

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.states import State


class Frontier:
    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []
        self._open: dict[int, tuple[State, ActionCandidate]] = {}
        self._by_state: dict[str, list[int]] = {}
        self._covered: set[str] = set()
        self._count = 0
        self._taken_count = 0

    def add(self, state: State, candidate: ActionCandidate) -> None:
        self._count += 1
        self._open[self._count] = (state, candidate)
        self._by_state.setdefault(state.id, []).append(self._count)
        # DISC-11.5a: by rank, then by the number of steps to the state, then in the order of discovery.
        heapq.heappush(self._heap, (candidate.rank, state.depth, self._count))

    def cover(self, key: str) -> None:
        """Drop every candidate with this key, now and later."""
        self._covered.add(key)

    def reopen(self, state: State, candidate: ActionCandidate) -> None:
        """Add a covered candidate again, because the first try showed nothing about it."""
        self._covered.discard(candidate.cover_key)
        self.add(state, candidate)

    def is_covered(self, key: str) -> bool:
        return key in self._covered

    def take_best(
        self, current: State | None, in_work: frozenset[str] = frozenset()
    ) -> tuple[State, ActionCandidate] | None:
        """Remove and return the best candidate of the current state, else the best of all.

        Candidates whose key is `in_work` stay: another worker is about to try the same.
        """
        number = self._best_of(current, in_work) if current is not None else None
        if number is None:
            number = self._best_of_all(in_work)
        if number is None:
            return None
        self._taken_count += 1
        return self._open.pop(number)

    def _best_of(self, current: State, in_work: frozenset[str]) -> int | None:
        numbers = [one for one in self._by_state.get(current.id, ()) if self._is_open(one)]
        self._by_state[current.id] = numbers
        free = [one for one in numbers if self._open[one][1].cover_key not in in_work]
        best = min(free, key=lambda one: (self._open[one][1].rank, one), default=None)
        if best is not None:
            numbers.remove(best)
        return best

    def _best_of_all(self, in_work: frozenset[str]) -> int | None:
        waiting, best = [], None
        while self._heap and best is None:
            entry = heapq.heappop(self._heap)
            if not self._is_open(entry[2]):
                continue
            if self._open[entry[2]][1].cover_key in in_work:
                waiting.append(entry)
            else:
                best = entry[2]
        for entry in waiting:
            heapq.heappush(self._heap, entry)
        return best

    @property
    def dropped_count(self) -> int:
        """The number of candidates that were never taken."""
        return self._count - self._taken_count

    def drop_offered_elsewhere(self, state: State, elsewhere: set[str]) -> None:
        """Drop the open candidates of a state whose control is one of those elsewhere."""
        for number in self._by_state.get(state.id, ()):
            if number in self._open and self._open[number][1].place_key in elsewhere:
                del self._open[number]

    def drop_state(self, state: State) -> int:
        """Drop the open candidates of a state and return their number."""
        numbers = [one for one in self._by_state.pop(state.id, ()) if self._is_open(one)]
        for number in numbers:
            del self._open[number]
        return len(numbers)

    def _is_open(self, number: int) -> bool:
        found = self._open.get(number)
        if found is None:
            return False
        if found[1].cover_key in self._covered:
            del self._open[number]
            return False
        return True

    def __len__(self) -> int:
        return sum(one.cover_key not in self._covered for _, one in self._open.values())
