"""What a page does by itself: remembered for two seconds, so that a clock or a poll cannot pass for an effect."""

from __future__ import annotations

import re
from collections import Counter, deque

MAX_TEXTS = 2_000  # elements whose last text is kept, those that changed last
BACKGROUND_WINDOW_S = 2.0  # HOUSE §4, Attribution: what changed in this time before dispatch is background


class BackgroundHistory:
    """Keys of nodes, places and texts that changed while nobody acted."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, str]] = deque()
        self._texts: dict[str, str] = {}

    def add(self, mono: float, *keys: str) -> None:
        self.trim(mono)
        self._recent.extend((mono, key) for key in keys if key)

    def trim(self, mono: float) -> None:
        while self._recent and self._recent[0][0] < mono - BACKGROUND_WINDOW_S:
            self._recent.popleft()

    def add_text(self, mono: float, key: str, text: str) -> None:
        """A text that changed: which of its words did, by their shape, so that a running number is one word."""
        self.add(mono, *(f"{key}~{word}" for word in changed_word_shapes(self._texts.get(key, ""), text)))
        self._texts.pop(key, None)
        self._texts[key] = text
        if len(self._texts) > MAX_TEXTS:  # a page that makes ever new elements must not fill the memory
            del self._texts[next(iter(self._texts))]

    def counted(self) -> Counter[str]:
        """How often each changed: once is enough to doubt it, twice is a habit."""
        return Counter(key for _, key in self._recent)


def changed_word_shapes(before: str, now: str) -> set[str]:
    """The shapes of the words that came or went."""
    was, is_ = Counter(_shapes(before)), Counter(_shapes(now))
    numbers = {"#"} if before != now and was == is_ else set()
    return set(was - is_) | set(is_ - was) | numbers


def _shapes(text: str) -> list[str]:
    return [re.sub(r"\d+", "#", word) for word in text.split()]
