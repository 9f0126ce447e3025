"""Bounded memory of a session: message ids it has received, and texts it may have to send again."""

from __future__ import annotations

from collections import deque


class SeenIds:
    """The last message ids of one sender. An id older than the window counts as new."""

    def __init__(self, window: int = 1024) -> None:
        self._window = window
        self._ids: dict[str, bool] = {}

    def add_if_new(self, id: str) -> bool:
        """Record the id; return False if it was recorded before."""
        if id in self._ids:
            return False
        if len(self._ids) >= self._window:
            del self._ids[next(iter(self._ids))]
        self._ids[id] = False
        return True

    def mark_resumed(self) -> None:
        """Accept recorded ids once more: after a resume the peer may resend requests whose answers it lost."""
        self._ids = dict.fromkeys(self._ids, True)

    def is_resend(self, id: str) -> bool:
        return self._ids.get(id, False)


class Outbox:
    """The last texts sent, for a peer that resumes: up to `size` texts, `window_s` seconds and `max_chars`."""

    def __init__(self, size: int, window_s: float, max_chars: int = 1_048_576) -> None:
        self._sent: deque[tuple[str, float, str]] = deque()
        self._size, self._window_s, self._max_chars = size, window_s, max_chars
        self._chars = 0

    def add(self, id: str, mono: float, text: str) -> None:
        if self._window_s <= 0:
            return
        self._sent.append((id, mono, text))
        self._chars += len(text)
        while len(self._sent) > 1 and self._is_over_limit(mono):
            self._chars -= len(self._sent.popleft()[2])

    def _is_over_limit(self, mono: float) -> bool:
        old = self._sent[0][1] < mono - self._window_s
        return old or len(self._sent) > self._size or self._chars > self._max_chars

    def after(self, id: str | None) -> list[str]:
        """Return the texts sent after this id, or all of them if the id is unknown or not given."""
        ids = [sent[0] for sent in self._sent]
        start = ids.index(id) + 1 if id in ids else 0
        return [text for _, _, text in list(self._sent)[start:]]
