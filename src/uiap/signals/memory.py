"""What a page does by itself: remembered for two seconds, so that a clock or a poll cannot pass for an effect."""

from __future__ import annotations

from collections import Counter, deque

MEMORY_S = 2.0  # HOUSE §4, Attribution: what changed in this time before dispatch is background


class Memory:
    """Keys of nodes, places and texts that changed while nobody acted."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, str]] = deque()

    def add(self, mono: float, *keys: str) -> None:
        self.trim(mono)
        self._recent.extend((mono, key) for key in keys if key)

    def trim(self, mono: float) -> None:
        while self._recent and self._recent[0][0] < mono - MEMORY_S:
            self._recent.popleft()

    def counted(self) -> Counter[str]:
        """How often each changed: once is enough to doubt it, twice is a habit."""
        return Counter(key for _, key in self._recent)
