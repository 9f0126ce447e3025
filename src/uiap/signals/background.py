"""Recent changes that no action caused. They are kept for two seconds, so that a clock or a poll is no effect."""

from __future__ import annotations

import re
from collections import Counter, deque

MAX_TEXTS = 2_000  # a page that always adds elements must not fill the memory
BACKGROUND_WINDOW_S = 2.0  # a node that changed this short before dispatch changes by itself


class BackgroundHistory:
    """Keys of nodes, positions and words that changed while no action was under way."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, str]] = deque()
        self._texts: dict[str, str] = {}

    def record(self, mono: float, *keys: str) -> None:
        self.trim(mono)
        self._recent.extend((mono, key) for key in keys if key)

    def trim(self, mono: float) -> None:
        while self._recent and self._recent[0][0] < mono - BACKGROUND_WINDOW_S:
            self._recent.popleft()

    def record_text(self, mono: float, key: str, text: str) -> None:
        """Record which words of a text changed. Digits are ignored, so that a running number is one word."""
        self.record(mono, *(f"{key}~{word}" for word in changed_word_shapes(self._texts.get(key, ""), text)))
        self._texts.pop(key, None)
        self._texts[key] = text
        if len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]

    def change_counts(self) -> Counter[str]:
        """Return how often each key changed in the window."""
        return Counter(key for _, key in self._recent)


def changed_word_shapes(before: str, now: str) -> set[str]:
    """Return the words that were added or removed, with `#` for each number."""
    before_shapes, now_shapes = Counter(_shapes(before)), Counter(_shapes(now))
    numbers = {"#"} if before != now and before_shapes == now_shapes else set()
    return set(before_shapes - now_shapes) | set(now_shapes - before_shapes) | numbers


def _shapes(text: str) -> list[str]:
    return [re.sub(r"\d+", "#", word) for word in text.split()]
