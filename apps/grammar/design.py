"""The covering design: shapes that together contain every possible pair of values, as far as the size allows.

The choice depends on nothing but the seed. Good and bad ends alternate, so that half of the cases must succeed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import combinations

from apps.grammar.dimensions import (
    BAD_ENDS,
    DIMENSIONS,
    GOOD_ENDS,
    Shape,
    forbidden_pairs,
    has_one_truth,
)

SEED = "uiap grammar 1"
SIZE = 276
CANDIDATES = 24

Value = tuple[str, str]
Pair = tuple[Value, Value]


def _numbers(seed: str) -> Iterator[int]:
    """Yield an endless sequence of 64-bit numbers that is the same on every machine."""
    block = 0
    while True:
        digest = hashlib.sha512(f"{seed}/{block}".encode()).digest()
        for at in range(0, len(digest), 8):
            yield int.from_bytes(digest[at : at + 8], "big")
        block += 1


def pairs_of(shape: Shape) -> frozenset[Pair]:
    return frozenset(combinations(tuple(shape._asdict().items()), 2))


class _Sampler:
    """Completes partial shapes so that no forbidden pair occurs."""

    def __init__(self, seed: str) -> None:
        self._numbers = _numbers(seed)
        self._forbidden = forbidden_pairs()
        self._order = {name: at for at, name in enumerate(DIMENSIONS)}

    def pick(self, count: int) -> int:
        return next(self._numbers) % count

    def clash(self, one: Value, other: Value) -> bool:
        if self._order[one[0]] > self._order[other[0]]:
            one, other = other, one
        return (one, other) in self._forbidden

    def complete(self, given: dict[str, str], ends: tuple[str, ...]) -> Shape | None:
        """Return a shape with the given values and one of these ends, or None when a dimension has no value left."""
        values = dict(given)
        for name, all_values in DIMENSIONS.items():
            if name in values:
                continue
            options = [
                value
                for value in (ends if name == "end" else all_values)
                if not any(self.clash((name, value), known) for known in values.items())
            ]
            if not options:
                return None
            values[name] = options[self.pick(len(options))]
        shape = Shape(**values)
        return shape if has_one_truth(shape) else None


def _possible_pairs(sampler: _Sampler) -> list[Pair]:
    """Return the pairs that at least one shape contains, in a fixed order."""
    names = tuple(DIMENSIONS)
    pairs = [
        ((a, x), (b, y))
        for a, b in combinations(names, 2)
        for x in DIMENSIONS[a]
        for y in DIMENSIONS[b]
        if not sampler.clash((a, x), (b, y))
    ]
    return [
        pair
        for pair in pairs
        if any(sampler.complete(dict(pair), DIMENSIONS["end"]) is not None for _ in range(60))
    ]


@cache
def design(size: int = SIZE, seed: str = SEED) -> tuple[tuple[Shape, ...], tuple[Pair, ...]]:
    """Return the shapes in order, and the pairs that did not fit into `size` shapes."""
    sampler = _Sampler(seed)
    open_pairs = dict.fromkeys(_possible_pairs(sampler))
    chosen: list[Shape] = []
    while len(chosen) < size:
        ends = BAD_ENDS if len(chosen) % 2 else GOOD_ENDS
        seeds = [pair for pair in open_pairs if pair[0][0] != "end" or pair[0][1] in ends]
        candidates: list[Shape] = []
        for number in range(CANDIDATES * 8):
            if len(candidates) == CANDIDATES:
                break
            given = dict(seeds[sampler.pick(len(seeds))]) if seeds and number % 4 else {}
            shape = sampler.complete(given, ends)
            if shape is not None and shape.end in ends and shape not in chosen:
                candidates.append(shape)
        best = max(candidates, key=lambda shape: sum(pair in open_pairs for pair in pairs_of(shape)))
        for pair in pairs_of(best):
            open_pairs.pop(pair, None)
        chosen.append(best)
    return tuple(chosen), tuple(open_pairs)
